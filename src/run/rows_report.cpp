// What few rows of the data came to, for those who read a run's outcome.
#include "run/measure.hpp"

#include <fmt/format.h>

namespace starling::run {

namespace {

constexpr double most_noise = 0.5; // of a step's scores, against their size
constexpr double far_away = 5; // from the mode, in sd: there a score expanded around it is no guide

} // namespace

void report_rows(const stages::RowsReport& rows, StageReport& report,
                 std::vector<std::string>& warnings) {
  report.data_rows = rows.rows;
  report.rows_a_step = rows.a_step;
  for (std::size_t n = 0; n < stages::kinds; ++n)
    report.rows_read.emplace_back(stages::names[n], rows.read[n].reads);
  report.rows_noise = rows.noise;
  report.rows_away = rows.away;
  report.guide_error = rows.error;
  report.guide_decides = rows.guide_decides;
  if (rows.noise > most_noise)
    warnings.push_back(fmt::format("{} rows in a step do not represent all rows: the noise is "
                                   "{:.2f} of the gradient; raise --data-batch",
                                   rows.a_step, rows.noise));
  if (rows.away > far_away)
    warnings.push_back(fmt::format("the cloud ended {:.1f} sd from the mode, where few rows do not "
                                   "represent all: raise --data-batch, or read all rows",
                                   rows.away));
}

} // namespace starling::run
