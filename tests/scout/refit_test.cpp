// Normals that the scout fits again, to draws and their scores, near a pole of the density.
#include "support/density_of.hpp"

#include <starling/scout/candidates.hpp>
#include <starling/scout/scout.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace refit_tests {

using namespace starling;
using namespace starling::scout;
using support::density_of;

// Normals three times too narrow in one half of the coordinates and too wide in the other, .5 sd
// beside the middle: 64 draws and their scores tell what is right, in a frame of any rank. A frame
// whose draws mostly fail is left out.
TEST(Refit, FindsTheNormalThatScoresSpeakOf) {
  constexpr Eigen::Index d = 40;
  CountedDensity density = density_of([](std::span<const double> x, std::span<double> s) {
    double l = 0;
    for (std::size_t a = 0; a < x.size(); ++a) {
      s[a] = 3 - x[a];
      l -= .5 * s[a] * s[a] + .5 * std::log(2 * std::numbers::pi);
    }
    return x[0] > 100 ? std::numeric_limits<double>::quiet_NaN() : l;
  });
  Frame::Vector width = Frame::Vector::Constant(d, 3), mean = Frame::Vector::Constant(d, 3.5);
  width.head(d / 2).array() = 1.0 / 3;
  const Frame crude = Frame::diagonal(mean, width);
  mean[0] = 100.2; // three of four draws fail
  const Frame fails = Frame::diagonal(mean, width);
  const std::vector<Frame> frames{crude.densely(), fails.densely(), crude.with_few()};
  const std::vector<Frame> better = refitted(frames, 64, density, Philox(1), 7);
  ASSERT_EQ(better.size(), 2u);
  EXPECT_EQ(density.gradients(), 3 * 64u);
  EXPECT_EQ(better[0].form(), Frame::Form::dense);
  EXPECT_EQ(better[1].form(), Frame::Form::low_rank);
  EXPECT_LT(elbo({crude}, 100, density, Philox(1), 8)[0], -60);
  for (const Frame& frame : better) {
    EXPECT_GT(elbo({frame}, 100, density, Philox(1), 8)[0], -2);
    EXPECT_LT((frame.mean().array() - 3).abs().maxCoeff(), .3);
  }
  EXPECT_TRUE(refitted({}, 64, density, Philox(1), 7).empty());
}

// 80 groups with errors of .3 and a tau of .4, about which the data know more: its logarithm has an
// sd of .1. Normals as Pathfinder finds them are so poor in 82 dimensions that the one with the
// highest ELBO may be anywhere in the neck.
double long_neck(std::span<const double> x, std::span<double> s) {
  constexpr std::size_t groups = 80;
  const double mu = x[0], inverse = std::exp(-x[1]), tau = std::exp(x[1]);
  double l = -mu * mu / 50 - .5 * tau * tau + x[1] * (1 - double(groups));
  s[0] = -mu / 25;
  s[1] = 1 - double(groups) - tau * tau;
  for (std::size_t j = 0; j < groups; ++j) {
    const double measured = .5 * std::sqrt(2.0) * std::sin(double(7 * j + 1));
    const double z = (x[2 + j] - mu) * inverse, error = (measured - x[2 + j]) / .3;
    l -= .5 * (z * z + error * error);
    s[0] += z * inverse;
    s[1] += z * z;
    s[2 + j] = error / .3 - z * inverse;
  }
  return std::isfinite(l + s[0] + s[1]) ? l : -std::numeric_limits<double>::infinity();
}

TEST(Refit, FindsTheScaleOfManyGroups) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CountedDensity density = density_of(long_neck);
    const Report report = scout::scout(density, 82, seed);
    EXPECT_TRUE(report.by_pathfinder);
    EXPECT_NEAR(report.frame.mean()[1], std::log(.4), .5) << seed;
    EXPECT_GT(report.elbo, -16) << seed;
  }
}

} // namespace refit_tests
