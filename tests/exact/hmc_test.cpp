// Exact moves: equal to one particle at a time, invariant, tuned; and the moves that are not.
#include <starling/exact/hmc.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace {

using namespace starling;
using exact::Stride;

// The logarithm of an exponential variable (skewed; mean -0.5772, variance pi^2/6) and a normal of
// sd 3 that leans on it: x_1 = 2 x_0 + 3 z.
double skewed(std::span<const double> x, std::span<double> s) {
  const double e = std::exp(x[0]), z = (x[1] - 2 * x[0]) / 3;
  s[0] = 1 - e + 2 * z / 3;
  s[1] = -z / 3;
  return x[0] - e - .5 * z * z;
}

DensityOfRows rows_of_skewed() {
  return [](Rows<const double> x, Rows<double> s, std::span<double> l) {
    for (std::size_t i = 0; i < x.count; ++i)
      l[i] = skewed(x[i], s[i]);
  };
}

Frame::Matrix draws(std::size_t n) {
  Frame::Matrix x(Eigen::Index(n), 2);
  const Philox philox(77);
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = Eigen::Index(i);
    x(row, 0) = std::log(-std::log(uniform(philox(Stream::user, 0, i))));
    x(row, 1) = 2 * x(row, 0) + 3 * normal_pair(philox(Stream::user, 1, i))[0];
  }
  return x;
}

Frame lean() {
  Frame::Matrix factor(2, 2);
  factor << 1.1, 0, 2.2, 3.1;
  return Frame::dense(Eigen::Vector2d(-.5, -1), factor);
}

Frame bent() {
  const Eigen::Vector2d centre(-.5, -1), scale(1.2, 5);
  return lean().bent_by(
      Bend(centre, scale, {{1, {0}, Eigen::Vector3d(.1, .3, .1), Eigen::Vector3d(-.2, .3, .05)}}));
}

// One particle, in y, from the formula: a first try.
void slow_move(Cloud& all, std::size_t i, const Frame& frame, const Stride& stride,
               std::uint64_t seed, Step move, bool accept) {
  const Philox philox(seed);
  const auto row = Eigen::Index(i);
  const Block bits = philox(Stream::leap, move, all.id[i]);
  const std::size_t length = 1 + std::size_t(uniform(bits, 0) * double(stride.most_leaps));
  const double e = stride.step;
  const auto pair = normal_pair(philox(Stream::momentum, move, all.id[i]));
  Frame::Matrix p(1, 2), x = all.x.row(row), score(1, 2);
  p << pair[0], pair[1];
  Frame::Matrix y = frame.inverse(rows_of(x));
  double l = skewed(rows_of(x)[0], rows_of(score)[0]) + frame.log_determinant(y)[0];
  const double before = l - .5 * p.squaredNorm();
  for (std::size_t k = 0; k < length; ++k) {
    p += .5 * e * frame.pull(y, rows_of(score));
    y += e * p;
    x = frame.forward(y);
    l = skewed(rows_of(x)[0], rows_of(score)[0]) + frame.log_determinant(y)[0];
    p += .5 * e * frame.pull(y, rows_of(score));
  }
  const double probability = std::exp(l - .5 * p.squaredNorm() - before); // or more than 1, or NaN
  if (accept && !(uniform(philox(Stream::leap, move, all.id[i], 1)) < probability))
    return;
  all.x.row(row) = x.row(0);
}

