// What a run in stages says of a density that has no top.
#include <starling/run/staged.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace growth_tests {

using namespace starling;
using testing::HasSubstr;

/// log pi = slope |x_0| - x_1^2 / 2, or for slope 0 a normal; beyond `wall` the target throws.
run::Outcome outcome_of(double slope, double wall) {
  run::Staged staged;
  staged.target.dim = 2;
  staged.target.names = {"a", "b"};
  staged.target.evaluate = [=](Rows<const double> x, Rows<double> s, std::span<double> l) {
    for (std::size_t i = 0; i < x.count; ++i) {
      if (std::abs(x[i][0]) > wall)
        throw std::runtime_error("too far");
      s[i][0] = slope == 0 ? -x[i][0] : std::copysign(slope, x[i][0]);
      s[i][1] = -x[i][1];
      l[i] = (slope == 0 ? -.5 * x[i][0] * x[i][0] : slope * std::abs(x[i][0])) -
             .5 * x[i][1] * x[i][1];
    }
  };
  staged.start = [](Rows<double> x) { // no cloud of either density
    for (std::size_t i = 0; i < x.count; ++i)
      for (std::size_t a = 0; a < 2; ++a)
        x[i][a] = std::sin(double(3 * i + a));
  };
  staged.stages.particles = 64;
  staged.stages.starts = 0;
  staged.stages.steps = 0;
  staged.stages.settle_rounds = 0;
  run::Settings settings;
  settings.particles = 64;
  const auto flight = run::begin(std::move(staged), settings);
  flight->take(1'000'000, {});
  return flight->outcome(true);
}

TEST(Growth, IsNamedWithItsParameter) {
  const run::Outcome grows = outcome_of(1, INFINITY);
  EXPECT_EQ(grows.diagnosis.judgement.verdict, judge::Verdict::diverged);
  EXPECT_THAT(judge::sentence(grows.diagnosis.judgement),
              HasSubstr("the log density grows without bound along a: check its sign"));
  const run::Outcome normal = outcome_of(0, INFINITY); // its cloud is too narrow
  EXPECT_NE(normal.diagnosis.judgement.verdict, judge::Verdict::diverged);
  EXPECT_NE(normal.diagnosis.judgement.verdict, judge::Verdict::converged);
}

// Far out a target may fail in its own way, which is no failure of the run.
TEST(Growth, IsNotLookedForWhereTheTargetThrows) {
  const run::Outcome normal = outcome_of(0, 1e4);
  EXPECT_FALSE(normal.failure);
  EXPECT_NE(normal.diagnosis.judgement.verdict, judge::Verdict::diverged);
}

} // namespace growth_tests
