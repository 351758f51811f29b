// The spread identity and the Stein discrepancy on exact draws, and on clouds that are wrong.
#include <starling/observe/stein.hpp>
#include <starling/random/start.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

namespace {

using namespace starling;

// Exact draws of the standard normal, times `scale`, plus `shift`; scores of the standard normal.
struct Draws {
  Draws(std::size_t count, std::size_t dim, double scale = 1, double shift = 0)
      : position(count * dim),
        score(count * dim), x{position.data(), count, dim}, s{score.data(), count, dim} {
    start_normal(Rows<double>{position.data(), count, dim}, 31, shift, scale);
    for (std::size_t n = 0; n < position.size(); ++n)
      score[n] = -position[n];
  }
  std::vector<double> position, score;
  Rows<const double> x, s;
};

// The mean of z^2 over n draws has standard error sqrt(2/n).
TEST(SpreadIdentity, IsOneOnExactDraws) {
  const std::size_t n = 20000;
  const Draws draws(n, 5);
  for (const double identity : spread_identity(draws.x, draws.s))
    EXPECT_NEAR(identity, 1, 4 * std::sqrt(2.0 / double(n)));
}

TEST(SpreadIdentity, IsTheShareOfTheVarianceThatIsLeft) {
  const std::size_t n = 20000;
  const Draws collapsed(n, 3, std::sqrt(0.5)), wide(n, 3, std::sqrt(2.0));
  for (const double identity : spread_identity(collapsed.x, collapsed.s))
    EXPECT_NEAR(identity, 0.5, 4 * 0.5 * std::sqrt(2.0 / double(n)));
  for (const double identity : spread_identity(wide.x, wide.s))
    EXPECT_NEAR(identity, 2, 4 * 2 * std::sqrt(2.0 / double(n)));
}

// It is about spread, not place: scores are those of the right mean, positions all moved.
TEST(SpreadIdentity, DoesNotMindWhereTheCloudIs) {
  Draws draws(20000, 2);
  const auto before = spread_identity(draws.x, draws.s);
  for (double& x : draws.position)
    x += 100;
  const auto after = spread_identity(draws.x, draws.s);
  EXPECT_NEAR(after[0], before[0], 1e-10);
}

TEST(SteinDiscrepancy, IsZeroOnExactDraws) {
  for (const std::size_t dim : {1u, 5u})
    for (const double h : {0.5, 5.0}) {
      const Draws draws(20000, dim);
      const auto found = stein_discrepancy(draws.x, draws.s, h, 20000, 7);
      EXPECT_GT(found.se, 0);
      EXPECT_LT(found.se, 0.1);
      EXPECT_LT(std::abs(found.value), 4 * found.se) << "dim " << dim << ", h " << h;
    }
}

TEST(SteinDiscrepancy, IsClearlyPositiveOnAShiftedOrShrunkCloud) {
  for (const std::size_t dim : {1u, 5u}) {
    const Draws shifted(20000, dim, 1, 0.5), shrunk(20000, dim, std::sqrt(0.5));
    for (const Draws* wrong : {&shifted, &shrunk}) {
      const auto found = stein_discrepancy(wrong->x, wrong->s, double(dim), 20000, 7);
      EXPECT_GT(found.value, 6 * found.se) << "dim " << dim;
    }
  }
}

TEST(SteinDiscrepancy, DrawsItsPairsByAddress) {
  const Draws draws(200, 2);
  const auto one = stein_discrepancy(draws.x, draws.s, 1.0, 50, 7, 3);
  EXPECT_EQ(stein_discrepancy(draws.x, draws.s, 1.0, 50, 7, 3).value, one.value);
  EXPECT_NE(stein_discrepancy(draws.x, draws.s, 1.0, 50, 7, 4).value, one.value);
  EXPECT_NE(stein_discrepancy(draws.x, draws.s, 1.0, 50, 8, 3).value, one.value);
}

TEST(SteinDiscrepancy, OfASingleParticleIsZero) {
  const Draws draws(1, 2);
  EXPECT_EQ(stein_discrepancy(draws.x, draws.s, 1.0, 50, 7).value, 0);
}

// Two particles have one pair, and k_pi is symmetric: so the mean is k_pi of that pair itself, to
// be compared with nested central differences of k = (1 + r2/2h)^(-1/2).
TEST(SteinDiscrepancy, AveragesTheSteinKernelOfTheFormula) {
  const double h = 0.8, e = 1e-3;
  const std::vector<double> x{0.3, -0.7, 1.1}, y{-0.4, 0.2, 0.5};
  const std::vector<double> sx{0.9, -1.3, 0.4}, sy{-0.2, 0.8, 1.7};
  const auto k = [&](const std::vector<double>& p, const std::vector<double>& q) {
    double r2 = 0;
    for (std::size_t a = 0; a < 3; ++a)
      r2 += (p[a] - q[a]) * (p[a] - q[a]);
    return 1 / std::sqrt(1 + r2 / (2 * h));
  };
  const auto moved = [&](std::vector<double> p, std::size_t a, double by) {
    p[a] += by;
    return p;
  };
  double expected = 0, plain = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const auto grad_y = [&](const std::vector<double>& p) {
      return (k(p, moved(y, a, e)) - k(p, moved(y, a, -e))) / (2 * e);
    };
    const double grad_x = (k(moved(x, a, e), y) - k(moved(x, a, -e), y)) / (2 * e);
    expected += (grad_y(moved(x, a, e)) - grad_y(moved(x, a, -e))) / (2 * e); // d/dx_a d/dy_a k
    expected += sx[a] * grad_y(x) + sy[a] * grad_x + k(x, y) * sx[a] * sy[a];
    plain += k(x, y) * sx[a] * sy[a];
  }
  std::vector<double> position(x), score(sx);
  position.insert(position.end(), y.begin(), y.end());
  score.insert(score.end(), sy.begin(), sy.end());
  const auto found = stein_discrepancy(Rows<const double>{position.data(), 2, 3},
                                       Rows<const double>{score.data(), 2, 3}, h, 10, 1);
  // Truncation e^2 times derivatives of order one, rounding eps / e^2.
  EXPECT_NEAR(found.value, expected, 2e-5);
  EXPECT_NEAR(found.se, 0, 1e-7);
  EXPECT_GT(std::abs(expected - plain), 0.1); // the derivative terms matter here
}

} // namespace
