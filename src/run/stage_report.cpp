// What a run in stages did, for those who read its outcome.
#include "run/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace starling::run {

namespace {

std::string word(const Frame& frame) {
  switch (frame.form()) {
  case Frame::Form::dense:
    return "dense";
  case Frame::Form::low_rank:
    return "low rank";
  case Frame::Form::diagonal:
    break;
  }
  return "diagonal";
}

void add_frame(const stages::Journey& journey, StageReport& report) {
  const std::vector<std::string>& all = report.columns; // positions come first
  for (std::size_t group = 0; group < journey.frames(); ++group)
    if (const std::optional<Bend>& bend = journey.frame(group).bend())
      for (const Bend::Dependent& one : bend->dependents())
        for (const std::size_t j : one.controllers)
          if (auto& by = report.controls[all[one.parameter]]; !std::ranges::count(by, all[j]))
            by.push_back(all[j]);
  report.frame = report.controls.empty() ? word(journey.frame(0)) : "bent";
}

void add_turns(const stages::Journey& journey, StageReport& report,
               std::vector<std::string>& warnings) {
  bool given_up = false;
  for (const std::uint64_t times : journey.turned_back()) {
    report.turned_back += times;
    given_up = given_up || times >= stages::Fly::most_turns;
  }
  if (given_up)
    warnings.push_back(
        fmt::format("the flight (SVGD) moved away from the target {} times and was stopped{}",
                    stages::Fly::most_turns, report.settled ? ": HMC moves replaced it" : ""));
}

} // namespace

StageReport report_stages(const stages::Journey& journey, std::size_t particles,
                          std::vector<std::string> columns, std::vector<std::string>& warnings) {
  StageReport report;
  report.gradients = journey.gradients();
  report.failures = journey.failures(false);
  report.failures_of_moves = journey.failures(true);
  report.modes = journey.scouted().modes;
  report.by_pathfinder = journey.scouted().by_pathfinder;
  report.settled = journey.settled();
  report.polished = journey.polished();
  report.columns = std::move(columns);
  add_frame(journey, report);
  if (journey.crew() < particles)
    report.walkers = journey.crew();
  add_turns(journey, report, warnings);
  report.pooled_means = journey.pool().means;
  report.pooled_sds = journey.pool().sds;
  report.certificate = journey.certificate();
  if (journey.over_rows())
    report_rows(journey.rows_report(), report, warnings);
  return report;
}

} // namespace starling::run
