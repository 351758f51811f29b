// starling summary: the table of a finished run again, from its files.
#include "commands.hpp"

#include "io/errors.hpp"
#include "io/runs.hpp"
#include "io/text.hpp"
#include "results/results.hpp"

#include <starling/judge/groups.hpp>
#include <starling/judge/rhat.hpp>
#include <starling/judge/summary.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <system_error>

namespace starling::tool {

namespace {

using Json = nlohmann::ordered_json;

/// From draws alone: no scores, so no spread identity and no verdict. All runs are one sample, and
/// R-hat tells whether they agree.
Json from_draws(const std::filesystem::path& path) {
  const std::vector<io::Draws> runs = io::read_runs(path);
  const std::vector<std::string>& names = runs[0].names;
  Json j = Json::object();
  j["draws"] = runs.size() * runs[0].rows;
  for (std::size_t c = 0; c < names.size(); ++c) {
    std::vector<std::vector<double>> by_run(runs.size());
    std::vector<double> all;
    for (std::size_t k = 0; k < runs.size(); ++k) {
      for (std::size_t i = 0; i < runs[k].rows; ++i)
        by_run[k].push_back(runs[k].values[i * names.size() + c]);
      all.insert(all.end(), by_run[k].begin(), by_run[k].end());
    }
    const auto p = judge::summarize(names[c], std::move(all));
    j["parameters"].push_back({{"name", p.name},
                               {"mean", p.mean},
                               {"sd", p.sd},
                               {"q05", p.q05},
                               {"q50", p.q50},
                               {"q95", p.q95},
                               {"spread_identity", nullptr}});
    if (p.left_out > 0)
      j["parameters"].back()["left_out"] = p.left_out;
    if (runs.size() > 1)
      j["parameters"].back()["r_hat"] = judge::r_hat(by_run);
  }
  for (std::size_t k = 0; runs.size() > 1 && k < runs.size(); ++k)
    j["runs"].push_back({{"run", k + 1}, {"draws", runs[k].rows}});
  return j;
}

/// A number of 1e30 would be converted to something; so would -1.
std::size_t whole(const Json& value, const std::string& path) {
  if (!value.is_number_unsigned())
    throw io::BadData(path, "is not the summary.json of a run");
  return value.get<std::size_t>();
}

Json from_folder(const std::filesystem::path& folder) {
  const auto file = folder / "summary.json";
  try {
    return Json::parse(io::read_text(file));
  } catch (const Json::exception&) {
    throw io::BadData(file, "is not the summary.json of a run");
  }
}

std::vector<judge::ParameterSummary> parameters_of(const Json& j, const std::string& path) {
  const auto number = [](const Json& value) {
    return value.is_number() ? value.get<double>() : NAN;
  };
  std::vector<judge::ParameterSummary> parameters;
  try {
    for (const Json& p : j.at("parameters")) {
      parameters.push_back({p.at("name"), number(p.at("mean")), number(p.at("sd")),
                            number(p.at("q05")), number(p.at("q50")), number(p.at("q95")),
                            number(p.at("spread_identity")), NAN,
                            number(p.value("r_hat", Json()))});
      if (const auto left_out = p.find("left_out"); left_out != p.end())
        parameters.back().left_out = whole(*left_out, path);
    }
  } catch (const Json::exception&) {
    throw io::BadData(path, "is not the summary.json of a run");
  }
  return parameters;
}

/// Separate groups, in a line; nothing where there is one.
std::string groups_of(const Json& j, const std::string& path) {
  const auto number = [](const Json& value) {
    return value.is_number() ? value.get<double>() : NAN;
  };
  std::vector<judge::Group> groups;
  try {
    for (const Json& one : j.value("groups", Json::array())) {
      groups.emplace_back();
      groups.back().share = number(one.at("share"));
      groups.back().se = number(one.at("se"));
      groups.back().particles = whole(one.at("particles"), path);
    }
  } catch (const Json::exception&) {
    throw io::BadData(path, "must be the summary.json of a run");
  }
  return groups.empty() ? std::string() : judge::groups_line(groups) + "\n";
}

/// How many runs the figures are of.
std::size_t runs_of(const Json& j) {
  const auto runs = j.find("runs");
  return runs != j.end() && runs->is_array() ? runs->size() : 1;
}

/// Whether it is there. A name that no file can have, as one that is too long, is nobody's.
bool is_there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

/// Whether there is no summary.json to show, but draws to make one of.
bool has_draws_only(const std::filesystem::path& path) {
  std::error_code error;
  return !std::filesystem::is_directory(path, error) ||
         (!is_there(path / "summary.json") &&
          std::ranges::any_of(std::array{".zgroup", "zarr.json", "draws.npz", "draws.csv",
                                         "draws-1.csv", "draws.zarr"},
                              [&](const char* name) { return is_there(path / name); }));
}

} // namespace

int summary(const SummaryRequest& s) {
  if (std::error_code error; s.path != "-" && !std::filesystem::exists(s.path, error))
    throw io::InputMissing(s.path, error ? error.value() : ENOENT);
  const Json j = has_draws_only(s.path) ? from_draws(s.path) : from_folder(s.path);
  const auto parameters = parameters_of(j, s.path);
  if (s.json) {
    fmt::print("{}\n", j.dump(2));
    return ok;
  }
  fmt::print("{}{}{}", results::table(parameters, parameters.size()),
             results::base_levels(j.contains("table") ? j["table"].dump() : ""),
             groups_of(j, s.path));
  if (const std::string gaps = judge::missing_values_warning(parameters); !gaps.empty())
    fmt::print("{}\n", gaps);
  if (const std::size_t runs = runs_of(j); runs > 1)
    fmt::print("R-hat compares the {} runs with each other; the particles of a run have no order\n",
               runs);
  if (j.contains("test_accuracy") && j["test_accuracy"].is_number())
    fmt::print("test accuracy {:.4f}\n", j["test_accuracy"].get<double>());
  if (j.contains("verdict") && j["verdict"].is_string())
    fmt::print("{}: {}\n", j["verdict"].get<std::string>(),
               j.contains("verdict_reason") && j["verdict_reason"].is_string()
                   ? j["verdict_reason"].get<std::string>()
                   : "");
  return ok;
}

} // namespace starling::tool
