// Scores by forward differentiation of a log density written as a template.
#include "target/slopes.hpp"

#include <starling/target/differentiate.hpp>
#include <starling/target/shapes.hpp>

namespace {

using namespace starling;
using namespace target_tests;

struct BananaDensity { // curvature 0.4, width 1.5
  template <typename T>
  T operator()(std::span<const T> x) const {
    const T off = x[1] - 0.4 * (x[0] * x[0] - 2.25);
    return T(-0.5 * (x[0] * x[0] / 2.25 + off * off));
  }
};

/// Regression y = b0 + b1 t with Student errors of four degrees of freedom and scale e^x2.
struct StudentRegression {
  template <typename T>
  T operator()(std::span<const T> x) const {
    using std::exp, std::log;
    T sum = -0.5 * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    for (int n = 0; n < 12; ++n) {
      const double t = n * 0.25 - 1.5, y = 0.8 - 1.2 * t + std::sin(5.0 * n);
      const T z = (y - x[0] - x[1] * t) * exp(-x[2]);
      sum += -x[2] - 2.5 * log(1 + z * z / 4.0);
    }
    return sum;
  }
};

struct StudentRegressionFloat {
  template <typename T>
  T operator()(std::span<const T> x) const {
    using std::exp, std::log;
    T sum = -0.5f * (x[0] * x[0] + x[1] * x[1]);
    const T z = (1.5f - x[0]) * exp(-x[1]);
    sum += -x[1] - 2.5f * log(1.0f + z * z / 4.0f);
    return sum;
  }
};

TEST(Differentiate, HasTheScoreOfAHandWrittenDensity) {
  auto target = differentiate<double>(3, StudentRegression{});
  EXPECT_EQ(target.dim(), 3u);
  for (const std::vector<double>& x :
       {std::vector<double>{0.1, -0.4, 0.2}, std::vector<double>{-2.0, 1.0, -0.7}})
    expect_score_is_the_slope<double>(target, x, 100);
  auto narrow = differentiate<float>(2, StudentRegressionFloat{});
  expect_score_is_the_slope<float>(narrow, {0.3f, -0.2f}, 10);
}

TEST(Differentiate, AgreesWithTheAnalyticBananaToRounding) {
  const Differentiate<double, BananaDensity> automatic{BananaDensity{}};
  const Banana<double> analytic(0.4, 1.5);
  std::vector<double> one(2), other(2);
  for (int n = 0; n < 20; ++n) {
    const std::vector<double> x{3 * std::sin(2.0 * n), 4 * std::cos(3.0 * n)};
    const double value = automatic(x, one), expected = analytic(x, other);
    EXPECT_NEAR(value, expected, 1e-14 * (1 + std::abs(expected)));
    for (std::size_t a = 0; a < 2; ++a)
      EXPECT_NEAR(one[a], other[a], 1e-13 * (1 + std::abs(other[a])));
  }
}

TEST(Differentiate, IsFiniteFarAway) {
  auto target = differentiate<double>(2, BananaDensity{});
  expect_finite_scores_far_away<double>(target);
}

struct Flat {
  template <typename T>
  T operator()(std::span<const T>) const {
    return T(3.5);
  }
};

TEST(Differentiate, GivesZeroForAConstantDensity) {
  const Differentiate<double, Flat> flat{Flat{}};
  std::vector<double> score{7, 7, 7};
  EXPECT_EQ(flat(std::vector<double>{1, 2, 3}, score), 3.5);
  EXPECT_EQ(score, (std::vector<double>{0, 0, 0}));
}

} // namespace
