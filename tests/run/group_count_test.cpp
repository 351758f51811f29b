// Groups are looked for at the end of a raw run where that is cheap against the run, and not where
// it is dear.
#include "run/cloud.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

namespace starling::run {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Two normals at +-6, half each; counts the places it was asked about.
Roles<double> two_modes(std::shared_ptr<std::atomic<std::size_t>> asked) {
  auto target = lift<double>(2, [asked](std::span<const double> x, std::span<double> score) {
    ++*asked;
    const double centre = x[0] > 0 ? 6 : -6, off = x[0] - centre;
    score[0] = -off;
    score[1] = -x[1];
    return -(off * off + x[1] * x[1]) / 2;
  });
  return roles_of<double>(target, Shuffle(1, 8), PairwiseDrift<double, Kernel>(Kernel(0.35)),
                          ExplicitStep<double, ConstantStep<double>>(ConstantStep<double>(0.05)));
}

/// A start with half of the particles around each mode.
void at_both(Rows<double> x) {
  start_normal(x, 3, 0, 1);
  for (std::size_t i = 0; i < x.count; ++i)
    x[i][0] += i % 2 == 0 ? 6 : -6;
}

struct End {
  Outcome outcome;
  double share; // of the run's own gradients that the end took
};

End end_of(std::size_t particles, Step steps, double step_share = 1) {
  const auto asked = std::make_shared<std::atomic<std::size_t>>(0);
  Roles<double> roles = two_modes(asked);
  roles.target.step_share = step_share;
  const auto flight = begin<double>(std::move(roles), settings(particles, steps), at_both);
  flight->take(steps, {});
  const std::size_t during = *asked;
  Outcome o = flight->outcome(true);
  return {std::move(o), (double(*asked - during) - double(particles)) /
                            double(during)}; // every particle once more, at its end
}

TEST(GroupCount, IsMadeWhereItTakesATwentiethOfTheRun) {
  const End end = end_of(200, 500);
  EXPECT_EQ(end.outcome.groups.size(), 2u);
  EXPECT_GT(end.share, 0);
  EXPECT_LE(end.share, .05);
  EXPECT_THAT(judge::sentence(end.outcome.diagnosis.judgement), Not(HasSubstr("not searched")));
}

TEST(GroupCount, IsLeftOutAndThatIsSaidWhereItWouldTakeMore) {
  const End end = end_of(20, 50);
  EXPECT_TRUE(end.outcome.groups.empty());
  EXPECT_LE(end.share, .05);
  EXPECT_THAT(judge::sentence(end.outcome.diagnosis.judgement),
              HasSubstr("other modes were not searched"));
}

/// A step that reads a thousandth of the data costs a thousandth of a gradient of all of it.
TEST(GroupCount, IsHeldAgainstWhatMiniBatchesRead) {
  const End end = end_of(200, 500, .001);
  EXPECT_TRUE(end.outcome.groups.empty());
  EXPECT_LE(end.share, .05 * .001);
  EXPECT_THAT(judge::sentence(end.outcome.diagnosis.judgement),
              HasSubstr("other modes were not searched"));
}

} // namespace
} // namespace starling::run
