// R-hat: the figures of its formula, and what it makes of runs that differ.
#include <starling/judge/rhat.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace starling::judge {
namespace {

using Runs = std::vector<std::vector<double>>;

// Two runs of three: variances 1 and 4, W = 2.5; means 2 and 4, between 2. sqrt(2/3 + 2/2.5).
TEST(RHat, GivesTheNumberOfTheFormula) {
  EXPECT_NEAR(r_hat(Runs{{1, 2, 3}, {2, 4, 6}}), std::sqrt(2.0 / 3 + 0.8), 1e-15);
  // Four of each: variances 5/3 and 5/3, means 2.5 and 12.5.
  EXPECT_NEAR(r_hat(Runs{{1, 2, 3, 4}, {11, 12, 13, 14}}), std::sqrt(0.75 + 50 / (5.0 / 3)), 1e-13);
}

TEST(RHat, OfEqualRunsIsJustBelowOne) {
  EXPECT_NEAR(r_hat(Runs{{1, 2, 3, 4}, {4, 3, 2, 1}}), std::sqrt(0.75), 1e-15);
}

TEST(RHat, LeavesOutWhatIsNoNumberAndNeedsTwoRunsOfTwo) {
  EXPECT_NEAR(r_hat(Runs{{1, NAN, 2, 3}, {2, 4, 6}}), std::sqrt(2.0 / 3 + 0.8), 1e-15);
  EXPECT_TRUE(std::isnan(r_hat(Runs{{1, 2, 3}})));
  EXPECT_TRUE(std::isnan(r_hat(Runs{{1, 2, 3}, {1, NAN}})));
  EXPECT_TRUE(std::isnan(r_hat(Runs{})));
}

} // namespace
} // namespace starling::judge
