// Mixture of normals: score, density, moments, and far from everything.
#include "target/slopes.hpp"

#include <starling/random/philox.hpp>
#include <starling/target/lift.hpp>
#include <starling/target/mixture.hpp>

#include <Eigen/LU>

#include <numbers>

namespace {

using namespace starling;
using namespace target_tests;

std::vector<MixtureComponent> three_components(Eigen::Index d) {
  const Philox philox(8);
  std::vector<MixtureComponent> components;
  for (int c = 0; c < 3; ++c) {
    Eigen::MatrixXd root(d, d);
    Eigen::VectorXd mean(d);
    for (Eigen::Index a = 0; a < d; ++a) {
      mean[a] = 1.5 * normal_pair(philox(Stream::user, Step(c), std::uint64_t(a)))[0];
      for (Eigen::Index b = 0; b < d; ++b)
        root(a, b) = normal_pair(philox(Stream::user, Step(c), std::uint64_t(100 + 10 * a + b)))[0];
    }
    const Eigen::MatrixXd covariance =
        root * root.transpose() / double(d) + Eigen::MatrixXd::Identity(d, d) * 0.4;
    components.push_back({1.0 + c, mean, covariance}); // weights 1, 2, 3: they sum to six
  }
  return components;
}

template <typename Real>
void expect_slopes(const Mixture<Real>& mixture, Real size) {
  auto target = lift<Real>(mixture.dim(), mixture);
  for (const Real shift : {Real(-1), Real(0), Real(0.8)}) {
    std::vector<Real> x(mixture.dim());
    for (std::size_t a = 0; a < x.size(); ++a)
      x[a] = shift + Real(0.3) * Real(a);
    expect_score_is_the_slope<Real>(target, x, size);
  }
  expect_finite_scores_far_away<Real>(target);
}

TEST(Mixture, HasTheScoreOfItsDensity) {
  expect_slopes<double>(Mixture<double>::paper(), 10);
  expect_slopes<float>(Mixture<float>::paper(), 10);
  expect_slopes<double>(Mixture<double>(three_components(4)), 100);
  expect_slopes<float>(Mixture<float>(three_components(4)), 30);
}

double direct(const std::vector<MixtureComponent>& components, const Eigen::VectorXd& x) {
  double sum = 0;
  for (const auto& c : components) {
    const Eigen::VectorXd off = x - c.mean;
    sum += c.weight / std::sqrt((2 * std::numbers::pi * c.covariance).determinant()) *
           std::exp(-off.dot(c.covariance.inverse() * off) / 2);
  }
  return std::log(sum);
}

// Up to a constant, which is taken out at the first point.
TEST(Mixture, HasTheLogDensityOfTheFormula) {
  const auto components = three_components(4);
  const Mixture<double> mixture(components);
  std::vector<double> score(4);
  double constant = 0;
  for (int n = 0; n < 6; ++n) {
    Eigen::VectorXd x(4);
    for (Eigen::Index a = 0; a < 4; ++a)
      x[a] = 2 * std::sin(double(7 * n + 3 * a));
    const double found = mixture(std::span<const double>(x.data(), 4), score);
    if (n == 0)
      constant = found - direct(components, x);
    EXPECT_NEAR(found - constant, direct(components, x), 1e-12) << "point " << n;
  }
}

// Where every component underflows, the nearest one pulls as if alone.
TEST(Mixture, IsPulledByTheNearestComponentFarAway) {
  const auto mixture = Mixture<double>::paper();
  double score = 0;
  for (const double x : {-1e3, -50.0}) {
    const double density = mixture(std::span(&x, 1), std::span(&score, 1));
    EXPECT_DOUBLE_EQ(score, -2 - x);
    EXPECT_NEAR(density, std::log(1.0 / 3) - (x + 2) * (x + 2) / 2, 1e-9);
  }
  const double x = 1e3;
  mixture(std::span(&x, 1), std::span(&score, 1));
  EXPECT_DOUBLE_EQ(score, 2 - x);
}

TEST(Mixture, DoesNotMindTheOrderOfItsComponents) {
  auto components = three_components(4);
  const Mixture<double> mixture(components);
  std::reverse(components.begin(), components.end());
  const Mixture<double> reversed(components);
  const std::vector<double> x{0.4, -1.0, 0.2, 1.5};
  std::vector<double> one(4), other(4);
  EXPECT_NEAR(mixture(x, one), reversed(x, other), 1e-13);
  for (std::size_t a = 0; a < 4; ++a)
    EXPECT_NEAR(one[a], other[a], 1e-13);
}

// A sum over a fine grid is exact to rounding for a smooth function that has died at its ends.
TEST(Mixture, OfThePaperHasThePapersMoments) {
  const auto mixture = Mixture<double>::paper();
  double total = 0, mean = 0, square = 0, wave = 0, score = 0;
  for (int n = -3000; n <= 3000; ++n) {
    const double x = n * 0.005;
    const double p = std::exp(mixture(std::span(&x, 1), std::span(&score, 1)));
    total += p;
    mean += p * x;
    square += p * x * x;
    wave += p * std::cos(2 * x);
  }
  EXPECT_NEAR(mean / total, 2.0 / 3, 1e-12);
  EXPECT_NEAR(square / total, 5.0, 1e-12);
  EXPECT_NEAR(wave / total, std::cos(4.0) * std::exp(-2.0), 1e-12);
}

TEST(Mixture, HasTheMeanAndCovarianceOfItsComponents) {
  const auto components = three_components(2);
  const Mixture<double> mixture(components);
  Eigen::Vector2d mean = Eigen::Vector2d::Zero(), expected_mean = Eigen::Vector2d::Zero();
  Eigen::Matrix2d square = Eigen::Matrix2d::Zero(), expected_square = Eigen::Matrix2d::Zero();
  double total = 0;
  std::vector<double> score(2);
  for (int n = -160; n <= 160; ++n)
    for (int m = -160; m <= 160; ++m) {
      const Eigen::Vector2d x(n * 0.1, m * 0.1);
      const double p = std::exp(mixture(std::span<const double>(x.data(), 2), score));
      total += p;
      mean += p * x;
      square += p * x * x.transpose();
    }
  for (const auto& c : components) {
    expected_mean += c.weight / 6 * c.mean;
    expected_square += c.weight / 6 * (c.covariance + c.mean * c.mean.transpose());
  }
  EXPECT_LT((mean / total - expected_mean).norm(), 1e-9);
  EXPECT_LT((square / total - expected_square).norm(), 1e-8);
}

} // namespace
