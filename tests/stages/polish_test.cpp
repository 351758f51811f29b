// A polish keeps the shape of the draws that it was made from.
#include "stages/densities.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace polish_tests {

using namespace starling;
using namespace starling::stage_tests;

constexpr double correlation = .9999;

/// A normal whose coordinates have sd 1 and all these correlations: hardly more than one factor.
double one_factor(std::span<const double> x, std::span<double> s) {
  const double d = double(x.size()), own = 1 - correlation, all = own + d * correlation;
  double mean = 0;
  for (const double one : x)
    mean += one / d;
  double l = 0;
  for (std::size_t a = 0; a < x.size(); ++a) {
    s[a] = -(x[a] - mean) / own - mean / all;
    l += .5 * x[a] * s[a];
  }
  return l;
}

/// The largest distance of the factor's distribution from that of a normal.
double off(const Frame::Matrix& x) {
  Eigen::VectorXd factor = x.rowwise().mean();
  std::ranges::sort(factor);
  double worst = 0;
  for (Eigen::Index i = 0; i < factor.size(); ++i) {
    const double share = .5 * std::erfc(-factor[i] / std::numbers::sqrt2);
    worst = std::max(worst, std::abs(share - (double(i) + .5) / double(factor.size())));
  }
  return worst;
}

/// After a round of ten moves, whose draws are polished.
double off_when_settled(std::uint64_t seed, std::size_t particles) {
  Settings settings = small(particles);
  settings.seed = seed;
  settings.settle_rounds = 1;
  settings.first_round = 10;
  settings.settle_always = true;
  Group group(each(one_factor), 50, settings);
  to_the_end(group);
  EXPECT_TRUE(group.state().settled);
  return off(group.state().cloud.x);
}

// The pool is worth 800 draws, and so is known to 1 / sqrt(800) = .035; .1 is three times that.
// With means and sds alone to choose by, a polish ends in clumps, and this is .12 to .14.
TEST(Polish, MakesNoClumps) {
  for (const std::uint64_t seed : {5, 9, 14})
    EXPECT_LT(off_when_settled(seed, 256), .1) << seed;
}

// Of many particles shares are counted on some. Without them this is .138 and .151.
TEST(Polish, MakesNoClumpsOfManyParticles) {
  for (const std::uint64_t seed : {3, 4})
    EXPECT_LT(off_when_settled(seed, 2500), .05) << seed;
}

} // namespace polish_tests
