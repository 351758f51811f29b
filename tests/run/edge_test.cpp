// Densities that end at a step, and those that fall to zero where they end.
#include "run/measure.hpp"

#include <starling/random/start.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace starling::run {
namespace {

/// A normal in two dimensions, whose first parameter is above 0 times x^power.
AnyTarget<double> above_zero(double power) {
  AnyTarget<double> target;
  target.dim = 2;
  target.evaluate = [=](Rows<const double> x, Rows<double> s, std::span<double> density) {
    for (std::size_t i = 0; i < x.count; ++i) {
      const bool inside = x[i][0] > 0;
      s[i][0] = inside ? power / x[i][0] - x[i][0] : 0;
      s[i][1] = -x[i][1];
      density[i] = -(x[i][0] * x[i][0] + x[i][1] * x[i][1]) / 2;
      density[i] += inside ? power * std::log(x[i][0]) : -INFINITY;
    }
  };
  return target;
}

TEST(EndsAtAStep, OnlyWhereTheDensityIsHighAtItsEnd) {
  std::vector<double> x(400), score(400), height(200);
  const Rows<double> rows{x.data(), 200, 2};
  start_normal(rows, 1, 0, 1);
  for (std::size_t i = 0; i < rows.count; ++i)
    rows[i][0] = std::abs(rows[i][0]);
  const AnyTarget<double> cut = above_zero(0);
  cut.evaluate(rows, {score.data(), 200, 2}, height);
  EXPECT_TRUE(ends_at_a_step(cut, rows, height, 0));
  EXPECT_FALSE(ends_at_a_step(cut, rows, height, 1));

  for (std::size_t i = 0; i < rows.count; ++i)
    rows[i][0] = 2.83 + .7 * (rows[i][0] - .8) / .6;
  const AnyTarget<double> falls = above_zero(8);
  falls.evaluate(rows, {score.data(), 200, 2}, height);
  EXPECT_FALSE(ends_at_a_step(falls, rows, height, 0));
}

} // namespace
} // namespace starling::run
