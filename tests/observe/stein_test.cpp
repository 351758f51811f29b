// The Stein discrepancy over batches: its formula, its standard error, and what it sees.
#include <starling/deal/shuffle.hpp>
#include <starling/deal/whole.hpp>
#include <starling/ensemble.hpp>
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
  Draws(std::size_t count, std::size_t dim, double scale = 1, double shift = 0,
        std::uint64_t seed = 31)
      : position(count * dim),
        score(count * dim), x{position.data(), count, dim}, s{score.data(), count, dim} {
    start_normal(Rows<double>{position.data(), count, dim}, seed, shift, scale);
    for (std::size_t n = 0; n < position.size(); ++n)
      score[n] = -position[n];
  }
  SteinDiscrepancies in_batches(std::size_t p, std::size_t most_pairs = 1000000) const {
    return stein_discrepancy(x, s, Shuffle(7, p).deal(0, x.count), most_pairs);
  }
  std::vector<double> position, score;
  Rows<const double> x, s;
};

// The mean of (x + a)(y + a) over pairs of standard normals is a^2. With the variance over pairs
// 1 + 2 a^2 and that of the mean over partners a^2, batches of p have, B of them together,
//     variance (1/B) (4 (p-2) a^2 + 2 (1 + 2 a^2)) / (p (p-1)).
struct Scatter {
  double claimed = 0, exact = 0, se = 0; // mean of se^2, the formula, standard error of `claimed`
};
Scatter scatter(std::size_t p, double a, bool as_if_pairs_were_apart) {
  const std::size_t count = 96, clouds = 400;
  double sum = 0, squares = 0;
  for (std::size_t c = 0; c < clouds; ++c) {
    const Draws draws(count, 1, 1, a, 1000 + c);
    PairMean mean;
    for (std::size_t first = 0; first < count; first += p) {
      if (!as_if_pairs_were_apart)
        mean.begin(p);
      for (std::size_t i = 0; i < p; ++i)
        for (std::size_t j = 0; j < i; ++j) {
          const double value = draws.position[first + i] * draws.position[first + j];
          if (as_if_pairs_were_apart) {
            mean.begin(2);
            mean.add(0, 1, value);
            mean.end();
          } else {
            mean.add(i, j, value);
          }
        }
      if (!as_if_pairs_were_apart)
        mean.end();
    }
    const double square = std::pow(mean.result().se, 2);
    sum += square / double(clouds);
    squares += square * square / double(clouds);
  }
  const double size = double(p), batches = double(count) / size;
  return {sum, (4 * (size - 2) * a * a + 2 * (1 + 2 * a * a)) / (size * (size - 1)) / batches,
          std::sqrt((squares - sum * sum) / double(clouds))};
}

// Where the true second term is zero (a = 0) its estimate, never below zero, may double the
// variance.
TEST(PairMean, HasTheStandardErrorOfItsFormula) {
  for (const std::size_t p : {2u, 8u, 32u, 96u}) {
    const Scatter plain = scatter(p, 0, false), shifted = scatter(p, 1, false);
    EXPECT_NEAR(shifted.claimed, shifted.exact, 4 * shifted.se + 0.05 * shifted.exact) << p;
    EXPECT_GT(plain.claimed, plain.exact - 4 * plain.se) << p;
    EXPECT_LT(plain.claimed, 2 * plain.exact + 4 * plain.se) << p;
  }
}

// The control: pairs counted as if none shared a particle claim far too little, unless they do not.
TEST(PairMean, OfABatchOfTwoHasTheSumsOfAnyBatch) {
  PairMean two, any;
  for (const double value : {1.25, -0.0, 3.7, -2.1, 0.1}) {
    two.add_two(value);
    any.begin(2);
    any.add(1, 0, value);
    any.end();
  }
  EXPECT_EQ(two.result().value, any.result().value);
  EXPECT_EQ(two.result().se, any.result().se);
}

TEST(PairMean, ClaimsTooLittleWhenPairsThatShareParticlesCountAsApart) {
  const Scatter wrong = scatter(32, 1, true), right = scatter(2, 1, true);
  EXPECT_LT(wrong.claimed, wrong.exact / 5);
  EXPECT_NEAR(right.claimed, right.exact, 4 * right.se + 0.05 * right.exact);
}

// value / se over many clouds of exact draws: mean 0, mean square 1 for small batches; for one
// large one down to 1/2, because its standard error is careful.
TEST(SteinDiscrepancy, ScattersAroundZeroOnExactDrawsAsItsStandardErrorSays) {
  for (const std::size_t p : {2u, 8u, 128u}) {
    const double clouds = 300;
    double sum = 0, squares = 0, fourth = 0, apart = 0; // of z; z^2 of the Gaussian kernel
    for (int c = 0; c < int(clouds); ++c) {
      const Draws draws(128, 2, 1, 0, 500 + static_cast<std::uint64_t>(c));
      const SteinDiscrepancies found = draws.in_batches(p);
      const double z = found.multiquadric.value / found.multiquadric.se;
      sum += z / clouds;
      squares += z * z / clouds;
      fourth += z * z * z * z / clouds;
      apart += std::pow(found.gaussian.value / found.gaussian.se, 2) / clouds;
    }
    const double se = std::sqrt((fourth - squares * squares) / clouds);
    EXPECT_NEAR(sum, 0, 4 / std::sqrt(clouds)) << p;
    for (const double square : {squares, apart}) {
      EXPECT_LT(square, 1 + 4 * se) << p;
      EXPECT_GT(square, (p < 10 ? 1 : 0.5) - 4 * se) << p;
    }
  }
}

