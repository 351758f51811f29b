// Tests of densities without a top: said where there is none, and not of densities that are right.
#include <starling/judge/unbounded.hpp>
#include <starling/judge/verdict.hpp>

#include <starling/random/start.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

namespace starling::judge {
namespace {

using One = double (*)(std::span<const double>);

/// What is found around a cloud of 64 whose first parameter has this place and width, the others 0
/// and 1.
std::string found(One log_density, double place = 0, double width = 1) {
  constexpr std::size_t count = 64, dim = 3;
  std::vector<double> at(count * dim), slope(count * dim);
  const Rows<double> x{at.data(), count, dim}, s{slope.data(), count, dim};
  start_normal(x, 1, 0, 1);
  for (std::size_t i = 0; i < count; ++i)
    x[i][0] = place + width * x[i][0];
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t a = 0; a < dim; ++a) {
      std::vector<double> up(x[i].begin(), x[i].end()), down = up;
      const double by = 1e-4 * (a == 0 ? width : 1);
      up[a] += by;
      down[a] -= by;
      s[i][a] = (log_density(up) - log_density(down)) / (2 * by);
    }
  const auto way =
      unbounded_along(x, s, [&](Rows<const double> places, Rows<double>, auto heights) {
        for (std::size_t i = 0; i < places.count; ++i)
          heights[i] = log_density(places[i]);
      });
  const std::array<std::string, 3> names = {"a", "b", "c"};
  return way ? sentence(
                   {Verdict::diverged, evidence::GrowsAlong{names[way->parameter], way->grows}})
             : "nothing";
}

double rest(std::span<const double> x) { return -.5 * (x[1] * x[1] + x[2] * x[2]); }

TEST(Unbounded, IsSaidOfWhatGrowsInOneDirection) {
  const std::string grows = "the log density grows without bound along a: check its sign and that "
                            "the posterior is proper";
  EXPECT_EQ(found([](auto x) { return .5 * x[0] * x[0] + rest(x); }), grows);
  EXPECT_EQ(found([](auto x) { return .5 * x[0] * x[0] + rest(x); }, -2e154, 1e139), grows);
  EXPECT_EQ(found([](auto x) { return x[0] + rest(x); }, 1e20, 1e8), grows);
  EXPECT_EQ(found([](auto x) { return std::exp(x[0]) + rest(x); }, 300, 100), grows);
  EXPECT_EQ(found([](auto x) { return std::log(1 + x[0] * x[0]) + rest(x); }, 1e25, 1e24), grows);
  EXPECT_NE(found(
                [](auto x) {
                  return .5 * std::pow(x[0] - x[1], 2) - .5 * std::pow(x[0] + x[1], 2) -
                         x[2] * x[2];
                },
                1e6, 10),
            "nothing")
      << "aslant";
}

TEST(Unbounded, IsSaidOfWhatDoesNotFall) {
  EXPECT_EQ(found([](auto x) { return rest(x); }),
            "the log density does not fall along a: check that the posterior is proper");
}

TEST(Unbounded, IsNotSaidOfDensitiesThatCanBeNormalised) {
  EXPECT_EQ(found([](auto x) { return -.5 * x[0] * x[0] + rest(x); }), "nothing");
  EXPECT_EQ(found([](auto x) { return -.5 * x[0] * x[0] + rest(x); }, 1000, 1), "nothing")
      << "far away";
  EXPECT_EQ(found([](auto x) { return -.5 * x[0] * x[0] + rest(x); }, 0, 1e-6), "nothing")
      << "collapsed";
  EXPECT_EQ(found([](auto x) { return -std::log(1 + x[0] * x[0]) + rest(x); }), "nothing")
      << "Cauchy";
  EXPECT_EQ(found([](auto x) { return x[0] - std::exp(x[0]) + rest(x); }), "nothing")
      << "a log scale";
  // As where squares of e^x are divided by each other: it falls, and then is no number.
  for (const double width : {1.0, 3.0})
    EXPECT_EQ(found([](auto x) { return x[0] > 25 ? INFINITY : -std::exp(x[0]) + x[0] + rest(x); },
                    -1, width),
              "nothing")
        << width;
  EXPECT_EQ(found([](auto x) { return x[0] < 0 || x[0] > 9 ? -INFINITY : rest(x); }, 4), "nothing")
      << "uniform";
  EXPECT_EQ(found([](auto x) {
              return -x[0] * x[0] / 18 - x[0] - .5 * std::exp(-x[0]) * (x[1] * x[1] + x[2] * x[2]);
            }),
            "nothing")
      << "a funnel";
  EXPECT_EQ(found([](auto x) { return std::abs(x[0]) > 5 ? NAN : rest(x) - x[0] * x[0]; }),
            "nothing")
      << "no number far out";
}

} // namespace
} // namespace starling::judge
