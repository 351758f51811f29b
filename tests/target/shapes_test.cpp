// Banana and funnel: scores, moments, far away.
#include "target/slopes.hpp"

#include <starling/target/lift.hpp>
#include <starling/target/shapes.hpp>

namespace {

using namespace starling;
using namespace target_tests;

template <typename Real>
void expect_banana_slopes() {
  auto target = lift<Real>(2, Banana<Real>(Real(0.4), Real(1.5)));
  for (const std::vector<Real>& x :
       {std::vector<Real>{Real(0.3), Real(-0.8)}, std::vector<Real>{Real(-2), Real(1)}})
    expect_score_is_the_slope<Real>(target, x, Real(10));
  expect_finite_scores_far_away<Real>(target);
}

TEST(Banana, HasTheScoreOfItsDensity) {
  expect_banana_slopes<double>();
  expect_banana_slopes<float>();
}

TEST(Banana, HasTheMomentsItClaims) {
  const double curvature = 0.4, width = 1.5;
  const Banana<double> banana(curvature, width);
  double total = 0, first = 0, second = 0, first_square = 0, second_square = 0;
  std::vector<double> score(2);
  for (int n = -150; n <= 150; ++n) // out to ten widths
    for (int m = -150; m <= 1100; ++m) {
      const std::vector<double> x{n * 0.1, m * 0.1};
      const double p = std::exp(banana(x, score));
      total += p;
      first += p * x[0];
      second += p * x[1];
      first_square += p * x[0] * x[0];
      second_square += p * x[1] * x[1];
    }
  EXPECT_NEAR(first / total, 0, 1e-9);
  EXPECT_NEAR(second / total, 0, 1e-9);
  EXPECT_NEAR(first_square / total, width * width, 1e-9);
  EXPECT_NEAR(second_square / total, 1 + 2 * curvature * curvature * std::pow(width, 4), 1e-9);
}

template <typename Real>
void expect_funnel_slopes() {
  for (const std::size_t dim : {2u, 5u}) {
    auto target = lift<Real>(dim, Funnel<Real>(dim, Real(3)));
    for (const Real v : {Real(-1), Real(0.5), Real(4)}) {
      std::vector<Real> x(dim, Real(0.7));
      x[0] = v;
      expect_score_is_the_slope<Real>(target, x, Real(20));
    }
    expect_finite_scores_far_away<Real>(target);
  }
}

TEST(Funnel, HasTheScoreOfItsDensity) {
  expect_funnel_slopes<double>();
  expect_funnel_slopes<float>();
}

// v ~ N(0, width^2), the others N(0, e^v): log pi from that product, up to a constant.
TEST(Funnel, HasTheLogDensityOfItsStory) {
  const Funnel<double> funnel(3, 3.0);
  const auto story = [](double v, double x, double y) {
    const auto log_normal = [](double z, double variance) {
      return -z * z / (2 * variance) - std::log(variance) / 2;
    };
    return log_normal(v, 9) + log_normal(x, std::exp(v)) + log_normal(y, std::exp(v));
  };
  std::vector<double> score(3);
  const double constant = funnel(std::vector<double>{0, 0, 0}, score) - story(0, 0, 0);
  for (const double v : {-2.0, 0.5, 3.0})
    EXPECT_NEAR(funnel(std::vector<double>{v, 0.4, -1.1}, score) - constant, story(v, 0.4, -1.1),
                1e-12);
}

} // namespace
