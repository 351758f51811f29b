// The gradient of a kernel by central differences of its own weight, with a bound on the error.
#pragma once

#include <starling/kernel/concepts.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace kernel_tests {

template <typename Real>
using Point = std::array<Real, 3>;

template <typename Real, typename K>
starling::PairWeights<Real> between(const K& kernel, const Point<Real>& x, const Point<Real>& y) {
  Real r2 = 0, product = 0;
  for (std::size_t a = 0; a < x.size(); ++a) {
    r2 += (x[a] - y[a]) * (x[a] - y[a]);
    product += x[a] * y[a];
  }
  return starling::pair_weights<Real>(kernel, r2, product);
}

template <typename Real>
struct Slope {
  Real value, doubt;
};

/// dK/dy_a by central differences with steps e and 2e. The truncation error of the first is a third
/// of their difference to leading order, so the whole difference bounds it. A weight is good to a
/// few eps of itself, plus what the rounding of r2 and x.y does to it.
template <typename Real, typename K>
Slope<Real> slope(const K& kernel, const Point<Real>& x, const Point<Real>& y, std::size_t a,
                  Real e) {
  const auto central = [&](Real width) {
    Point<Real> above = y, below = y;
    above[a] += width;
    below[a] -= width;
    return (between<Real>(kernel, x, above).weight - between<Real>(kernel, x, below).weight) /
           (above[a] - below[a]);
  };
  const Real near = central(e), far = central(2 * e);
  const auto w = between<Real>(kernel, x, y);
  Real r2 = 0, lengths = 0;
  for (std::size_t b = 0; b < x.size(); ++b) {
    r2 += (x[b] - y[b]) * (x[b] - y[b]);
    lengths += std::abs(x[b] * y[b]);
  }
  const Real rounding =
      4 * std::numeric_limits<Real>::epsilon() *
      (std::abs(w.weight) + r2 * std::abs(w.repulsion) + lengths * std::abs(w.lift));
  return {near, std::abs(far - near) + 2 * rounding / e};
}

/// grad_y K = repulsion (x - y) + lift x at distance r, in three dimensions. `share` bounds the
/// kernel's own relative error in the gradient, for one that is interpolated.
template <typename Real, typename K>
void expect_gradient(const K& kernel, Real r, Real share = 0) {
  const Point<Real> y{Real(0.3), Real(-0.2), Real(0.5)};
  const Point<Real> x{y[0] + r * Real(0.6), y[1] - r * Real(0.48), y[2] + r * Real(0.64)};
  const auto w = between<Real>(kernel, x, y);
  const Real e = std::cbrt(std::numeric_limits<Real>::epsilon()) * std::min(r, Real(1));
  Real size = 0, worst_doubt = 0;
  for (std::size_t a = 0; a < x.size(); ++a) {
    const Slope<Real> found = slope<Real>(kernel, x, y, a, e);
    const Real said = w.repulsion * (x[a] - y[a]) + w.lift * x[a];
    EXPECT_NEAR(said, found.value, found.doubt + share * std::abs(said))
        << "r = " << r << ", coordinate " << a;
    size = std::max(size, std::abs(said));
    worst_doubt = std::max(worst_doubt, found.doubt);
  }
  // The bound must be able to see a wrong factor, or the comparison says nothing.
  if (size > std::abs(w.weight) * Real(1e-2)) {
    EXPECT_LT(worst_doubt, size / 4) << "r = " << r;
  }
}

template <template <typename> class K, typename... Arguments>
void expect_gradients(Arguments... arguments) {
  for (const double r : {1e-3, 0.01, 0.1, 0.5, 1.0, 1.7, 3.0, 6.0}) {
    expect_gradient<double>(K<double>(static_cast<double>(arguments)...), r);
    if (r >= 0.1)
      expect_gradient<float>(K<float>(static_cast<float>(arguments)...), static_cast<float>(r));
  }
}

/// -2 f'(0) from K(0) - K(e): the repulsion at distance zero. Off by no more than `curve` times e.
template <typename K>
void expect_repulsion_at_zero(const K& kernel, double curve) {
  const double e = 1e-4, top = kernel.at_distance(0.0).weight;
  const double found = 2 * (top - kernel.at_distance(e * e).weight) / (e * e);
  const double rounding = 8 * std::numeric_limits<double>::epsilon() * top / (e * e);
  EXPECT_NEAR(kernel.at_distance(0.0).repulsion, found, curve * e + rounding);
  EXPECT_GT(kernel.at_distance(0.0).repulsion, 10 * (curve * e + rounding)); // it can fail
}

/// The float kernel says what the double one says, to a few of its own eps.
template <template <typename> class K, typename... Arguments>
void expect_same_in_float(double share, Arguments... arguments) {
  const K<double> wide(static_cast<double>(arguments)...);
  const K<float> narrow(static_cast<float>(arguments)...);
  for (const float r : {0.125f, 0.5f, 1.0f, 2.0f, 4.0f}) { // squares without rounding
    const auto d = wide.at_distance(static_cast<double>(r) * r);
    const auto f = narrow.at_distance(r * r);
    EXPECT_NEAR(f.weight, d.weight, share * std::abs(d.weight)) << "r = " << r;
    EXPECT_NEAR(f.repulsion, d.repulsion, share * std::abs(d.repulsion)) << "r = " << r;
    EXPECT_EQ(f.lift, 0.0f);
  }
}

/// Far away everything is still a number.
template <typename Real, typename K>
void expect_finite_far_away(const K& kernel) {
  for (const Real r : {Real(30), Real(1e3)}) {
    const auto w = kernel.at_distance(r * r);
    EXPECT_TRUE(std::isfinite(w.weight)) << "r = " << r;
    EXPECT_TRUE(std::isfinite(w.repulsion)) << "r = " << r;
    EXPECT_LT(std::abs(w.weight), kernel.at_distance(Real(1)).weight) << "r = " << r;
  }
}

} // namespace kernel_tests
