// Whether a log density rises as its scores say: exact moves prove nothing where it does not.
#include "run/measure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace starling::run {

namespace {

constexpr std::size_t tried = 128, enough = 16; // particles
constexpr double stride = 0.01;                 // of the way to the next particle
constexpr double loose =
    0.1; // a gradient by differences, or in single precision, is nearer; a forgotten factor is not

/// Of the numbers that a density was computed in: single ones may come as doubles.
double rounding(std::span<const double> values) {
  const bool single = std::ranges::all_of(
      values, [](double v) { return static_cast<double>(static_cast<float>(v)) == v; });
  return single ? double(std::numeric_limits<float>::epsilon())
                : std::numeric_limits<double>::epsilon();
}

} // namespace

double rise_by_scores(const AnyTarget<double>& target, Rows<const double> x) {
  const std::size_t n = std::min(tried, x.count), d = x.dim;
  if (n < enough)
    return 1;
  std::vector<double> at(2 * n * d), score(2 * n * d),
      density(2 * n); // the particles, then the points beside them
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t a = 0; a < d; ++a) {
      at[i * d + a] = x[i][a];
      at[(n + i) * d + a] = x[i][a] + stride * (x[(i + 1) % n][a] - x[i][a]);
    }
  target.evaluate({at.data(), 2 * n, d}, {score.data(), 2 * n, d}, density);
  const double eps = rounding(density);
  std::vector<double> ratios;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double rise = density[n + i] - density[i];
    double foreseen = 0;
    for (std::size_t a = 0; a < d; ++a)
      foreseen +=
          (at[(n + i) * d + a] - at[i * d + a]) * (score[i * d + a] + score[(n + i) * d + a]) / 2;
    const double size = std::max(std::abs(rise), std::abs(foreseen));
    if (!(size > 1000 * eps * std::max(std::abs(density[i]), std::abs(density[n + i]))) ||
        !std::isfinite(size))
      continue;
    ratios.push_back(rise / foreseen);
    wrong += std::abs(rise - foreseen) > loose * size;
  }
  if (ratios.size() < enough || 2 * wrong < ratios.size())
    return 1;
  std::ranges::nth_element(ratios, ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2));
  return ratios[ratios.size() / 2];
}

} // namespace starling::run
