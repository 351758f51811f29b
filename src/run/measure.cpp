// Measuring a cloud at its end.
#include "run/measure.hpp"

#include <starling/judge/unbounded.hpp>
#include <starling/observe/balance.hpp>

#include <algorithm>
#include <cmath>
#include <exception>

namespace starling::run {

void judge_rows(Rows<const double> x, Rows<const double> score, judge::TraceRow& row,
                Threads& threads) {
  const std::vector<Balance> parameters = balance(x, score, threads);
  const auto dim = static_cast<double>(x.dim);
  double variance = 0, centre = 0, square = 0;
  row.shift = 0;
  for (const Balance& one : parameters) {
    variance += one.sd * one.sd;
    centre += one.mean;
    row.shift = std::max(row.shift, std::abs(one.shift));
  }
  for (const double s : score)
    square += s * s;
  row.score = std::sqrt(square / static_cast<double>(score.size()));
  row.spread = std::sqrt(variance / dim);
  row.centre = centre / std::sqrt(dim);
  const auto [least, most] = std::ranges::minmax_element(parameters, {}, &Balance::spread);
  row.least_identity = least->spread;
  row.most_identity = most->spread;
}

std::vector<judge::ParameterSummary> summarize_columns(const Constrained& table, Threads& threads) {
  const std::size_t width = table.names.size();
  std::vector<judge::ParameterSummary> summaries = judge::summarize(
      table.names, {table.values.data(), width > 0 ? table.values.size() / width : 0, width},
      threads);
  for (judge::ParameterSummary& one : summaries)
    one.shift = NAN;
  return summaries;
}

namespace {

/// The factor by which this column is a coordinate of the positions; 0 where it is none.
double multiple_of(Rows<const double> x, std::size_t a, const Constrained& table, std::size_t c) {
  const std::size_t width = table.names.size();
  double factor = 0;
  for (std::size_t i = 0; i < x.count; ++i) {
    const double value = table.values[i * width + c], position = x[i][a];
    if (factor == 0 && position != 0)
      factor = value / position;
    if (!(std::abs(value - factor * position) <= 1e-12 * std::abs(value)))
      return 0;
  }
  return factor;
}

/// Columns that are multiples of positions have the figures that scores give of these.
void take_figures(const std::vector<judge::ParameterSummary>& positions, Rows<const double> x,
                  const Constrained& table, std::vector<judge::ParameterSummary>& columns) {
  const std::size_t width = columns.size();
  for (std::size_t c = 0; c < width; ++c)
    for (std::size_t a = 0; a < x.dim; ++a) {
      const double factor = multiple_of(x, a, table, c);
      if (factor == 0)
        continue;
      columns[c].shift = std::copysign(1.0, factor) * positions[a].shift;
      columns[c].spread_identity = positions[a].spread_identity;
      columns[c].identity_se = positions[a].identity_se;
      break;
    }
}

} // namespace

void take_columns(Constrained columns, Outcome& o, Threads& threads) {
  o.constrained = std::move(columns);
  o.constrained_summary = summarize_columns(*o.constrained, threads);
  take_figures(o.diagnosis.parameters, {o.positions.data(), o.positions.size() / o.dim(), o.dim()},
               *o.constrained, o.constrained_summary);
}

void measure_at(const AnyTarget<double>& target, const Settings& settings, Rows<const double> score,
                Outcome& o, Threads& threads) {
  const std::size_t count = settings.particles, dim = target.dim;
  const Rows<const double> x{o.positions.data(), count, dim};
  std::vector<double> asked;
  if (o.log_density.size() != count) {
    asked.resize(count * dim);
    o.log_density.resize(count);
    target.evaluate(x, {asked.data(), count, dim}, o.log_density);
    score = {asked.data(), count, dim};
  }
  const bool has_density = !target.has_density || target.has_density();
  o.diagnosis = judge::diagnose(
      x, score, has_density ? std::span<const double>(o.log_density) : std::span<const double>(),
      o.names, settings.seed, settings.periodic, o.trace, threads);
  if (target.hold_out)
    o.held_out = target.hold_out(x);
  o.table = target.table;
  if (target.constrain)
    take_columns(target.constrain(x), o, threads);
  for (std::string found : {judge::outlier_warning(o.parameters(), count),
                            judge::missing_values_warning(o.parameters())})
    if (!found.empty())
      o.warnings.push_back(std::move(found));
}

void judge_growth(const AnyTarget<double>& target, Rows<const double> score, Outcome& o) {
  const bool has_density = !target.has_density || target.has_density();
  if (o.diagnosis.judgement.converged() || !has_density || target.rows || o.settings.periodic ||
      o.names.size() != target.dim)
    return;
  try {
    const auto found = judge::unbounded_along({o.positions.data(), score.count, target.dim}, score,
                                              target.evaluate);
    if (!found)
      return;
    o.diagnosis.judgement = {judge::Verdict::diverged,
                             judge::evidence::GrowsAlong{o.names[found->parameter], found->grows}};
  } catch (const std::exception&) { // so far out it may fail in any way; then nothing is known
  }
}

} // namespace starling::run
