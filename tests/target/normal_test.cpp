// Normal target with any covariance.
#include "target/slopes.hpp"

#include <starling/random/philox.hpp>
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
void expect_slopes(Real size) {
  for (const Eigen::Index d : {1, 3, 10}) {
    Normal<Real> target(Eigen::VectorXd::LinSpaced(d, -1, 1), dense_covariance(d));
    EXPECT_EQ(target.dim(), std::size_t(d));
    expect_score_is_the_slope<Real>(target, somewhere<Real>(d), size);
    expect_finite_scores_far_away<Real>(target);
  }
}

TEST(Normal, HasTheScoreOfItsDensity) {
  expect_slopes<double>(100);
  expect_slopes<float>(30);
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

} // namespace