TEST(Moves, AreThoseOfOneParticleAtATime) {
  CountedDensity density(rows_of_skewed());
  const Frame::Matrix x = draws(64);
  const Stride stride{.step = .9, .shorter = 0};
  for (const Frame& frame : {lean(), bent()}) {
    Cloud fast = cloud_at(rows_of(x), density), slow = fast;
    for (Step move = 0; move < 5; ++move) {
      exact::move(fast, frame, stride, density, 9, move);
      for (std::size_t i = 0; i < slow.count(); ++i)
        slow_move(slow, i, frame, stride, 9, move, true);
    }
    EXPECT_LT((fast.x - slow.x).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_GT((fast.x - x).cwiseAbs().maxCoeff(), 1);
  }
}

TEST(Moves, AreTheSameOnAnyNumberOfThreads) {
  CountedDensity density(rows_of_skewed());
  const Frame::Matrix x = draws(1001); // in pieces of 256
  Cloud one = cloud_at(rows_of(x), density), many = one;
  Threads three(3);
  for (Step move = 0; move < 3; ++move) {
    const double accepted = exact::move(one, lean(), {.step = .9}, density, 9, move).accepted;
    EXPECT_EQ(exact::move(many, lean(), {.step = .9}, density, 9, move, {}, three).accepted,
              accepted);
  }
  EXPECT_EQ(many.x, one.x);
  EXPECT_EQ(many.score, one.score);
  EXPECT_EQ(many.log_density, one.log_density);
}

TEST(Moves, BelongToAParticleAndNotToItsRow) {
  CountedDensity density(rows_of_skewed());
  const Frame::Matrix x = draws(32);
  Cloud some = cloud_at(rows_of(x), density), turned = some;
  turned.x = some.x.colwise().reverse();
  turned.score = some.score.colwise().reverse();
  std::reverse(turned.log_density.begin(), turned.log_density.end());
  std::reverse(turned.id.begin(), turned.id.end());
  exact::move(some, lean(), {}, density, 4, 3);
  exact::move(turned, lean(), {}, density, 4, 3);
  EXPECT_EQ(Frame::Matrix(turned.x.colwise().reverse()), some.x);
}

/// Largest of four moments' errors in standard errors of n independent draws. Fourth moments of x_0
/// about its mean: kurtosis 5.4, so its variance's own error is var sqrt(4.4 / n).
double worst_error(const Frame::Matrix& x) {
  const auto n = double(x.rows());
  const double v = std::numbers::pi * std::numbers::pi / 6;
  const double m = x.col(0).mean() + std::numbers::egamma;
  const double own = (x.col(0).array() + std::numbers::egamma).square().mean();
  const Eigen::ArrayXd z = (x.col(1) - 2 * x.col(0)).array() / 3;
  return std::max({std::abs(m) / std::sqrt(v / n), std::abs(own - v) / (v * std::sqrt(4.4 / n)),
                   std::abs(z.mean()) * std::sqrt(n),
                   std::abs(z.square().mean() - 1) * std::sqrt(n / 2)});
}

TEST(Moves, LeaveTheDensityAsItIsEvenWithLongSteps) {
  CountedDensity density(rows_of_skewed());
  const Frame::Matrix x = draws(4000);
  for (const double step : {.3, 1.2}) {
    Cloud walkers = cloud_at(rows_of(x), density);
    for (Step move = 0; move < 15; ++move)
      exact::move(walkers, lean(), {.step = step}, density, 5, move);
    EXPECT_LT(worst_error(walkers.x), 4) << step;
  }
}

TEST(Moves, WithoutTheAcceptanceDoNot) {
  CountedDensity density(rows_of_skewed());
  const Frame::Matrix x = draws(4000);
  Cloud walkers = cloud_at(rows_of(x), density);
  for (Step move = 0; move < 15; ++move)
    for (std::size_t i = 0; i < walkers.count(); ++i)
      slow_move(walkers, i, lean(), {.step = 1.2}, 5, move, false);
  EXPECT_FALSE(worst_error(walkers.x) < 4); // some are not finite
}

TEST(Moves, FromAWrongCloudEndAtTheDensity) {
  CountedDensity density(rows_of_skewed());
  const Frame::Matrix x = .3 * draws(2000);
  Cloud walkers = cloud_at(rows_of(x), density);
  EXPECT_GT(worst_error(walkers.x), 8);
  for (Step move = 0; move < 40; ++move)
    exact::move(walkers, lean(), {.step = .8}, density, 6, move);
  EXPECT_LT(worst_error(walkers.x), 4);
}

TEST(Moves, ToPlacesWhereTheDensityFailsAreRefused) {
  CountedDensity density([](Rows<const double> x, Rows<double> s, std::span<double> l) {
    for (std::size_t i = 0; i < x.count; ++i) {
      s[i][0] = -1;
      l[i] = x[i][0] > 0 ? -x[i][0] : std::numeric_limits<double>::quiet_NaN();
    }
  });
  Frame::Matrix x = Frame::Matrix::Constant(2000, 1, 1.0);
  Cloud walkers = cloud_at(rows_of(std::as_const(x)), density);
  for (Step move = 0; move < 40; ++move)
    exact::move(walkers, Frame(1), {.step = .5}, density, 8, move);
  EXPECT_GT(walkers.x.minCoeff(), 0);
  EXPECT_NEAR(walkers.x.mean(), 1, 4 / std::sqrt(2000.0)); // an exponential variable
}

TEST(Moves, CountAGradientForEachLeapOfEachParticle) {
  CountedDensity density(rows_of_skewed());
  const Frame::Matrix x = draws(500);
  Cloud walkers = cloud_at(rows_of(x), density);
  EXPECT_EQ(density.gradients(), 500u);
  exact::move(walkers, lean(), {.step = .5, .most_leaps = 1}, density, 1, 0);
  EXPECT_EQ(density.gradients(), 1000u);
}

TEST(Tune, ReachesTheAcceptanceAskedFor) {
  CountedDensity density(rows_of_skewed());
  const Frame::Matrix x = draws(1000);
  const Cloud walkers = cloud_at(rows_of(x), density);
  for (const double wanted : {.7, .9}) {
    const double step = exact::tune(walkers, lean(), {}, wanted, density, 3, 0);
    Cloud moved = walkers;
    double seen = 0;
    for (Step move = 0; move < 5; ++move)
      seen += exact::move(moved, lean(), {.step = step}, density, 11, move).accepted / 5;
    EXPECT_NEAR(seen, wanted, .06);
  }
  EXPECT_EQ(walkers.x, x);
}

// Guided by another density, decided by the right one: the right one is left invariant.
TEST(Moves, GuidedByAnotherDensityLeaveTheirOwnInvariant) {
  // A normal that leans as the right density does, but is not skewed.
  CountedDensity guide([](Rows<const double> x, Rows<double> s, std::span<double> l) {
    for (std::size_t i = 0; i < x.count; ++i) {
      const double u = (x[i][0] + .5) / 1.2, z = (x[i][1] - 2 * x[i][0]) / 3;
      s[i][0] = -u / 1.2 + 2 * z / 3;
      s[i][1] = -z / 3;
      if (!l.empty())
        l[i] = -.5 * (u * u + z * z);
    }
  });
  const exact::LogDensities ends = [](Rows<const double> x, std::span<double> l) {
    std::vector<double> unused(2);
    for (std::size_t i = 0; i < x.count; ++i)
      l[i] = skewed(x[i], unused);
  };
  constexpr std::size_t n = 20'000;
  const Frame::Matrix x = draws(n);
  for (const bool decided : {true, false}) {
    Cloud all = cloud_at(rows_of(x), guide);
    if (decided)
      ends(all.position(), all.log_density);
    for (Step move = 0; move < 12; ++move)
      exact::move(all, lean(), {.step = .5}, guide, 9, move,
                  decided ? ends : exact::LogDensities());
    const double mean = all.x.col(0).mean(), sd = std::numbers::pi / std::sqrt(6.0);
    const double off = std::abs(mean + .5772156649) / (sd / std::sqrt(double(n)));
    if (decided)
      EXPECT_LT(off, 4);
    else // the guide's own: its mean is another, so the test can tell
      EXPECT_GT(off, 8);
  }
}

// Many walkers are moved some at a time. What a walker does is its own business, so those at the
// seam go where they would go alone.
TEST(Hmc, MovesManyAsItMovesFew) {
  constexpr std::size_t n = 4200, dim = 100, seam = 4096; // no more go together in 100 dimensions
  std::size_t most = 0;                                   // rows of a call
  CountedDensity density([&](Rows<const double> x, Rows<double> s, std::span<double> l) {
    most = std::max(most, x.count);
    for (std::size_t i = 0; i < x.count; ++i) {
      l[i] = 0;
      for (std::size_t a = 0; a < dim; ++a) {
        s[i][a] = -x[i][a];
        l[i] -= .5 * x[i][a] * x[i][a];
      }
    }
  });
  Frame::Matrix x(n, dim);
  for (Eigen::Index k = 0; k < x.size(); ++k)
    x.data()[k] = normal_pair(Philox(5)(Stream::user, 0, std::uint64_t(k)))[0];
  Cloud all = cloud_at(std::move(x), density), few = slice(all, seam - 10, seam + 10);
  const Cloud before = all;
  most = 0;
  Threads two(2);
  const Stride stride{.step = .3, .most_leaps = 5};
  const double accepted = exact::move(all, Frame(dim), stride, density, 3, 8, {}, two).accepted;
  exact::move(few, Frame(dim), stride, density, 3, 8);
  EXPECT_EQ(most, seam);
  EXPECT_LT(0.5, accepted);
  EXPECT_LE(accepted, 1);
  EXPECT_GT((all.x.middleRows(seam - 10, 20) - before.x.middleRows(seam - 10, 20)).norm(), 1);
  EXPECT_LT((all.x.middleRows(seam - 10, 20) - few.x).norm(), 1e-10);
  EXPECT_EQ(all.id, before.id);
}

} // namespace
