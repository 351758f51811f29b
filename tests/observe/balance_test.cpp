// The identities of scores on exact draws, and on clouds that are wrong.
#include <starling/observe/balance.hpp>
#include <starling/random/start.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

using namespace starling;

// Exact draws of the standard normal, times `scale`, plus `shift`; scores of the standard normal.
std::vector<Balance> of_normal(std::size_t count, std::size_t dim, double scale, double shift,
                               std::uint64_t seed = 31) {
  std::vector<double> x(count * dim), s(count * dim);
  start_normal(Rows<double>{x.data(), count, dim}, seed, shift, scale);
  for (std::size_t m = 0; m < x.size(); ++m)
    s[m] = -x[m];
  return balance(Rows<const double>{x.data(), count, dim},
                 Rows<const double>{s.data(), count, dim});
}

// The mean of z^2 over n draws has standard error sqrt(2/n), the mean of z 1/sqrt(n).
TEST(Balance, HoldsOnExactDraws) {
  const double n = 20000;
  for (const Balance& one : of_normal(20000, 5, 1, 0)) {
    EXPECT_NEAR(one.spread, 1, 4 * std::sqrt(2 / n));
    EXPECT_NEAR(one.spread_se, std::sqrt(2 / n), 0.1 * std::sqrt(2 / n));
    EXPECT_NEAR(one.shift, 0, 4 / std::sqrt(n));
    EXPECT_NEAR(one.shift_se, 1 / std::sqrt(n), 0.05 / std::sqrt(n));
    EXPECT_NEAR(one.mean, 0, 4 / std::sqrt(n));
    EXPECT_NEAR(one.sd, 1, 4 * std::sqrt(0.5 / n));
  }
}

TEST(Balance, SpreadIsTheShareOfTheVarianceThatIsLeft) {
  for (const double variance : {0.5, 2.0})
    for (const Balance& one : of_normal(20000, 3, std::sqrt(variance), 0))
      EXPECT_NEAR(one.spread, variance, 4 * variance * std::sqrt(2.0 / 20000));
}

// It is about spread, not place: the same draws elsewhere have the same, and the shift says where.
TEST(Balance, SpreadDoesNotMindWhereTheCloudIsAndShiftDoes) {
  const Balance here = of_normal(20000, 1, 1, 0)[0], there = of_normal(20000, 1, 1, 100)[0];
  EXPECT_NEAR(there.spread, here.spread, 1e-10);
  EXPECT_NEAR(there.shift, here.shift - 100 * here.sd, 1e-9);
}

// Over many clouds the figures scatter as the standard errors say.
TEST(Balance, HasTheStandardErrorsItClaims) {
  const int clouds = 400;
  double shift = 0, spread = 0;
  for (int c = 0; c < clouds; ++c) {
    const Balance one = of_normal(200, 1, 1, 0, 100 + static_cast<std::uint64_t>(c))[0];
    shift += std::pow(one.shift / one.shift_se, 2) / clouds;
    spread += std::pow((one.spread - 1) / one.spread_se, 2) / clouds;
  }
  // squares of standard normals: mean 1, standard error sqrt(2/400) = .07. The spread of 200 draws
  // is skewed and has one degree of freedom less, which adds a tenth.
  EXPECT_NEAR(shift, 1, 4 * std::sqrt(2.0 / clouds));
  EXPECT_NEAR(spread, 1, 4 * std::sqrt(2.0 / clouds) + 0.1);
}

// Rows and columns are taken four at a time, and what is left by itself: against one at a time, as
// the formula has it.
TEST(Balance, IsTheFormulaForAnyNumberOfRowsAndColumns) {
  for (std::size_t count = 1; count <= 13; ++count)
    for (std::size_t dim = 1; dim <= 9; ++dim) {
      std::vector<double> x(count * dim), s(count * dim);
      start_normal(Rows<double>{x.data(), count, dim}, 7, 2, 3);
      start_normal(Rows<double>{s.data(), count, dim}, 8, 1, 1);
      const auto all = balance(Rows<const double>{x.data(), count, dim},
                               Rows<const double>{s.data(), count, dim});
      const auto mean_of = [&](auto&& value) {
        double sum = 0;
        for (std::size_t i = 0; i < count; ++i)
          sum += value(i);
        return sum / static_cast<double>(count);
      };
      for (std::size_t a = 0; a < dim; ++a) {
        const double mean = mean_of([&](std::size_t i) { return x[i * dim + a]; });
        const double square =
            mean_of([&](std::size_t i) { return std::pow(x[i * dim + a] - mean, 2); });
        // Sums of at most 13 numbers below 100, each rounded once.
        EXPECT_NEAR(all[a].mean, mean, 1e-12);
        EXPECT_NEAR(all[a].sd * all[a].sd, square, 1e-12);
        EXPECT_NEAR(all[a].mean_score, mean_of([&](std::size_t i) { return s[i * dim + a]; }),
                    1e-12);
        EXPECT_NEAR(all[a].spread, mean_of([&](std::size_t i) {
                      return -(x[i * dim + a] - mean) * s[i * dim + a];
                    }),
                    1e-12);
      }
    }
}

TEST(Balance, TakesSinglePrecision) {
  const std::vector<float> x{1, 2, 4}, s{0.5F, -1, -0.25F};
  const Balance one =
      balance(Rows<const float>{x.data(), 3, 1}, Rows<const float>{s.data(), 3, 1})[0];
  EXPECT_DOUBLE_EQ(one.mean, 7.0 / 3);
  EXPECT_DOUBLE_EQ(one.mean_score, -0.25);
  // -((1 - 7/3) .5 + (2 - 7/3)(-1) + (4 - 7/3)(-.25)) / 3
  EXPECT_NEAR(one.spread, (4.0 / 6 - 1.0 / 3 + 5.0 / 12) / 3, 1e-15);
}

} // namespace
