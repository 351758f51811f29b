// Frames: there and back, the chain rule of scores, and the frame of a cloud.
#include "support/normals.hpp"

#include <starling/frame.hpp>
#include <starling/random/philox.hpp>

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>

#include <cmath>
#include <stdexcept>
#include <vector>

namespace {

using namespace starling;
using Matrix = Frame::Matrix;

using support::normals;

Frame tilted() {
  Matrix factor(3, 3);
  factor << 2, 0, 0, 1e3, 30, 0, -1, .01, .02;
  return Frame::dense(Eigen::Vector3d(5, -7, 1), factor);
}

TEST(Frame, TakesPositionsInAndOutAgain) {
  const Matrix y = normals(20, 3, 1);
  for (const Frame& frame :
       {tilted(), Frame::diagonal(Eigen::Vector3d(1, 2, 3), Eigen::Vector3d(1e-3, 1, 1e3)),
        Frame(3)}) {
    const Matrix x = frame.forward(y);
    EXPECT_LT((frame.inverse(rows_of(x)) - y).norm(), 1e-8);
    const Frame again =
        Frame::from_numbers({frame.mean().data(), 3}, frame.numbers(), frame.form());
    EXPECT_EQ(again.forward(y), x);
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
  const Matrix y = normals(1, 3, 2), v = normals(1, 3, 3);
  const double h = 1e-5,
               slope = (f(frame.forward(y + h * v)) - f(frame.forward(y - h * v))) / (2 * h);
  const Matrix g = gradient(frame.forward(y));
  EXPECT_NEAR(frame.pull(rows_of(g)).row(0).dot(v.row(0)), slope, 1e-5 * std::abs(slope));
  EXPECT_GT(std::abs(frame.along_rows(g).row(0).dot(v.row(0)) - slope), .1 * std::abs(slope));
}

TEST(Frame, OfACloudWhitensIt) {
  const Matrix x = tilted().forward(normals(200, 3, 4));
  const Frame frame = Frame(3).refreshed(rows_of(x)).densely().refreshed(rows_of(x));
  const Matrix y = frame.inverse(rows_of(x));
  EXPECT_LT(y.colwise().mean().norm(), 1e-9);
  EXPECT_LT((y.transpose() * y / 199 - Matrix::Identity(3, 3)).norm(), 1e-7);
  // Widths alone do not: the cloud is tilted.
  const Matrix z = Frame(3).refreshed(rows_of(x)).inverse(rows_of(x));
  EXPECT_GT((z.transpose() * z / 199 - Matrix::Identity(3, 3)).norm(), .5);
}

TEST(Frame, OfFewParticlesIsDrawnTowardsTheFrameBefore) {
  const Eigen::Index d = 30, n = 40;
  const Matrix z = normals(n, d, 5);
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

// Slow twin: L = D (I + V (C - I) V^T) as a matrix.
struct Few {
  Eigen::VectorXd mean, scale, stretch;
  Eigen::MatrixXd directions;
  Few(Eigen::Index d, Eigen::Index k) : mean(normals(d, 1, 11)), scale(d), stretch(k) {
    for (Eigen::Index a = 0; a < d; ++a)
      scale[a] = std::pow(10.0, double(a % 3) - 1);
    for (Eigen::Index j = 0; j < k; ++j)
      stretch[j] = std::pow(100.0, double(j) - 1); // a narrow one, one as the rest, wide ones
    directions =
        Eigen::HouseholderQR<Eigen::MatrixXd>(Eigen::MatrixXd(normals(d, k, 12))).householderQ() *
        Eigen::MatrixXd::Identity(d, k);
  }
  Frame frame() const { return Frame::low_rank(mean, scale, stretch, directions); }
  Eigen::MatrixXd matrix() const {
    const Eigen::MatrixXd turned =
        directions * (stretch.array() - 1).matrix().asDiagonal() * directions.transpose();
    return scale.asDiagonal() * (Eigen::MatrixXd::Identity(mean.size(), mean.size()) + turned);
  }
};

TEST(FrameOfLowRank, IsTheMatrixOfItsFormula) {
  for (const Eigen::Index k : {0, 1, 3}) {
    const Few few(7, k);
    const Frame frame = few.frame();
    const Eigen::MatrixXd l = few.matrix();
    const Matrix y = normals(5, 7, 13);
    const Matrix x = (y * l.transpose()).rowwise() + few.mean.transpose();
    const double size = x.cwiseAbs().maxCoeff();
    EXPECT_LT((frame.forward(y) - x).cwiseAbs().maxCoeff(), 1e-12 * size);
    EXPECT_LT((frame.inverse(rows_of(x)) - y).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LT((frame.pull(rows_of(y)) - y * l).cwiseAbs().maxCoeff(), 1e-12 * size);
    EXPECT_LT((frame.along(y.row(0).transpose()) - l * y.row(0).transpose()).cwiseAbs().maxCoeff(),
              1e-12 * size);
    EXPECT_NEAR(frame.log_determinant(), std::log(l.determinant()), 1e-9);
    const std::vector<double> numbers = frame.numbers();
    const Frame again = Frame::from_numbers({few.mean.data(), 7}, numbers, frame.form());
    EXPECT_EQ(again.rank(), k);
    EXPECT_EQ(again.forward(y), frame.forward(y));
    EXPECT_EQ(again.inverse(rows_of(x)), frame.inverse(rows_of(x)));
  }
  const std::vector<double> cut(7 + 8 + 3);
  EXPECT_THROW(Frame::from_numbers({cut.data(), 7}, cut, Frame::Form::low_rank),
               std::invalid_argument);
}

TEST(FrameOfLowRank, HasTheCovarianceItWasMadeFrom) {
  for (const Eigen::Index k : {2, 8}) { // few directions, and more than there are
    const Eigen::MatrixXd b = normals(6, k, 14), c = normals(k, k, 17), m = c * c.transpose();
    const Eigen::VectorXd scale = Eigen::VectorXd::LinSpaced(6, .1, 2);
    const Frame frame = Frame::low_rank_beside(Eigen::VectorXd::Zero(6), scale, b, m);
    const Matrix l = frame.along_rows(Matrix::Identity(6, 6)).transpose();
    const Eigen::MatrixXd wanted = scale.asDiagonal() *
                                   (Eigen::MatrixXd::Identity(6, 6) + b * m * b.transpose()) *
                                   scale.asDiagonal();
    EXPECT_LT((l * l.transpose() - wanted).cwiseAbs().maxCoeff(),
              1e-12 * wanted.cwiseAbs().maxCoeff());
  }
}

// 200 particles in 100 dimensions, three directions of which are 100 and 10^4 times as wide as the
// rest: in the frame of the cloud they have width 1 to within the error of 200 draws (.05) and of
// what is taken back.
TEST(FrameOfLowRank, OfACloudFindsItsWideDirections) {
  Few few(100, 4);
  few.stretch << 1, 1e2, 1e4, 1e4;
  const Matrix drawn = normals(200, 100, 15), x = few.frame().forward(drawn),
               fresh = few.frame().forward(normals(2000, 100, 16));
  const Eigen::MatrixXd l = few.frame().along_rows(Matrix::Identity(100, 100)).transpose();
  const Matrix score = -(drawn * l.inverse());
  const Frame frame =
      Frame(100).refreshed(rows_of(x)).with_few().refreshed(rows_of(x), rows_of(score));
  EXPECT_GE(frame.rank(), 3); // and a few beside them, where scales are not quite right
  EXPECT_LE(frame.rank(), 12);
  const Matrix y = frame.inverse(rows_of(fresh)); // of draws that it has not seen
  const Matrix centred = y.rowwise() - y.colwise().mean();
  const Eigen::VectorXd sds = (centred.colwise().squaredNorm() / 1999).cwiseSqrt();
  EXPECT_GT(sds.minCoeff(), .7);
  EXPECT_LT(sds.maxCoeff(), 1.4);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> seen(centred.transpose() * centred / 1999);
  EXPECT_LT(seen.eigenvalues().maxCoeff(), 3.5); // scales and directions of 200 draws: 2.3 to 2.5
  const Matrix z =
      Frame(100).refreshed(rows_of(x)).inverse(rows_of(fresh)); // widths alone see nothing of it
  const Matrix about = z.rowwise() - z.colwise().mean();
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(about.transpose() * about / 1999)
                .eigenvalues()
                .maxCoeff(),
            20);
}

} // namespace