TEST(SteinDiscrepancy, IsClearlyPositiveOnAShiftedOrShrunkCloud) {
  for (const std::size_t dim : {1u, 5u}) {
    const Draws shifted(4000, dim, 1, 0.5), shrunk(4000, dim, std::sqrt(0.5));
    for (const Draws* wrong : {&shifted, &shrunk}) {
      const SteinDiscrepancies found = wrong->in_batches(16);
      EXPECT_GT(found.multiquadric.value, 6 * found.multiquadric.se) << "dim " << dim;
      EXPECT_GT(found.gaussian.value, 6 * found.gaussian.se) << "dim " << dim;
    }
  }
}

// Fewer pairs are the first ones: of the first batch where that is enough, else of the first
// batches.
TEST(SteinDiscrepancy, TakesNoMorePairsThanItMay) {
  const Draws draws(200, 2);
  EXPECT_EQ(stein_discrepancy(draws.x, draws.s, Whole()(0, Ensemble<double>(200, 2)), 45)
                .multiquadric.value,
            stein_discrepancy(draws.x.slice(0, 10), draws.s.slice(0, 10),
                              Whole()(0, Ensemble<double>(10, 2)), 45)
                .multiquadric.value);
  const double all = draws.in_batches(4).multiquadric.se,
               part = draws.in_batches(4, 30).multiquadric.se;
  EXPECT_GT(part, 2 * all); // 30 pairs of 300
}

// Of one pair the squared median distance is its own, r2 = 2h, and nothing scatters.
TEST(SteinDiscrepancy, TakesOnePairAtLeast) {
  const Draws few(10, 2);
  const auto batches = Shuffle(7, 2).deal(0, 10);
  const SteinPair pair = stein_pair(few.x, few.s, batches[0][1], batches[0][0]);
  const auto found = few.in_batches(2, 0);
  const auto expected = [&](const Profile& k) { return stein_kernel(pair, 2, k); };
  EXPECT_DOUBLE_EQ(found.multiquadric.value, expected(multiquadric_profile(pair.r2, pair.r2 / 2)));
  EXPECT_DOUBLE_EQ(found.gaussian.value, expected(gaussian_profile(pair.r2, pair.r2 / 2)));
  EXPECT_EQ(found.multiquadric.se, 0);
  EXPECT_EQ(found.gaussian.se, 0);
}

TEST(SteinDiscrepancy, OfASingleParticleHasNoValue) {
  const Draws draws(1, 2);
  const auto found = stein_discrepancy(draws.x, draws.s, Whole()(0, Ensemble<double>(1, 2)), 50);
  EXPECT_TRUE(std::isnan(found.multiquadric.value) && std::isnan(found.gaussian.se));
}

// Two particles have one pair, and 2h is their squared distance: k_pi of that pair itself, to be
// compared with nested central differences of k.
TEST(SteinDiscrepancy, AveragesTheSteinKernelOfTheFormula) {
  const double e = 1e-3;
  const std::vector<double> x{0.3, -0.7, 1.1}, y{-0.4, 0.2, 0.5};
  const std::vector<double> sx{0.9, -1.3, 0.4}, sy{-0.2, 0.8, 1.7};
  const auto square = [](const std::vector<double>& p, const std::vector<double>& q) {
    double r2 = 0;
    for (std::size_t a = 0; a < 3; ++a)
      r2 += (p[a] - q[a]) * (p[a] - q[a]);
    return r2;
  };
  const double h = square(x, y) / 2;
  const auto moved = [](std::vector<double> p, std::size_t a, double by) {
    p[a] += by;
    return p;
  };
  const auto expected = [&](const std::function<double(double)>& f) {
    const auto k = [&](const std::vector<double>& p, const std::vector<double>& q) {
      return f(square(p, q));
    };
    double sum = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const auto grad_y = [&](const std::vector<double>& p) {
        return (k(p, moved(y, a, e)) - k(p, moved(y, a, -e))) / (2 * e);
      };
      const double grad_x = (k(moved(x, a, e), y) - k(moved(x, a, -e), y)) / (2 * e);
      sum += (grad_y(moved(x, a, e)) - grad_y(moved(x, a, -e))) / (2 * e); // d/dx_a d/dy_a k
      sum += sx[a] * grad_y(x) + sy[a] * grad_x + k(x, y) * sx[a] * sy[a];
    }
    return sum;
  };
  std::vector<double> position(x), score(sx);
  position.insert(position.end(), y.begin(), y.end());
  score.insert(score.end(), sy.begin(), sy.end());
  const auto found = stein_discrepancy(Rows<const double>{position.data(), 2, 3},
                                       Rows<const double>{score.data(), 2, 3},
                                       Whole()(0, Ensemble<double>(2, 3)), 10);
  // Truncation e^2 times derivatives of order one, rounding eps / e^2.
  EXPECT_NEAR(found.multiquadric.value,
              expected([h](double r2) { return 1 / std::sqrt(1 + r2 / (2 * h)); }), 2e-5);
  EXPECT_NEAR(found.gaussian.value, expected([h](double r2) { return std::exp(-r2 / (2 * h)); }),
              2e-5);
  EXPECT_GT(std::abs(found.gaussian.value - found.multiquadric.value), 0.01);
}

} // namespace
