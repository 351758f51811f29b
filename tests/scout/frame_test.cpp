// Frames: there and back, the chain rule of scores, and the frame of a cloud.
#include <starling/frame.hpp>
#include <starling/random/philox.hpp>

#include <gtest/gtest.h>

namespace {

using namespace starling;
using Matrix = Frame::Matrix;

Matrix noise(Eigen::Index rows, Eigen::Index cols, std::uint64_t seed) {
  Matrix z(rows, cols);
  const Philox philox(seed);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index a = 0; a < cols; ++a)
      z(i, a) = normal_pair(philox(Stream::user, std::uint64_t(a), std::uint64_t(i)))[0];
  return z;
}

Frame tilted() {
  Matrix factor(3, 3);
  factor << 2, 0, 0, 1e3, 30, 0, -1, .01, .02;
  return Frame::dense(Eigen::Vector3d(5, -7, 1), factor);
}

TEST(Frame, TakesPositionsInAndOutAgain) {
  const Matrix y = noise(20, 3, 1);
  for (const Frame& frame : {tilted(), Frame::diagonal(Eigen::Vector3d(1, 2, 3), Eigen::Vector3d(1e-3, 1, 1e3)),
                             Frame(3)}) {
    const Matrix x = frame.out(y);
    EXPECT_LT((frame.in(rows_of(x)) - y).norm(), 1e-8);
    const Frame again = Frame::from_numbers({frame.mean().data(), 3}, frame.numbers(), frame.form());
    EXPECT_EQ(again.out(y), x);
  }
}

// d/dy of f(m + L y) is L^T grad f: along any direction v the two agree, and L grad f does not.
TEST(Frame, ScoresFollowTheChainRule) {
  const Frame frame = tilted();
  const auto f = [](const Matrix& x) { return std::sin(x(0, 0)) + .01 * x(0, 1) * x(0, 2); };
  const auto gradient = [](const Matrix& x) {
    Matrix g(1, 3);
    g << std::cos(x(0, 0)), .01 * x(0, 2), .01 * x(0, 1);
    return g;
  };
  const Matrix y = noise(1, 3, 2), v = noise(1, 3, 3);
  const double h = 1e-5, slope = (f(frame.out(y + h * v)) - f(frame.out(y - h * v))) / (2 * h);
  const Matrix g = gradient(frame.out(y));
  EXPECT_NEAR(frame.score_in(rows_of(g)).row(0).dot(v.row(0)), slope, 1e-5 * std::abs(slope));
  EXPECT_GT(std::abs(frame.along_rows(g).row(0).dot(v.row(0)) - slope), .1 * std::abs(slope));
}

TEST(Frame, OfACloudWhitensIt) {
  const Matrix x = tilted().out(noise(200, 3, 4));
  const Frame frame = Frame(3).refreshed(rows_of(x)).densely().refreshed(rows_of(x));
  const Matrix y = frame.in(rows_of(x));
  EXPECT_LT(y.colwise().mean().norm(), 1e-9);
  EXPECT_LT((y.transpose() * y / 199 - Matrix::Identity(3, 3)).norm(), 1e-7);
  // Widths alone do not: the cloud is tilted.
  const Matrix z = Frame(3).refreshed(rows_of(x)).in(rows_of(x));
  EXPECT_GT((z.transpose() * z / 199 - Matrix::Identity(3, 3)).norm(), .5);
}

TEST(Frame, OfFewParticlesIsDrawnTowardsTheFrameBefore) {
  const Eigen::Index d = 30, n = 40;
  const Matrix z = noise(n, d, 5);
  const Frame before = Frame(std::size_t(d)).densely();
  const Frame after = before.refreshed(rows_of(z));
  const std::vector<double> numbers = after.numbers();
  const Eigen::Map<const Matrix> factor(numbers.data(), d, d);
  const Eigen::MatrixXd shrunk = factor * factor.transpose();
  const Matrix centred = z.rowwise() - z.colwise().mean();
  const Eigen::MatrixXd raw = centred.transpose() * centred / double(n - 1);
  const auto identity = Eigen::MatrixXd::Identity(d, d);
  EXPECT_LT((shrunk - identity).norm(), .6 * (raw - identity).norm());
  EXPECT_NEAR(shrunk.trace(), raw.trace(), 1e-9);
}

TEST(Frame, IsFoundForACovarianceThatIsNotQuiteOne) {
  Matrix covariance(2, 2);
  covariance << 1e-6, 1e-3 * (1 + 1e-9), 1e-3 * (1 + 1e-9), 1; // correlation a little above 1
  const Frame frame = Frame::from_covariance(Eigen::Vector2d::Zero(), covariance);
  EXPECT_NEAR(std::exp(frame.log_normal(0) - frame.log_normal(2)), std::exp(1), 1e-9);
  EXPECT_TRUE(std::isfinite(frame.log_determinant()));
  EXPECT_NEAR(frame.numbers()[0], 1e-3, 1e-8);
}

} // namespace
