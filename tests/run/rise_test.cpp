// A log density against its scores: what fits is let pass, a factor is found.
#include "run/measure.hpp"

#include <starling/random/start.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace starling::run {
namespace {

/// A standard normal whose density is `factor` times what its scores say, in double or single
/// numbers.
AnyTarget<double> slanted(double factor, bool single = false) {
  AnyTarget<double> target;
  target.dim = 3;
  target.evaluate = [=](Rows<const double> x, Rows<double> s, std::span<double> density) {
    for (std::size_t i = 0; i < x.count; ++i) {
      density[i] = 0;
      for (std::size_t a = 0; a < x.dim; ++a) {
        s[i][a] = -x[i][a];
        density[i] -= factor * x[i][a] * x[i][a] / 2;
      }
      if (single)
        density[i] = static_cast<float>(density[i] - 1e6);
    }
  };
  return target;
}

double rise(const AnyTarget<double>& target, std::size_t count = 200) {
  std::vector<double> x(count * target.dim);
  const Rows<double> rows{x.data(), count, target.dim};
  start_normal(rows, 1, 0, 1);
  return rise_by_scores(target, rows);
}

TEST(RiseByScores, FindsTheFactorOfADensityThatIsNotItsOwn) {
  EXPECT_EQ(rise(slanted(1)), 1);
  EXPECT_NEAR(rise(slanted(0.5)), 0.5, 1e-6); // the trapezoid is exact for a normal
  EXPECT_NEAR(rise(slanted(-1)), -1, 1e-6);
  EXPECT_EQ(rise(slanted(1.02)), 1) << "gradients by differences are about as near";
}

TEST(RiseByScores, SaysNothingWhereRoundingOrFewParticlesHideIt) {
  EXPECT_EQ(rise(slanted(0.5, true)), 1); // single numbers near a million are sixteenths apart
  EXPECT_EQ(rise(slanted(0.5), 15), 1);
}

} // namespace
} // namespace starling::run
