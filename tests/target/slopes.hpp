// The score of a target against central differences of its own log density.
#pragma once

#include <starling/target/concepts.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace target_tests {

using starling::Rows;

template <typename Real>
struct Evaluated {
  Real log_density;
  std::vector<Real> score;
};

template <typename Real, typename T>
Evaluated<Real> evaluate(T& target, const std::vector<Real>& x) {
  Evaluated<Real> result{0, std::vector<Real>(x.size())};
  target.evaluate(Rows<const Real>{x.data(), 1, x.size()},
                  Rows<Real>{result.score.data(), 1, x.size()},
                  std::span<Real>(&result.log_density, 1));
  return result;
}

/// Steps e and 2e: their difference is three times the truncation error of the first, to leading
/// order. A log density is good to a few eps of `size`, the sum of its terms without their signs.
template <typename Real, typename T>
void expect_score_is_the_slope(T& target, const std::vector<Real>& x, Real size) {
  static_assert(starling::Density<T, Real>);
  const Evaluated<Real> at = evaluate<Real>(target, x);
  Real step = std::cbrt(std::numeric_limits<Real>::epsilon()), largest = 0, worst = 0;
  for (std::size_t a = 0; a < x.size(); ++a) {
    const Real e = step * std::max(Real(1), std::abs(x[a]));
    const auto central = [&](Real width) {
      std::vector<Real> above = x, below = x;
      above[a] += width;
      below[a] -= width;
      return (evaluate<Real>(target, above).log_density -
              evaluate<Real>(target, below).log_density) /
             (above[a] - below[a]);
    };
    const Real near = central(e), far = central(2 * e);
    const Real doubt = std::abs(far - near) + 16 * std::numeric_limits<Real>::epsilon() * size / e;
    EXPECT_NEAR(at.score[a], near, doubt) << "coordinate " << a;
    largest = std::max(largest, std::abs(at.score[a]));
    worst = std::max(worst, doubt);
  }
  EXPECT_LT(worst, std::max(largest, Real(1)) / 4) << "the bound is too wide to say anything";
  std::vector<Real> score(x.size()); // without the density: the same score
  target(0, Rows<const Real>{x.data(), 1, x.size()}, Rows<Real>{score.data(), 1, x.size()});
  for (std::size_t a = 0; a < x.size(); ++a)
    EXPECT_NEAR(score[a], at.score[a],
                64 * std::numeric_limits<Real>::epsilon() * (largest + size));
}

/// Particles at -10, 1e3, -1e3, and with coordinates of both signs, have a score that is a number.
template <typename Real, typename T>
void expect_finite_scores_far_away(T& target) {
  const std::size_t dim = target.dim();
  std::vector<Real> x;
  for (const Real value : {Real(-10), Real(1e3), Real(-1e3)})
    x.insert(x.end(), dim, value);
  for (std::size_t a = 0; a < 2 * dim; ++a)
    x.push_back((a + a / dim) % 2 ? Real(1e3) : Real(-1e3)); // both ways round
  std::vector<Real> score(x.size(), std::numeric_limits<Real>::quiet_NaN());
  target(0, Rows<const Real>{x.data(), 5, dim}, Rows<Real>{score.data(), 5, dim});
  for (std::size_t n = 0; n < score.size(); ++n)
    EXPECT_TRUE(std::isfinite(score[n])) << "row " << n / dim << ", coordinate " << n % dim;
}

} // namespace target_tests
