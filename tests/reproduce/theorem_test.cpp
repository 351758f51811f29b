// The experiment on Theorem 1, quick; its line through logarithms and its distance between laws.
#include "reproduce/measured.hpp"
#include "theorem/fit.hpp"

#include <starling/random/philox.hpp>

#include <cmath>

namespace starling::reproduce {
namespace {

TEST(TheoremExperiment, HoldsAndSeesThatTheBatchMeanDoesNot) {
  const Json report = quick(measure_theorem);
  expect_all_hold(report);
  const Json& data = report.at("data");
  EXPECT_NEAR(data.at("slope").get<double>(), 1, 3 * data.at("slope_error").get<double>());
  // The test of the slope rejects the wrong weights by far.
  const Json& wrong = data.at("negative_control");
  EXPECT_GT(1 - wrong.at("slope").get<double>(), 10 * wrong.at("slope_error").get<double>());
  EXPECT_EQ(data.at("by_p").size(), 5u);
}

TEST(FitLogLog, FindsTheSlopeOfAPowerAndItsError) {
  const std::vector<double> x = {1, 2, 4, 8};
  const Philox philox(3);
  Repeats values(x.size());
  for (std::size_t e = 0; e < x.size(); ++e)
    for (std::size_t r = 0; r < 200; ++r)
      values[e].push_back(3 * std::pow(x[e], 1.5) * (0.5 + uniform(philox(Stream::user, e, r))));
  const Fit fit = fit_log_log(x, values);
  EXPECT_NEAR(fit.slope, 1.5, 4 * fit.slope_error);
  // sd of a factor 1/sqrt(12) over sqrt(200) repeats, four points log 2 apart: error .0132
  EXPECT_NEAR(fit.slope_error, 1 / std::sqrt(12 * 200.0) / (std::log(2.0) * std::sqrt(5.0)), 0.003);
}

TEST(CircleW2, IsTheShiftOfAShiftedSampleAlsoAcrossTheSeam) {
  std::vector<double> x, y;
  for (int i = 0; i < 100; ++i) {
    x.push_back(0.01 * i);
    y.push_back(std::fmod(0.01 * i + 9.7, 10.0)); // 0.3 back, on a circle of length 10
  }
  EXPECT_NEAR(circle_w2(x, y, 10), 0.3, 1e-12);
  EXPECT_NEAR(circle_w2(y, x, 10), 0.3, 1e-12);
  EXPECT_EQ(circle_w2(x, x, 10), 0);
}

/// Every cyclic matching of sorted points, tried out.
double slow_w2(std::vector<double> x, std::vector<double> y, double length) {
  std::ranges::sort(x);
  std::ranges::sort(y);
  double least = 1e300;
  const std::size_t n = x.size();
  for (std::size_t shift = 0; shift < n; ++shift) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i)
      sum += std::pow(std::remainder(x[i] - y[(i + shift) % n], length), 2) / double(n);
    least = std::min(least, sum);
  }
  return std::sqrt(least);
}

TEST(CircleW2, IsTheLeastOverAllCyclicMatchings) {
  const Philox philox(5);
  for (std::size_t trial = 0; trial < 20; ++trial) {
    std::vector<double> x, y;
    for (std::size_t i = 0; i < 30; ++i) { // clouds on either side of the seam
      x.push_back(std::fmod(9 + 2 * uniform(philox(Stream::user, trial, i)), 10));
      y.push_back(std::fmod(8.5 + 3 * uniform(philox(Stream::user, trial, 100 + i)), 10));
    }
    EXPECT_NEAR(circle_w2(x, y, 10), slow_w2(x, y, 10), 1e-12) << "trial " << trial;
  }
}

} // namespace
} // namespace starling::reproduce
