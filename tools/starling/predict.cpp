// starling predict: what the regression of a run says of new rows.
#include "commands.hpp"

#include "io/errors.hpp"
#include "io/npy.hpp"
#include "io/output_file.hpp"
#include "io/runs.hpp"
#include "io/text.hpp"
#include "results/predictions.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <filesystem>

namespace starling::tool {

namespace {

/// Of the draws, where `thin` gave them some.
std::vector<double> weights_in(const std::filesystem::path& folder) {
  const auto file = folder / "draws.npz";
  if (!std::filesystem::exists(file))
    return {};
  auto arrays = io::read_npz(file);
  const auto found = arrays.find("weights");
  return found == arrays.end() ? std::vector<double>() : std::move(found->second.values);
}

std::string json_of(const results::Predictions& p) {
  const std::size_t each = std::max<std::size_t>(p.classes.size(), 1);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (std::size_t f = 0; f < p.figures.size(); ++f) {
    const judge::ParameterSummary& one = p.figures[f];
    nlohmann::ordered_json row = {{"row", p.rows[f / each]}};
    if (!p.classes.empty())
      row["class"] = p.classes[f % each];
    for (const auto& [name, value] : {std::pair{"mean", one.mean},
                                      {"sd", one.sd},
                                      {"q05", one.q05},
                                      {"q50", one.q50},
                                      {"q95", one.q95}})
      row[name] = value; // what is not finite becomes null
    list.push_back(std::move(row));
  }
  return list.dump(2) + "\n";
}

/// A file that is there is replaced only with --force, and only where predictions stand in it.
void write_predictions(const std::filesystem::path& file, const std::string& text, bool force) {
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::symlink_status(file, ignored))) {
    if (!force)
      throw io::CannotWrite(file, EEXIST, "exists; choose another name or add --force");
    const bool plain =
        std::filesystem::is_regular_file(std::filesystem::symlink_status(file, ignored));
    if (!plain || !(io::read_bytes(file).starts_with("row,") ||
                    io::read_bytes(file).starts_with("[\n  {\n    \"row\"")))
      throw io::CannotWrite(file, EEXIST,
                            "exists, and starling predict did not write it; choose another name");
  }
  io::OutputFile out(file);
  out.write(text);
  out.close();
}

} // namespace

int predict(const PredictRequest& p) {
  const std::filesystem::path folder = p.folder;
  if (!std::filesystem::is_directory(folder))
    throw io::InputMissing(folder, std::filesystem::exists(folder) ? ENOTDIR : ENOENT);
  const auto summary = folder / "summary.json";
  results::Asked asked = results::asked_of(io::read_text(summary), summary.string());
  asked.observation = p.observation;
  const io::NewRows rows = io::read_new_rows(p.data, asked.use, p.drop_missing);
  const std::vector<io::Draws> runs = io::read_runs(folder);
  Threads threads(p.threads);
  const results::Predictions made =
      results::predict(asked, runs, weights_in(folder), rows, threads);
  const std::string text = p.json ? json_of(made) : results::to_csv(made);
  if (p.out.empty())
    fmt::print("{}", text);
  else
    write_predictions(p.out, text, p.force);
  return ok;
}

} // namespace starling::tool
