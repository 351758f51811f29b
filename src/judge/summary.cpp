// Summaries of draws, and the sentences about those that mislead.
#include <starling/judge/summary.hpp>

#include "judge/suspects.hpp"

#include <starling/judge/move_test.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace starling::judge {

namespace {

// More of the variance than this in a hundredth of the particles is that of a few: of a normal they
// have .08, of an exponential .2.
constexpr double most_outside = 0.5;

/// Where a share q of the sorted values ends, between two neighbours.
double place_of(std::size_t count, double q) { return q * static_cast<double>(count - 1); }

// The value below which a share q of the sorted values lies, linear between neighbours.
double quantile(const std::vector<double>& sorted, double q) {
  const double place = place_of(sorted.size(), q);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

std::size_t outermost(std::size_t count) { return (count + 99) / 100; }

/// Sorts as much as is read afterwards: both ends, and the neighbours of the three quantiles.
void sort_what_counts(std::vector<double>& values) {
  constexpr std::size_t worth_it = 4096;
  const std::size_t count = values.size(), ends = outermost(count);
  if (count < worth_it)
    return std::sort(values.begin(), values.end());
  std::vector<std::size_t> ranks = {ends, count - ends};
  for (const double q : {0.05, 0.50, 0.95}) {
    const auto below = static_cast<std::size_t>(place_of(count, q));
    ranks.insert(ranks.end(), {below, below + 1});
  }
  std::ranges::sort(ranks);
  auto from = values.begin(); // ranks rise, and what is below the last one stays where it is
  for (const std::size_t rank : ranks) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank);
    if (at < from)
      continue;
    std::nth_element(from, at, values.end());
    from = at + 1;
  }
  const auto some = static_cast<std::ptrdiff_t>(ends);
  std::sort(values.begin(), values.begin() + some);
  std::sort(values.end() - some, values.end());
}

/// Of the hundredth of the sorted values that is farthest from the mean.
double outer_squares(std::span<const double> sorted, double mean) {
  double sum = 0;
  for (std::size_t left = outermost(sorted.size()); left > 0; --left) {
    const double below = mean - sorted.front(), above = sorted.back() - mean;
    sum += below > above ? below * below : above * above;
    sorted = below > above ? sorted.subspan(1) : sorted.first(sorted.size() - 1);
  }
  return sum;
}

} // namespace

ParameterSummary summarize(std::string name, std::vector<double> values) {
  ParameterSummary p;
  p.name = std::move(name);
  p.left_out = std::erase_if(values, [](double v) { return std::isnan(v); });
  p.spread_identity = NAN;
  if (values.empty()) {
    p.mean = p.sd = p.q05 = p.q50 = p.q95 = p.shift = NAN;
    return p;
  }
  const auto n = static_cast<double>(values.size());
  for (const double v : values)
    p.mean += v / n;
  double squares = 0;
  for (const double v : values)
    squares += (v - p.mean) * (v - p.mean);
  p.sd = std::sqrt(squares / n);
  p.heavy = heavy_tailed(values);
  sort_what_counts(values);
  p.q05 = quantile(values, 0.05);
  p.q50 = quantile(values, 0.50);
  p.q95 = quantile(values, 0.95);
  p.outer_share = squares > 0 ? outer_squares(values, p.mean) / squares : 0;
  return p;
}

ParameterSummary summarize(std::string name, std::span<const double> values, std::span<const double> weights) {
  ParameterSummary p;
  p.name = std::move(name);
  p.spread_identity = p.shift = p.outer_share = NAN;
  std::vector<std::pair<double, double>> sorted;
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      ++p.left_out;
      continue;
    }
    sorted.emplace_back(values[i], weights[i]);
    sum += weights[i];
    p.mean += weights[i] * values[i];
  }
  p.mean /= sum; // NaN where nothing is left
  double squares = 0;
  for (const auto& [value, weight] : sorted)
    squares += weight * (value - p.mean) * (value - p.mean);
  p.sd = std::sqrt(squares / sum);
  std::ranges::sort(sorted);
  const auto up_to = [&](double q) {
    double reached = 0;
    for (const auto& [value, weight] : sorted)
      if ((reached += weight) >= q * sum)
        return value;
    return sorted.empty() ? NAN : sorted.back().first;
  };
  p.q05 = up_to(0.05);
  p.q50 = up_to(0.5);
  p.q95 = up_to(0.95);
  return p;
}

std::string strays(const std::vector<ParameterSummary>& parameters, std::size_t count) {
  Suspects far;
  for (std::size_t a = 0; count >= 100 && a < parameters.size(); ++a)
    if (parameters[a].outer_share > most_outside)
      far.add(a, parameters[a].outer_share);
  if (far.count == 0)
    return "";
  return fmt::format("{:.0f} % of the variance of {}{} lies in {} of {} particles, far out: a "
                     "heavy tail, or strays; do "
                     "not trust its mean and sd",
                     100 * far.fault, parameters[far.worst].name,
                     far.count > 1 ? fmt::format(" (and much of {} more)", far.count - 1) : "",
                     outermost(count), count);
}

std::string left_out(const std::vector<ParameterSummary>& parameters) {
  Suspects gaps;
  std::size_t values = 0;
  for (std::size_t a = 0; a < parameters.size(); ++a)
    if (parameters[a].left_out > 0) {
      gaps.add(a, static_cast<double>(parameters[a].left_out));
      values += parameters[a].left_out;
    }
  if (gaps.count == 0)
    return "";
  const ParameterSummary& most = parameters[gaps.worst];
  if (gaps.count == 1)
    return most.left_out == 1
               ? fmt::format("one value of {} is not a number; its figures leave it out", most.name)
               : fmt::format("{} values of {} are not numbers; its figures leave them out",
                             most.left_out, most.name);
  return fmt::format(
      "{} values of {} parameters are not numbers; the figures leave them out (most are of {}: {})",
      values, gaps.count, most.name, most.left_out);
}

} // namespace starling::judge
