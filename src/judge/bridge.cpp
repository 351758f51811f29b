// Bridge sampling: the equation, its solution, and the error of it.
#include <starling/judge/bridge.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace starling::judge {

namespace {

constexpr int halvings = 200; // of the interval in which r lies; ends where numbers do

/// 1 / (1/2 + e^-u / 2): 0 far below 0, 2 far above.
double bridge_part(double u) { return 2 / (1 + std::exp(-u)); }

double mean_bridge_part(std::span<const double> log_ratios, double r, double sign) {
  double sum = 0;
  for (const double l : log_ratios)
    sum += bridge_part(sign * (l - r));
  return sum / double(log_ratios.size());
}

/// Of a mean of these values, against the mean squared.
double relative_variance(std::span<const double> values) {
  const double n = double(values.size());
  double mean = 0, squares = 0;
  for (const double v : values)
    mean += v / n;
  for (const double v : values)
    squares += (v - mean) * (v - mean);
  return squares / (n * (n - 1) * mean * mean);
}

} // namespace

LogEvidence bridge(std::span<const double> at_draws, std::size_t walkers,
                   std::span<const double> at_fit) {
  if (walkers < 2 || at_draws.empty() || at_draws.size() % walkers != 0 || at_fit.size() < 2)
    throw std::invalid_argument("bridge: needs whole clouds of at least 2 walkers");
  LogEvidence found;
  found.draws = at_draws.size();
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const std::span<const double> all : {at_draws, at_fit})
    for (const double l : all)
      if (std::isfinite(l)) {
        low = std::min(low, l);
        high = std::max(high, l);
      }
  const auto inside = [](double l) { return std::isfinite(l); };
  if (std::ranges::none_of(at_fit, inside)) {
    found.value = found.se = std::numeric_limits<double>::quiet_NaN();
    return found;
  }
  // Zeros under the fit draw the solution below the least ratio, by their share at most.
  low += std::log(double(std::ranges::count_if(at_fit, inside)) / double(at_fit.size())) - 1;
  for (int k = 0; k < halvings && low < high; ++k) {
    const double middle = low + (high - low) / 2;
    (mean_bridge_part(at_fit, middle, 1) > mean_bridge_part(at_draws, middle, -1) ? low : high) =
        middle;
  }
  found.value = low + (high - low) / 2;
  std::vector<double> chains(walkers, 0.0), fresh;
  const double clouds = double(at_draws.size() / walkers);
  for (std::size_t n = 0; n < at_draws.size(); ++n)
    chains[n % walkers] += bridge_part(found.value - at_draws[n]) / clouds;
  for (const double l : at_fit)
    fresh.push_back(bridge_part(l - found.value));
  found.overlap = mean_bridge_part(at_fit, found.value, 1);
  found.se = std::sqrt(relative_variance(chains) + relative_variance(fresh));
  return found;
}

LogEvidence mean_of(const LogEvidence& a, const LogEvidence& b) {
  LogEvidence mean;
  mean.value = (a.value + b.value) / 2;
  mean.se = std::max(std::hypot(a.se, b.se), std::abs(a.value - b.value)) / 2;
  mean.overlap = (a.overlap + b.overlap) / 2;
  mean.draws = a.draws + b.draws;
  return mean;
}

} // namespace starling::judge
