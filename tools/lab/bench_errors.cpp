// How far draws are from reference draws of the same posterior.
#include "bench_errors.hpp"

#include "io/errors.hpp"

#include <starling/random/philox.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace starling::tool {

Moments moments_of(const std::vector<double>& values) {
  Moments m;
  const auto n = static_cast<double>(values.size());
  for (const double v : values)
    m.mean += v / n;
  for (const double v : values)
    m.sd += (v - m.mean) * (v - m.mean) / (n - 1);
  m.sd = std::sqrt(m.sd);
  return m;
}

double quantile_of(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const double share = at - static_cast<double>(below);
  return below + 1 < sorted.size() ? (1 - share) * sorted[below] + share * sorted[below + 1]
                                   : sorted[below];
}

double larger(double a, double b) { return a >= b || std::isnan(a) ? a : b; }

namespace {

/// The area between the two quantile functions.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  constexpr int points = 1000;
  double sum = 0;
  for (int k = 0; k < points; ++k) {
    const double q = (k + 0.5) / points;
    sum += std::abs(quantile_of(a, q) - quantile_of(b, q));
  }
  return sum / points;
}

} // namespace

Columns columns_of(const std::vector<std::string>& wanted, const std::vector<std::string>& names,
                   const std::vector<double>& draws, const std::string& where) {
  Columns columns{wanted, {}};
  for (const std::string& name : wanted) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
      throw io::BadData(where, fmt::format("must have only parameters of the model; got {}", name));
    std::vector<double> column;
    for (auto at = static_cast<std::size_t>(found - names.begin()); at < draws.size();
         at += names.size())
      column.push_back(draws[at]);
    if (std::ranges::none_of(
            column, [](double v) { return std::isnan(v); })) // NaN has no place in an order
      std::ranges::sort(column);
    columns.values.push_back(std::move(column));
  }
  return columns;
}

void take_worst(Errors& errors, const std::string& name, double mean, double ratio) {
  const auto off = [](double r) { return std::abs(std::log(r)); };
  if (errors.mean_of.empty() || mean > errors.mean ||
      (std::isnan(mean) && !std::isnan(errors.mean)))
    errors.mean = mean, errors.mean_of = name;
  if (errors.sd_of.empty()) {
    errors.sd_low = errors.sd_high = ratio, errors.sd_of = name;
    return;
  }
  if (!(off(ratio) <= std::max(off(errors.sd_low), off(errors.sd_high))))
    errors.sd_of = name;
  errors.sd_low = -larger(-ratio, -errors.sd_low);
  errors.sd_high = larger(ratio, errors.sd_high);
}

std::vector<double> independent_w1(const Columns& reference, std::size_t count) {
  constexpr std::uint64_t sets = 20, seed = 1;
  std::vector<double> all;
  const std::size_t length = reference.values.empty() ? 0 : reference.values[0].size();
  if (length < 2 * count)
    return all;
  const Philox philox(seed);
  for (std::size_t a = 0; a < reference.values.size(); ++a) {
    double sum = 0;
    for (std::uint64_t set = 0; set < sets; ++set) {
      std::vector<double> chosen, rest;
      for (std::size_t i = 0; i < length;
           ++i) { // each with the probability that fills the set exactly
        const bool take = philox.below(std::uint32_t(length - i), Stream::user, a * sets + set, i) <
                          count - chosen.size();
        (take ? chosen : rest).push_back(reference.values[a][i]);
      }
      sum += distance(chosen, rest);
    }
    all.push_back(sum / sets / moments_of(reference.values[a]).sd);
  }
  return all;
}

Errors errors_of(const Columns& draws, const Columns& reference,
                 const std::vector<double>& independent) {
  Errors errors;
  std::vector<double> distances, ratios;
  for (std::size_t a = 0; a < reference.names.size(); ++a) {
    const std::vector<double>&ours = draws.values[a], &theirs = reference.values[a];
    const Moments x = moments_of(ours), r = moments_of(theirs);
    take_worst(errors, reference.names[a], std::abs(x.mean - r.mean) / r.sd, x.sd / r.sd);
    for (const double q : {0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975})
      errors.quantile =
          larger(std::abs(quantile_of(ours, q) - quantile_of(theirs, q)) / r.sd, errors.quantile);
    distances.push_back(distance(ours, theirs) / r.sd);
    if (!independent.empty())
      ratios.push_back(distances.back() / independent[a]);
  }
  std::ranges::sort(distances);
  errors.w1 = quantile_of(distances, 0.5);
  if (!ratios.empty()) {
    std::ranges::sort(ratios);
    errors.w1_ratio = quantile_of(ratios, 0.5);
    errors.w1_ratio_worst = ratios.back();
  }
  return errors;
}

} // namespace starling::tool
