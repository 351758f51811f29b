// Densities that fail: what is counted, what is refused, and what is let be.
#include <starling/error.hpp>
#include <starling/stages/group.hpp>

#include "stages/densities.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace failure_tests {

using namespace starling;
using namespace starling::stage_tests;

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// A standard normal whose gradient is no number beyond `from` in the first parameter.
DensityOfRows cut(double from) {
  return each([from](std::span<const double> x, std::span<double> s) {
    const double l = standard(x, s);
    if (x[0] > from)
      s[0] = no_number;
    return l;
  });
}

TEST(Failures, AreCountedByKind) {
  CountedDensity density(each([](std::span<const double> x, std::span<double> s) {
    s[0] = x[0] > 5 ? no_number : 0;
    return x[0] < 0 ? -INFINITY : x[0] < 1 ? no_number : -x[0];
  }));
  const std::vector<double> x{-1, .5, 2, 9, 7};
  std::vector<double> score(5), log_density(5);
  density({x.data(), 5, 1}, {score.data(), 5, 1}, log_density);
  EXPECT_EQ(density.failures().zero, 1u);
  EXPECT_EQ(density.failures().log_density, 1u);
  EXPECT_EQ(density.failures().score, 2u);
  ASSERT_TRUE(density.failed_score());
  EXPECT_EQ(density.failed_score()->row, 4u); // where the log density is highest
  EXPECT_EQ(density.failed_score()->log_density, -7);
  density({x.data() + 2, 1, 1}, {score.data(), 1, 1}, std::span(log_density).first(1));
  EXPECT_FALSE(density.failed_score()); // of the last call
}

// A sixth of the mass would be cut off, and no particle would stand where it could be seen.
TEST(Failures, OfScoresInsideTheCloudAreRefused) {
  Group group(cut(1), 2, small());
  try {
    to_the_end(group);
    FAIL() << "went on";
  } catch (const TargetError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("the score of parameter 0 is nan"));
  }
}

TEST(Failures, OfScoresFarOutAreLetBe) {
  Group group(cut(6), 2, small());
  EXPECT_NO_THROW(to_the_end(group));
  ASSERT_TRUE(group.certificate());
  EXPECT_EQ(group.certificate()->finding, judge::Finding::confirmed);
}

} // namespace failure_tests
