// Scouting in many dimensions: few directions beside a diagonal, and the scout in parts.
#include <starling/random/philox.hpp>
#include <starling/scout/candidates.hpp>
#include <starling/scout/scout.hpp>

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>

#include <cmath>

namespace {

using namespace starling;
using namespace starling::scout;

Eigen::MatrixXd white(Eigen::Index rows, Eigen::Index cols, std::uint64_t seed) {
  Eigen::MatrixXd z(rows, cols);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index a = 0; a < cols; ++a)
      z(i, a) = normal_pair(Philox(seed)(Stream::user, std::uint64_t(a), std::uint64_t(i)))[0];
  return z;
}

// A normal with mean 3 and scales .1, 1, 10, of which four directions are 10 to 1000 times as wide.
struct Wide {
  Eigen::MatrixXd covariance, precision;
  explicit Wide(Eigen::Index d) {
    Eigen::VectorXd scale(d);
    for (Eigen::Index a = 0; a < d; ++a)
      scale[a] = std::pow(10.0, double(a % 3) - 1);
    const Eigen::MatrixXd v =
        Eigen::HouseholderQR<Eigen::MatrixXd>(white(d, 4, 31)).householderQ() *
        Eigen::MatrixXd::Identity(d, 4);
    const Eigen::Vector4d stretch(10, 100, 300, 1000);
    const Eigen::MatrixXd turned = v * (stretch.array() - 1).matrix().asDiagonal() * v.transpose();
    const Eigen::MatrixXd l = scale.asDiagonal() * (Eigen::MatrixXd::Identity(d, d) + turned);
    covariance = l * l.transpose();
    precision = l.inverse().transpose() * l.inverse();
  }
  CountedDensity density() const {
    return CountedDensity([this](Rows<const double> x, Rows<double> s, std::span<double> l) {
      for (std::size_t i = 0; i < x.count; ++i) {
        const Eigen::VectorXd off =
            (Eigen::Map<const Eigen::VectorXd>(x[i].data(), Eigen::Index(x.dim)).array() - 3)
                .matrix();
        Eigen::Map<Eigen::VectorXd>(s[i].data(), Eigen::Index(x.dim)) = -(precision * off);
        l[i] = -.5 * off.dot(precision * off);
      }
    });
  }
};

Eigen::MatrixXd covariance_of(const Frame& frame) {
  const auto d = Eigen::Index(frame.dim());
  const Eigen::MatrixXd l = frame.along_rows(Frame::Matrix::Identity(d, d)).transpose();
  return l * l.transpose();
}

// The largest ratio of variances between the frame's normal and the density, over all directions.
double worst(const Frame& frame, const Wide& wide) {
  const auto d = Eigen::Index(frame.dim());
  const Eigen::MatrixXd l = frame.along_rows(Frame::Matrix::Identity(d, d)).transpose();
  const Eigen::VectorXd ratios =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(l.transpose() * wide.precision * l)
          .eigenvalues();
  return std::max(ratios.maxCoeff(), 1 / ratios.minCoeff());
}

TEST(ScoutOfLowRank, FindsTheWideDirectionsOfANormal) {
  const Wide wide(60);
  CountedDensity density = wide.density();
  Settings settings;
  settings.form = Frame::Form::low_rank;
  const Report report = scout::scout(density, 60, 1, settings);
  EXPECT_EQ(report.frame.form(), Frame::Form::low_rank);
  EXPECT_LT(worst(report.frame, wide), 1.1);
  EXPECT_LT((report.frame.inverse({Eigen::VectorXd::Constant(60, 3).eval().data(), 1, 60})).norm(),
            .1);
  settings.form = Frame::Form::diagonal;
  EXPECT_GT(worst(scout::scout(density, 60, 1, settings).frame, wide), 1e3);
}

// The slow twin: the update of BFGS on a matrix, oldest pair first.
TEST(ScoutOfLowRank, MakesOfAHistoryWhatBfgsDoes) {
  const Wide wide(9);
  const Eigen::VectorXd alpha = white(9, 1, 41).array().square() + .5, at = white(9, 1, 42),
                        score = white(9, 1, 43);
  std::deque<std::pair<Eigen::VectorXd, Eigen::VectorXd>> pairs;
  Eigen::MatrixXd h = alpha.asDiagonal();
  for (std::uint64_t n = 0; n < 4; ++n) {
    const Eigen::VectorXd s = white(9, 1, 50 + n), y = wide.precision * s;
    pairs.emplace_back(s, y);
    const double rho = 1 / s.dot(y);
    const Eigen::MatrixXd left = Eigen::MatrixXd::Identity(9, 9) - rho * s * y.transpose();
    h = left * h * left.transpose() + rho * s * s.transpose();
  }
  const Frame frame = from_history(at, score, alpha, pairs);
  EXPECT_EQ(frame.rank(), 8);
  EXPECT_LT((covariance_of(frame) - h).cwiseAbs().maxCoeff(), 1e-6 * h.cwiseAbs().maxCoeff());
  EXPECT_LT((frame.mean() - (at + h * score)).cwiseAbs().maxCoeff(),
            1e-9 * (h * score).cwiseAbs().maxCoeff());
}

TEST(Scouting, InPartsIsTheScout) {
  const Wide wide(12);
  CountedDensity one = wide.density(), other = wide.density();
  const Report whole = scout::scout(one, 12, 4);
  Scouting scouting(other, 12, 4, {});
  std::uint64_t largest = 0, parts = 1, before = 0;
  for (; scouting.step(); ++parts) {
    largest = std::max(largest, other.gradients() - before);
    before = other.gradients();
  }
  EXPECT_EQ(scouting.report().frame.numbers(), whole.frame.numbers());
  EXPECT_EQ(scouting.report().elbo, whole.elbo);
  EXPECT_EQ(one.gradients(), other.gradients());
  EXPECT_GT(parts, 20u);
  EXPECT_LE(largest, 600u); // Pathfinder's 60 places
}

} // namespace
