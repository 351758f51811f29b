// starling compare: the log evidence of several runs side by side, and their differences.
#include "commands.hpp"

#include "io/errors.hpp"
#include "io/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>

namespace starling::tool {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Compared {
  std::string folder, verdict, doubt;
  double value = NAN, se = NAN;
};

Compared read(const std::string& folder) {
  if (!fs::is_directory(folder))
    throw io::InputMissing(folder, fs::exists(folder) ? ENOTDIR : ENOENT);
  const fs::path file = fs::path(folder) / "summary.json";
  Compared one{folder, {}, {}};
  try {
    const Json j = Json::parse(io::read_text(file));
    one.verdict = j.at("verdict");
    const auto found = j.find("log_evidence");
    if (found == j.end())
      throw io::BadData(file, "has no log evidence: sample with --evidence");
    const auto number = [](const Json& value) {
      return value.is_number() ? value.get<double>() : NAN;
    };
    one.value = number(found->at("value"));
    one.se = number(found->at("se"));
    if (found->at("doubt").is_string())
      one.doubt = found->at("doubt");
  } catch (const Json::exception&) {
    throw io::BadData(file, "is not the summary.json of a run");
  }
  return one;
}

Json to_json(const std::vector<Compared>& runs) {
  const auto number = [](double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
  };
  const Compared& best = runs.front();
  Json list = Json::array();
  for (const Compared& one : runs)
    list.push_back(
        {{"folder", one.folder},
         {"log_evidence", number(one.value)},
         {"se", number(one.se)},
         {"difference", number(one.value - best.value)},
         {"difference_se", &one == &best ? Json(0) : number(std::hypot(one.se, best.se))},
         {"verdict", one.verdict},
         {"doubt", one.doubt.empty() ? Json(nullptr) : Json(one.doubt)}});
  return list;
}

void show(const std::vector<Compared>& runs) {
  std::size_t wide = 6;
  for (const Compared& one : runs)
    wide = std::max(wide, one.folder.size());
  fmt::print("{:<{}} {:>14} {:>8} {:>12} {:>8}\n", "folder", wide, "log evidence", "+-",
             "difference", "+-");
  const auto cell = [](double value, int width, int digits) {
    return std::isfinite(value) ? fmt::format("{:{}.{}f}", value, width, digits)
                                : fmt::format("{:>{}}", "-", width);
  };
  const Compared& best = runs.front();
  for (const Compared& one : runs)
    fmt::print("{:<{}} {} {} {} {}\n", one.folder, wide, cell(one.value, 14, 3), cell(one.se, 8, 3),
               cell(one.value - best.value, 12, 3),
               cell(&one == &best ? 0 : std::hypot(one.se, best.se), 8, 3));
  for (const Compared& one : runs)
    if (!one.doubt.empty())
      fmt::print("{}: do not use it: {}\n", one.folder, one.doubt);
}

} // namespace

int compare(const CompareRequest& request) {
  std::vector<Compared> runs;
  for (const std::string& folder : request.folders)
    runs.push_back(read(folder));
  // The best first; those that have none last.
  std::ranges::stable_sort(runs, [](const Compared& a, const Compared& b) {
    return a.value > b.value || (std::isnan(b.value) && !std::isnan(a.value));
  });
  if (request.json)
    fmt::print("{}\n", to_json(runs).dump(2));
  else
    show(runs);
  return ok;
}

} // namespace starling::tool
