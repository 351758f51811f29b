// starling summary: the table of a finished run again, from its files.
#include "commands.hpp"

#include "assemble/report.hpp"
#include "io/errors.hpp"
#include "io/stan_csv.hpp"
#include "io/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cmath>
#include <filesystem>

namespace starling::tool {

namespace {

using Json = nlohmann::ordered_json;

/// From any Stan CSV file: no scores, so no spread identity and no verdict.
Json from_draws(const std::filesystem::path& file) {
  const io::Draws draws = io::read_stan_csv(file);
  if (draws.rows == 0)
    throw io::BadData(file, "must have at least one draw");
  Json j;
  j["draws"] = draws.rows;
  for (std::size_t c = 0; c < draws.names.size(); ++c) {
    std::vector<double> values(draws.rows);
    for (std::size_t i = 0; i < draws.rows; ++i)
      values[i] = draws.values[i * draws.names.size() + c];
    const auto p = assemble::summarize(draws.names[c], std::move(values));
    j["parameters"].push_back({{"name", p.name}, {"mean", p.mean}, {"sd", p.sd}, {"q05", p.q05},
                               {"q50", p.q50}, {"q95", p.q95}, {"spread_identity", nullptr}});
  }
  return j;
}

Json from_folder(const std::filesystem::path& folder) {
  const auto file = folder / "summary.json";
  try {
    return Json::parse(io::read_text(file));
  } catch (const Json::exception&) {
    throw io::BadData(file, "must be the summary.json of a run");
  }
}

std::vector<assemble::ParameterSummary> parameters_of(const Json& j, const std::string& path) {
  const auto number = [](const Json& value) { return value.is_number() ? value.get<double>() : NAN; };
  std::vector<assemble::ParameterSummary> parameters;
  try {
    for (const Json& p : j.at("parameters"))
      parameters.push_back({p.at("name"), number(p.at("mean")), number(p.at("sd")),
                            number(p.at("q05")), number(p.at("q50")), number(p.at("q95")),
                            number(p.at("spread_identity"))});
  } catch (const Json::exception&) {
    throw io::BadData(path, "must be the summary.json of a run");
  }
  return parameters;
}

} // namespace

int summary(const SummaryRequest& s) {
  if (!std::filesystem::exists(s.path))
    throw io::InputMissing(s.path, ENOENT);
  const Json j = std::filesystem::is_directory(s.path) ? from_folder(s.path) : from_draws(s.path);
  const auto parameters = parameters_of(j, s.path);
  if (s.json) {
    fmt::print("{}\n", j.dump(2));
    return ok;
  }
  fmt::print("{}", assemble::table(parameters, parameters.size()));
  if (j.contains("test_accuracy") && j["test_accuracy"].is_number())
    fmt::print("test accuracy {:.4f}\n", j["test_accuracy"].get<double>());
  if (j.contains("verdict") && j["verdict"].is_string())
    fmt::print("{}: {}\n", j["verdict"].get<std::string>(), j.value("verdict_reason", ""));
  return ok;
}

} // namespace starling::tool
