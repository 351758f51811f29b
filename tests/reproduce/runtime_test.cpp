// The experiments on time, quick: every size is there; and what is said of times, which are given
// by hand.
#include "reproduce/measured.hpp"
#include "runtime_table.hpp"

namespace starling::reproduce {
namespace {

// What a busy machine cannot turn round.
TEST(RuntimeExperiment, TimesEveryBatchSizeAndSvgdOnTheMixture) {
  const Json report = quick(measure_mixture_runtime);
  claim(report, "larger than in MATLAB");
  const Json& sizes = report.at("data").at("sizes");
  ASSERT_EQ(sizes.size(), 9u);
  EXPECT_EQ(sizes.front().at("p"), 2);
  EXPECT_EQ(sizes.back().at("label"), "SVGD");
  for (const Json& row : sizes)
    EXPECT_GT(row.at("seconds").get<double>(), 0);
  EXPECT_NEAR(sizes.front().at("paper_speedup").get<double>(), 13.3, 0.05);
}

TEST(RuntimeExperiment, RunsOnMadeUpRowsWhereCovertypeIsNotAtHand) {
  const Json report = quick(measure_logistic_runtime);
  EXPECT_GT(report.at("data").at("sizes").front().at("speedup").get<double>(), 0); // of pairs
  EXPECT_EQ(report.at("data").at("sizes").size(), 8u);
  EXPECT_EQ(report.at("settings").at("data"), "made up, in the shape of Covertype");
}

/// Two batch sizes with times by hand.
Json report_of(double two_seconds) {
  const RuntimePlan plan{"x", "Table", "data", 1, 1, 10, 10, 10, 1, {{2, 1}, {4, 2}}, 8};
  return runtime_report(plan, 8,
                        {{2, "p=2", {two_seconds, 0, 1, two_seconds - 2, 1}, 1},
                         {4, "p=4", {5, 0, 1, 3, 1}, 2},
                         {8, "SVGD, fixed h", {10, 0, 1, 8, 1}, 0},
                         {8, "SVGD", {30, 0, 1, 28, 1}, 8}});
}

TEST(RuntimeReport, ComparesWithBothKindsOfSvgd) {
  const Json report = report_of(3);
  const Json& two = report.at("data").at("sizes").at(0);
  EXPECT_DOUBLE_EQ(two.at("seconds"), 30);
  EXPECT_DOUBLE_EQ(two.at("speedup"), 10);
  EXPECT_DOUBLE_EQ(two.at("speedup_fixed"), 10.0 / 3);
  EXPECT_DOUBLE_EQ(two.at("ideal"), 4);
  EXPECT_DOUBLE_EQ(two.at("paper_speedup"), 8);
  EXPECT_DOUBLE_EQ(two.at("overhead"), 3.0 / (2 + 8 / 4));
  expect_all_hold(report);
}

TEST(RuntimeReport, SaysSoWhenBatchesAreSlowerOrFarFromTheBest) {
  const Json report = report_of(12);
  for (const Json& one : report.at("claims"))
    EXPECT_EQ(one.at("verdict"), "differs") << one.dump(2);
}

} // namespace
} // namespace starling::reproduce
