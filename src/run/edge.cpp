// Where a density ends at a step, as one that is cut does.
#include "run/measure.hpp"

#include <algorithm>
#include <cmath>

namespace starling::run {

namespace {

constexpr std::size_t asked_particles = 64;
constexpr double along[] = {0.125, 0.25, 0.5, 1, 2}; // in sds, both ways
constexpr double at_a_step = 0.125;                  // of the particles

} // namespace

bool ends_at_a_step(const AnyTarget<double>& target, Rows<const double> x,
                    std::span<const double> log_density, std::size_t parameter) {
  constexpr std::size_t far = std::size(along), each = 2 * far;
  const std::size_t n = std::min(asked_particles, x.count), d = x.dim;
  double mean = 0, square = 0;
  for (std::size_t i = 0; i < x.count; ++i)
    mean += x[i][parameter] / double(x.count);
  for (std::size_t i = 0; i < x.count; ++i)
    square += std::pow(x[i][parameter] - mean, 2) / double(x.count);
  std::vector<double> high(log_density.begin(), log_density.end());
  std::ranges::nth_element(high, high.begin() + std::ptrdiff_t(high.size() / 4));
  const double as_high = high[high.size() / 4];

  std::vector<double> at(n * each * d), score(at.size()), height(n * each);
  for (std::size_t k = 0; k < n * each; ++k) {
    const std::size_t from = k / each * x.count / n;
    std::ranges::copy(x[from], at.begin() + std::ptrdiff_t(k * d));
    const double sign = k % each < far ? 1 : -1;
    at[k * d + parameter] += sign * along[k % far] * std::sqrt(square);
  }
  target.evaluate({at.data(), n * each, d}, {score.data(), n * each, d}, height);
  std::size_t steps = 0;
  for (std::size_t i = 0; i < n; ++i) {
    bool ends = false;
    for (std::size_t way = 0; way < 2; ++way) {
      double before = log_density[i * x.count / n];
      for (std::size_t k = 0; k < far && before >= as_high; ++k) {
        const double here = height[i * each + way * far + k];
        ends = ends || here == -INFINITY;
        before = here;
      }
    }
    steps += ends;
  }
  return double(steps) >= at_a_step * double(n);
}

} // namespace starling::run
