// The experiments on the mixture: runs they share, shapes of their data, and claims that must not
// fail.
#include "mixture_runs.hpp"

#include "measured.hpp"

#include <starling/deal/draw.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace starling::reproduce {
namespace {

TEST(MixtureRuns, StartAtTheSamePlacesWhateverTheBatches) {
  std::vector<std::vector<double>> starts;
  for (const std::size_t p : {2, 5, 20}) {
    run_mixture(MixtureSetting{20, 2}, 7, mixture_dealer(3, p, 20), 1,
                [&](Step done, std::span<const double> x) {
                  if (done == 0)
                    starts.emplace_back(x.begin(), x.end());
                });
  }
  EXPECT_EQ(starts[0], starts[1]);
  EXPECT_EQ(starts[0], starts[2]);
}

TEST(MixtureRuns, LookAtTheStartAndAfterEveryStep) {
  std::vector<Step> seen;
  run_mixture(MixtureSetting{8, 0}, 1, mixture_dealer(1, 8, 8), 3,
              [&](Step done, std::span<const double>) { seen.push_back(done); });
  EXPECT_EQ(seen, (std::vector<Step>{0, 1, 2, 3}));
}

TEST(MixtureRuns, GiveTheSameErrorsForAnyNumberOfThreads) {
  const auto errors = [](std::size_t count) {
    Threads threads(count);
    return mixture_errors(threads, 5, MixtureSetting{16, 0.35}, 20,
                          [](std::uint64_t seed) { return MixtureDealer(Draw(seed, 4)); });
  };
  EXPECT_EQ(errors(1), errors(3));
}

TEST(SquaredErrors, VanishAtTheTruthAndNotBesideIt) {
  const Figures squares = squared_errors(std::vector<double>{0.5, 1.5}); // mean 1, of squares 1.25
  EXPECT_NEAR(squares[0], std::pow(1 - 2.0 / 3, 2), 1e-15);
  EXPECT_NEAR(squares[1], std::pow(1.25 - 5, 2), 1e-13);
  EXPECT_NEAR(squares[2],
              std::pow((std::cos(1.0) + std::cos(3.0)) / 2 - std::cos(4.0) * std::exp(-2.0), 2),
              1e-15);
}

TEST(Means, AndPairedDifferencesHaveTheirStandardErrors) {
  const Mean mean = mean_of(std::vector<double>{1, 2, 3, 6});
  EXPECT_DOUBLE_EQ(mean.value, 3);
  EXPECT_DOUBLE_EQ(mean.error, std::sqrt(14.0 / 3 / 4));
  const Squares a = {{1, 0, 0}, {2, 0, 0}, {30, 0, 0}}, b = {{0, 0, 0}, {1, 0, 0}, {29, 0, 0}};
  EXPECT_DOUBLE_EQ(paired_difference(a, b, 0).value, 1);
  EXPECT_DOUBLE_EQ(paired_difference(a, b, 0).error, 0); // what they share cancels
}

TEST(MixtureDensity, HasARowPerMethodAndNoClaimThatFails) {
  const Json report = quick(measure_mixture_density);
  const Json& data = report.at("data");
  ASSERT_EQ(data.at("rows").size(), 5u);
  for (const Json& row : data["rows"]) {
    EXPECT_EQ(row.at("density").size(), data.at("steps").size());
    EXPECT_EQ(row.at("density")[0].size(), data.at("grid").size());
    EXPECT_EQ(row.at("particles")[0], data["rows"][0]["particles"][0]); // all from one start
    EXPECT_LT(row.at("w1").back().get<double>(), row.at("w1")[0].get<double>() / 10);
  }
  EXPECT_NE(verdict_on_all(report["claims"]), "differs");
  EXPECT_EQ(claim(report, "far better than SVGD at step 50").at("verdict"), "holds");
}

TEST(GrowingBatch, PaysForEveryPairAndIsWorthIt) {
  const Json report = quick(measure_growing_batch);
  const Json& schedules = report.at("data").at("schedules");
  EXPECT_EQ(schedules[0].at("points").back().at("pairs"), 500);      // p = 2: one other, 500 steps
  EXPECT_EQ(schedules[2].at("points").back().at("pairs"), 31 * 500); // p = 32
  EXPECT_EQ(schedules[3].at("points").back().at("pairs"), 100 * (1 + 3 + 7 + 15 + 31));
  expect_all_hold(report);
}

} // namespace
} // namespace starling::reproduce
