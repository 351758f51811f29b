// Normal target with any covariance.
#include "target/slopes.hpp"

#include <starling/random/philox.hpp>
#include <starling/target/even_normal.hpp>
#include <starling/target/normal.hpp>

#include <Eigen/LU>

namespace {

using namespace starling;
using namespace target_tests;

Eigen::MatrixXd dense_covariance(Eigen::Index d) {
  const Philox philox(5);
  Eigen::MatrixXd root(d, d);
  for (Eigen::Index a = 0; a < d; ++a)
    for (Eigen::Index b = 0; b < d; ++b)
      root(a, b) = normal_pair(philox(Stream::user, Step(a), std::uint64_t(b)))[0];
  return root * root.transpose() / double(d) + Eigen::MatrixXd::Identity(d, d) * 0.3;
}

template <typename Real>
std::vector<Real> somewhere(Eigen::Index d) {
  std::vector<Real> x(static_cast<std::size_t>(d));
  for (std::size_t a = 0; a < x.size(); ++a)
    x[a] = Real(0.7) * std::cos(Real(3 * a + 1)) + Real(1);
  return x;
}

template <typename Real>
void expect_slopes_of_normal(Real size) {
  for (const Eigen::Index d : {1, 3, 10}) {
    Normal<Real> target(Eigen::VectorXd::LinSpaced(d, -1, 1), dense_covariance(d));
    EXPECT_EQ(target.dim(), std::size_t(d));
    expect_score_is_the_slope<Real>(target, somewhere<Real>(d), size);
    expect_finite_scores_far_away<Real>(target);
  }
}

TEST(Normal, HasTheScoreOfItsDensity) {
  expect_slopes_of_normal<double>(100);
  expect_slopes_of_normal<float>(30);
}

TEST(Normal, HasTheLogDensityOfTheFormula) {
  const Eigen::Index d = 3;
  const Eigen::MatrixXd covariance = dense_covariance(d);
  const Eigen::VectorXd mean = Eigen::VectorXd::LinSpaced(d, -1, 1);
  Normal<double> target(mean, covariance);
  const auto x = somewhere<double>(d);
  const Eigen::VectorXd off = Eigen::Map<const Eigen::VectorXd>(x.data(), d) - mean;
  const Eigen::VectorXd pulled = covariance.inverse() * off;
  const auto at = evaluate<double>(target, x);
  EXPECT_NEAR(at.log_density, -off.dot(pulled) / 2, 1e-13 * (1 + std::abs(at.log_density)));
  for (std::size_t a = 0; a < x.size(); ++a)
    EXPECT_NEAR(at.score[a], -pulled[Eigen::Index(a)], 1e-13 * pulled.norm());
}

TEST(Normal, IsStandardWhenOnlyTheDimensionIsGiven) {
  Normal<double> target(4);
  const auto at = evaluate<double>(target, {1.0, -2.0, 0.5, 0.0});
  EXPECT_EQ(at.score, (std::vector<double>{-1.0, 2.0, -0.5, 0.0}));
  EXPECT_DOUBLE_EQ(at.log_density, -(1 + 4 + 0.25) / 2);
}

// 700 rows make three pieces, the last of another size.
TEST(Normal, ScoresEveryRowWhateverTheThreads) {
  const std::size_t rows = 700, d = 3;
  std::vector<double> x(rows * d), one(x.size(), NAN), three(x.size(), NAN);
  for (std::size_t n = 0; n < x.size(); ++n)
    x[n] = std::sin(double(n));
  Threads crew(3);
  Normal<double> alone(Eigen::VectorXd::Zero(3), dense_covariance(3));
  Normal<double> shared(Eigen::VectorXd::Zero(3), dense_covariance(3), crew);
  alone(0, Rows<const double>{x.data(), rows, d}, Rows<double>{one.data(), rows, d});
  shared(0, Rows<const double>{x.data(), rows, d}, Rows<double>{three.data(), rows, d});
  EXPECT_EQ(one, three);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto at = evaluate<double>(alone, {x[i * d], x[i * d + 1], x[i * d + 2]});
    for (std::size_t a = 0; a < d; ++a)
      ASSERT_NEAR(one[i * d + a], at.score[a], 1e-13) << "row " << i;
  }
}

Eigen::MatrixXd even_covariance(Eigen::Index d, double variance, double correlation) {
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Constant(d, d, variance * correlation);
  covariance.diagonal().setConstant(variance);
  return covariance;
}

template <typename Real>
std::vector<Real> scores_of(auto&& target, std::size_t rows, std::size_t d) {
  std::vector<Real> x(rows * d), score(rows * d);
  for (std::size_t n = 0; n < x.size(); ++n)
    x[n] = std::sin(Real(n)) * 3;
  target(0, Rows<const Real>{x.data(), rows, d}, Rows<Real>{score.data(), rows, d});
  return score;
}

// The twin inverts the matrix: good to its condition number, at most 50 here, times eps d.
TEST(EvenNormal, IsTheNormalOfThatCovariance) {
  for (const std::size_t d : {1u, 2u, 7u, 40u})
    for (const double rho : {0.0, 0.5, 0.9, -0.02}) {
      const std::vector<double> mean(d, 0.3);
      EvenNormal<double> even(mean, 2.5, rho);
      Normal<double> twin(Eigen::VectorXd::Constant(Eigen::Index(d), 0.3),
                          even_covariance(Eigen::Index(d), 2.5, rho));
      EXPECT_EQ(even.dim(), d);
      const auto one = scores_of<double>(even, 5, d), other = scores_of<double>(twin, 5, d);
      for (std::size_t n = 0; n < one.size(); ++n)
        EXPECT_NEAR(one[n], other[n], 50 * double(d) * 2.3e-16 * 30)
            << "d " << d << ", rho " << rho;
      const auto x = somewhere<double>(Eigen::Index(d));
      const double density = evaluate<double>(twin, x).log_density;
      EXPECT_NEAR(evaluate<double>(even, x).log_density, density, 1e-12 * (1 + std::abs(density)));
    }
  EvenNormal<float> even(10, 0.5);
  expect_score_is_the_slope<float>(even, somewhere<float>(10), 30);
}

TEST(EvenNormal, HasTheBitsOfTheNormalWithoutCorrelation) {
  for (const double variance : {1.0, 0.3, 7.7, 1e-3}) {
    EvenNormal<double> even(std::vector<double>(9, -0.2), variance, 0);
    Normal<double> twin(Eigen::VectorXd::Constant(9, -0.2), even_covariance(9, variance, 0));
    EXPECT_EQ(scores_of<double>(even, 300, 9), scores_of<double>(twin, 300, 9)) << variance;
  }
}

TEST(EvenNormal, TakesAHundredThousandDimensions) { // d x d numbers would be 80 GB
  EvenNormal<double> even(100000, 0.5);
  const auto score = scores_of<double>(even, 2, 100000);
  EXPECT_TRUE(std::ranges::all_of(score, [](double s) { return std::isfinite(s); }));
}

TEST(EvenNormal, RefusesWhatIsNotPositiveDefinite) {
  EXPECT_THROW(EvenNormal<double>(5, 1.0), std::invalid_argument);
  EXPECT_THROW(EvenNormal<double>(5, -0.25), std::invalid_argument);
  EXPECT_THROW(EvenNormal<double>(5, NAN), std::invalid_argument);
  EXPECT_THROW(EvenNormal<double>(0), std::invalid_argument);
  EXPECT_THROW(EvenNormal<double>(std::vector<double>(5), -1.0, 0.0), std::invalid_argument);
  EXPECT_NO_THROW(EvenNormal<double>(5, -0.24));
}

} // namespace
