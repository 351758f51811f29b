// How far particles on the line are from the paper's mixture, exactly: Wasserstein distances.
#include "distance.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace starling::reproduce {
namespace {

constexpr double weights[2] = {1.0 / 3, 2.0 / 3}, means[2] = {-2, 2};
constexpr double far = 40; // the normal density and its tail vanish there

double bell(double z) { return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi); }

/// int y^k pi(y) dy from -infinity to b, k = 0, 1, 2; with z = b - m, in each component
/// Phi(z), m Phi(z) - phi(z), (m^2 + 1) Phi(z) - (b + m) phi(z).
struct Moments {
  double zeroth = 0, first = 0, second = 0;
};

Moments moments_below(double b) {
  Moments sum;
  for (int c = 0; c < 2; ++c) {
    const double m = means[c], phi = bell(b - m),
                 cdf = std::erfc(-(b - m) / std::numbers::sqrt2) / 2;
    sum.zeroth += weights[c] * cdf;
    sum.first += weights[c] * (m * cdf - phi);
    sum.second += weights[c] * ((m * m + 1) * cdf - (b + m) * phi);
  }
  return sum;
}

} // namespace

double mixture_density(double x) {
  return weights[0] * bell(x - means[0]) + weights[1] * bell(x - means[1]);
}

double mixture_cdf(double x) { return moments_below(x).zeroth; }

double mixture_quantile(double u) {
  double low = -far, high = far;
  for (int halving = 0; halving < 64; ++halving) { // down to the last bit
    const double middle = (low + high) / 2;
    (mixture_cdf(middle) < u ? low : high) = middle;
  }
  return (low + high) / 2;
}

DistanceToMixture::DistanceToMixture(std::size_t particles) : bounds_(particles + 1) {
  bounds_.front() = -far;
  for (std::size_t i = 1; i < particles; ++i)
    bounds_[i] = mixture_quantile(static_cast<double>(i) / static_cast<double>(particles));
  bounds_.back() = far;
}

Distances DistanceToMixture::operator()(std::span<const double> x) const {
  std::vector<double> sorted(x.begin(), x.end());
  std::ranges::sort(sorted);
  double w1 = 0, square = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double at = sorted[i];
    const Moments a = moments_below(bounds_[i]), b = moments_below(bounds_[i + 1]);
    const Moments c = moments_below(std::clamp(at, bounds_[i], bounds_[i + 1]));
    // int_a^c (x - y) pi dy + int_c^b (y - x) pi dy
    w1 += at * (c.zeroth - a.zeroth) - (c.first - a.first) + (b.first - c.first) -
          at * (b.zeroth - c.zeroth);
    // int_a^b (x - y)^2 pi dy
    square +=
        at * at * (b.zeroth - a.zeroth) - 2 * at * (b.first - a.first) + (b.second - a.second);
  }
  return {w1, std::sqrt(std::max(0.0, square))};
}

} // namespace starling::reproduce
