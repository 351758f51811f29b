// Bends: slopes by differences, chains, who controls whom, and exact moves that keep a density.
#include "support/density_of.hpp"
#include "support/normals.hpp"

#include <starling/exact/hmc.hpp>
#include <starling/fields.hpp>
#include <starling/frame.hpp>
#include <starling/random/philox.hpp>

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>

#include <cmath>
#include <functional>
#include <string>

namespace {

using namespace starling;

using support::density_of, support::normals;

// 0 controls 2; 2 and 1 control 0's grandchild 3: a chain. Numbers as they come.
Bend some_bend() {
  const Eigen::VectorXd n = .3 * normals(1, 40, 21).row(0).transpose();
  return {
      Eigen::Vector4d(1, -2, 0, 3),
      Eigen::Vector4d(.5, 2, 1, .1),
      {{2, {0}, n.segment(0, 3), n.segment(3, 3)}, {3, {2, 1}, n.segment(6, 6), n.segment(12, 5)}}};
}

Frame some_bent_frame() {
  Frame::Matrix factor = Frame::Matrix::Identity(4, 4);
  factor(2, 0) = .4;
  factor(3, 3) = 2;
  return Frame::dense(Eigen::Vector4d(.1, 0, -.2, 0), factor).bent_by(some_bend());
}

TEST(Bend, TakesPositionsInAndOutAgain) {
  const Frame::Matrix y = 3 * normals(50, 4, 22); // also outside, where features are bounded
  const Frame frame = some_bent_frame();
  const Frame::Matrix x = frame.forward(y);
  EXPECT_LT((frame.inverse(rows_of(x)) - y).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_GT((x - some_bend().forward(y)).cwiseAbs().maxCoeff(), .1); // the affine part counts
}

// Slow twin: every slope of x along y by differences.
Eigen::MatrixXd slopes(const Frame& frame, const Frame::Matrix& y) {
  const double h = 1e-6;
  Eigen::MatrixXd j(y.cols(), y.cols());
  for (Eigen::Index a = 0; a < y.cols(); ++a) {
    Frame::Matrix up = y, down = y;
    up(0, a) += h;
    down(0, a) -= h;
    j.col(a) = (frame.forward(up) - frame.forward(down)).row(0).transpose() / (2 * h);
  }
  return j;
}

TEST(Bend, HasTheDeterminantAndTheScoresOfItsSlopes) {
  const Frame frame = some_bent_frame();
  for (std::uint64_t seed = 30; seed < 40; ++seed) {
    const Frame::Matrix y = 2 * normals(1, 4, seed), s = normals(1, 4, 50 + seed);
    const Eigen::MatrixXd j = slopes(frame, y);
    EXPECT_NEAR(frame.log_determinant(y)[0], std::log(std::abs(j.determinant())), 1e-6);
    Eigen::RowVectorXd wanted = s * j;
    const double h = 1e-6;
    for (Eigen::Index a = 0; a < 4; ++a) {
      Frame::Matrix up = y, down = y;
      up(0, a) += h;
      down(0, a) -= h;
      wanted[a] += (frame.log_determinant(up)[0] - frame.log_determinant(down)[0]) / (2 * h);
    }
    EXPECT_LT((frame.pull(y, rows_of(s)) - wanted).cwiseAbs().maxCoeff(),
              1e-6 * (1 + wanted.cwiseAbs().maxCoeff()));
    EXPECT_GT((s * j - wanted).norm(), 1e-3); // the slope of the determinant counts
  }
}

TEST(Bend, IsSavedAndRestored) {
  const Frame frame = some_bent_frame();
  SaveFields to;
  to("frame", frame);
  RestoreFields from(to.bytes);
  Frame again;
  from("frame", again);
  EXPECT_TRUE(from.at_end());
  const Frame::Matrix y = normals(5, 4, 23);
  EXPECT_EQ(again.forward(y), frame.forward(y));
  EXPECT_EQ(again.bend()->dependents()[1].controllers, (std::vector<std::size_t>{2, 1}));
}

TEST(Bend, RefusesRingsAndNumbersThatDoNotFit) {
  const Eigen::VectorXd two = Eigen::Vector2d(0, 0), one = two.array() + 1,
                        three = Eigen::Vector3d(0, 0, 0);
  EXPECT_THROW(Bend(two, one, {{0, {0}, three, three}}), std::invalid_argument);
  EXPECT_THROW(Bend(two, one, {{0, {2}, three, three}}), std::invalid_argument);
  EXPECT_THROW(Bend(two, one, {{0, {1}, three, two}}), std::invalid_argument);
  EXPECT_THROW(Bend(two, one, {{0, {1}, three, three}, {1, {0}, three, three}}),
               std::invalid_argument);
  EXPECT_NO_THROW(Bend(two, one, {{0, {1}, three, three}}));
}

double funnel(std::span<const double> x, std::span<double> s) { // v, then normals of variance e^v
  const double e = std::exp(-x[0]);
  double square = 0;
  for (std::size_t a = 1; a < x.size(); ++a) {
    square += x[a] * x[a];
    s[a] = -x[a] * e;
  }
  const auto rest = double(x.size() - 1);
  s[0] = -x[0] / 9 + square * e / 2 - rest / 2;
  return -x[0] * x[0] / 18 - square * e / 2 - rest * x[0] / 2;
}

double banana(std::span<const double> x, std::span<double> s) { // curvature 1, width 2
  const double b = x[1] - x[0] * x[0] + 4;
  s[0] = -x[0] / 4 + 2 * x[0] * b;
  s[1] = -b;
  return -x[0] * x[0] / 8 - b * b / 2;
}

double scales_of_scales(std::span<const double> x, std::span<double> s) { // 0, 1, then the others
  const double e0 = std::exp(-x[0]), e1 = std::exp(-x[1]);
  s[0] = -x[0] + x[1] * x[1] * e0 / 2 - .5;
  s[1] = -x[1] * e0;
  double l = -x[0] * x[0] / 2 - x[1] * x[1] * e0 / 2 - x[0] / 2;
  for (std::size_t a = 2; a < x.size(); ++a) {
    s[a] = -x[a] * e1;
    s[1] += x[a] * x[a] * e1 / 2 - .5;
    l -= x[a] * x[a] * e1 / 2 + x[1] / 2;
  }
  return l;
}

using One = double (*)(std::span<const double>, std::span<double>);

std::optional<Bend> fitted(One one, const Frame::Matrix& x) {
  CountedDensity density = density_of(one);
  const Cloud cloud = cloud_at(rows_of(x), density);
  return fit_bend(cloud.position(), rows_of(cloud.score));
}

Frame::Matrix right_funnel(Eigen::Index rows, std::uint64_t seed) {
  Frame::Matrix x = normals(rows, 10, seed);
  x.col(0) *= 3;
  x.rightCols(9) = (x.col(0) / 2).array().exp().matrix().asDiagonal() * x.rightCols(9);
  return x;
}

// From a start that is far from right, and from draws of the density.
TEST(FitBend, FindsWhoControlsWhom) {
  for (const Frame::Matrix& x : {normals(256, 10, 1), right_funnel(256, 2)}) {
    const std::optional<Bend> bend = fitted(funnel, x);
    ASSERT_TRUE(bend);
    ASSERT_EQ(bend->dependents().size(), 9u);
    for (const Bend::Dependent& one : bend->dependents())
      EXPECT_EQ(one.controllers, std::vector<std::size_t>{0});
  }
  const std::optional<Bend> bend = fitted(banana, normals(256, 2, 3));
  ASSERT_TRUE(bend);
  ASSERT_EQ(bend->dependents().size(), 1u);
  EXPECT_EQ(bend->dependents()[0].parameter, 1u);
}

TEST(FitBend, FindsScalesOfScales) {
  const std::optional<Bend> bend = fitted(scales_of_scales, normals(256, 12, 3));
  ASSERT_TRUE(bend);
  ASSERT_EQ(bend->dependents().size(), 11u);
  for (const Bend::Dependent& one : bend->dependents())
    EXPECT_EQ(one.controllers, std::vector<std::size_t>{one.parameter == 1 ? 0u : 1u});
}

// In the frame of a funnel its scores are those of a normal: s_y = -P (y - m).
TEST(FitBend, MakesTheFunnelStraight) {
  const std::optional<Bend> bend = fitted(funnel, right_funnel(500, 4));
  ASSERT_TRUE(bend);
  CountedDensity density = density_of(funnel);
  const Frame::Matrix fresh = right_funnel(500, 5);
  const Cloud cloud = cloud_at(rows_of(fresh), density);
  const auto not_linear = [](const Frame::Matrix& y, const Frame::Matrix& s) {
    Eigen::MatrixXd with(y.rows(), y.cols() + 1);
    with << y, Eigen::VectorXd::Ones(y.rows());
    const Eigen::MatrixXd rest = s - with * with.householderQr().solve(Eigen::MatrixXd(s));
    return rest.squaredNorm() / s.squaredNorm();
  };
  const Frame::Matrix t = bend->inverse(cloud.position());
  EXPECT_LT(not_linear(t, bend->pull(t, rows_of(cloud.score))), .1);
  EXPECT_GT(not_linear(cloud.x, cloud.score), .5);
}

TEST(FitBend, LeavesNormalsAsTheyAre) {
  for (const Eigen::Index d : {2, 20, 100})
    for (const double condition : {1.0, 1e2, 1e6})
      for (const bool right : {true, false}) {
        const Eigen::MatrixXd q =
            Eigen::HouseholderQR<Eigen::MatrixXd>(Eigen::MatrixXd(normals(d, d, 61)))
                .householderQ();
        Eigen::VectorXd sd(d);
        for (Eigen::Index a = 0; a < d; ++a)
          sd[a] = std::pow(condition, double(a) / double(d - 1) / 2);
        Frame::Matrix x = normals(256, d, 62);
        if (right)
          x = x * sd.asDiagonal() * q.transpose();
        const Frame::Matrix score =
            -x * q * sd.array().square().inverse().matrix().asDiagonal() * q.transpose();
        EXPECT_FALSE(fit_bend(rows_of(x), rows_of(score))) << d << ' ' << condition << ' ' << right;
      }
}

// Twelve weights of a logistic regression over 60 rows: skewed a little, and hardly ever bent.
TEST(FitBend, LeavesALogisticPosteriorAsItIs) {
  const Eigen::MatrixXd rows = normals(60, 12, 71), w = normals(12, 1, 72);
  const Eigen::VectorXd noise = normals(60, 1, 73);
  const auto score_at = [&](const Eigen::MatrixXd& x) -> Frame::Matrix {
    Eigen::MatrixXd off = x * rows.transpose();
    for (Eigen::Index i = 0; i < off.rows(); ++i)
      for (Eigen::Index k = 0; k < off.cols(); ++k)
        off(i, k) = ((rows.row(k) * w)(0) > noise[k]) - 1 / (1 + std::exp(-off(i, k)));
    return off * rows - x / 4;
  };
  CountedDensity density([&](Rows<const double> x, Rows<double> s, std::span<double> l) {
    const Eigen::MatrixXd at = Frame::map(x);
    Frame::map(s) = score_at(at);
    for (Eigen::Index i = 0; i < at.rows(); ++i) {
      l[std::size_t(i)] = -at.row(i).squaredNorm() / 8;
      for (Eigen::Index k = 0; k < 60; ++k) {
        const double z = (at.row(i) * rows.row(k).transpose())(0);
        l[std::size_t(i)] -=
            (rows.row(k) * w)(0) > noise[k] ? std::log1p(std::exp(-z)) : std::log1p(std::exp(z));
      }
    }
  });
  const Frame::Matrix x = normals(256, 12, 74);
  constexpr std::size_t seeds = 20, expected = 4; // of 60: one half's skewness may fit the other's
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Cloud cloud = cloud_at(rows_of(x), density);
    EXPECT_FALSE(fit_bend(cloud.position(), rows_of(cloud.score)));
    for (Step move = 0; move < 30; ++move) {
      exact::move(cloud, Frame(12), {.step = .2}, density, seed, move);
      if (move % 10 == 9 && fit_bend(cloud.position(), rows_of(cloud.score)))
        ++found;
    }
  }
  EXPECT_LE(double(found), expected + 4 * std::sqrt(double(expected)));
}

/// Mean and variance of v and of x e^(-v/2), in standard errors of so many draws.
double off_from_funnel(const Frame::Matrix& x) {
  const auto n = double(x.rows());
  const Eigen::ArrayXd v = x.col(0) / 3, t = x.col(1).array() * (-x.col(0).array() / 2).exp();
  return std::sqrt(n) *
         std::max({std::abs(v.mean()), std::abs(v.square().mean() - 1) / std::sqrt(2),
                   std::abs(t.mean()), std::abs(t.square().mean() - 1) / std::sqrt(2)});
}

/// Without the log determinant: the density of the wrong one, exp(-log |dx/dy|) times too large.
TEST(FitBend, MovesInABentFrameLeaveTheDensityAsItIs) {
  const std::optional<Bend> bend = fitted(funnel, right_funnel(256, 6));
  ASSERT_TRUE(bend);
  const Frame frame = Frame(10).bent_by(*bend);
  const Frame::Matrix x = right_funnel(4000, 8);
  for (const bool with_determinant : {true, false}) {
    CountedDensity density([&](Rows<const double> at, Rows<double> s, std::span<double> l) {
      for (std::size_t i = 0; i < at.count; ++i)
        l[i] = funnel(at[i], s[i]);
      if (with_determinant)
        return;
      const Frame::Vector taken = frame.log_determinant(frame.inverse(at));
      for (std::size_t i = 0; i < at.count; ++i)
        l[i] -= taken[Eigen::Index(i)];
    });
    Cloud walkers = cloud_at(rows_of(x), density);
    double accepted = 0;
    for (Step move = 0; move < 30; ++move)
      accepted += exact::move(walkers, frame, {.step = .4}, density, 9, move).accepted / 30;
    if (with_determinant) {
      EXPECT_GT(accepted, .8);
      EXPECT_LT(off_from_funnel(walkers.x), 4);
    } else {
      EXPECT_GT(off_from_funnel(walkers.x), 8);
    }
  }
}

} // namespace
