// The scout: ways up, approximations, modes, and the start.
#include "support/density_of.hpp"

#include <starling/error.hpp>
#include <starling/random/philox.hpp>
#include <starling/scout/candidates.hpp>
#include <starling/scout/climb.hpp>
#include <starling/scout/scout.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace {

using namespace starling;
using namespace starling::scout;
using support::density_of;

// Independent normals with mean a and sd 10^(a - 2) in coordinate a; normalised.
double scales(std::span<const double> x, std::span<double> s) {
  double l = 0;
  for (std::size_t a = 0; a < x.size(); ++a) {
    const double sd = std::pow(10.0, double(a) - 2), z = (x[a] - double(a)) / sd;
    s[a] = -z / sd;
    l -= 0.5 * z * z + std::log(sd) + 0.5 * std::log(2 * std::numbers::pi);
  }
  return l;
}

Place place(const Eigen::VectorXd& x, CountedDensity& density) {
  Frame::Matrix row = x.transpose(), score(1, x.size());
  double l = 0;
  density(rows_of(std::as_const(row)), rows_of(score), {&l, 1});
  return {x, score.row(0), l};
}

// To within a tenth of each width; Newton's step does the rest, below.
TEST(Climb, ReachesTheTopOverFiveOrdersOfScale) {
  CountedDensity density = density_of(scales);
  std::vector<Climb> climbs;
  climbs.emplace_back(place(Eigen::VectorXd::Constant(6, -1), density));
  climb_all(climbs, density);
  for (Eigen::Index a = 0; a < 6; ++a)
    EXPECT_NEAR(climbs[0].top().x[a], double(a), .1 * std::pow(10.0, double(a) - 2));
  const Frame frame = laplace(climbs[0].top(), density);
  for (Eigen::Index a = 0; a < 6; ++a)
    EXPECT_NEAR(frame.mean()[a], double(a), 1e-3 * std::pow(10.0, double(a) - 2));
}

// Defined for positive x only: steps over the edge fail, and the search comes back.
TEST(Climb, ComesBackFromPlacesWhereTheDensityFails) {
  CountedDensity density = density_of([](auto x, auto s) {
    s[0] = 3 / x[0] - 1;
    return x[0] > 0 ? 3 * std::log(x[0]) - x[0] : std::numeric_limits<double>::quiet_NaN();
  });
  std::vector<Climb> climbs;
  for (const double from : {1e-3, 40.0})
    climbs.emplace_back(place(Eigen::VectorXd::Constant(1, from), density));
  climb_all(climbs, density);
  for (const Climb& climb : climbs)
    EXPECT_NEAR(climb.top().x[0], 3, 1e-3);
}

TEST(Climb, InLockStepIsTheSameAsAlone) {
  CountedDensity density = density_of(scales);
  std::vector<Climb> both;
  for (const double from : {-1.0, 1.5})
    both.emplace_back(place(Eigen::VectorXd::Constant(4, from), density));
  std::vector<Climb> alone{both[1]};
  climb_all(both, density);
  climb_all(alone, density);
  EXPECT_EQ(both[1].top().x, alone[0].top().x);
  EXPECT_NE(both[0].top().x, alone[0].top().x); // else the comparison would say nothing
}

TEST(Laplace, OfANormalIsThatNormal) {
  CountedDensity density = density_of(scales);
  const Frame frame = laplace(place(Eigen::Vector4d(0, 1, 2, 3), density), density);
  for (Eigen::Index a = 0; a < 4; ++a)
    EXPECT_NEAR(frame.numbers()[std::size_t(5 * a)] / std::pow(10.0, double(a) - 2), 1, 1e-4);
}

// With q = pi every draw has log pi - log q = 0; a frame 1.5 times too wide has less, by the
// Kullback-Leibler divergence d (1.5^2/2 - 1/2 - log 1.5).
TEST(Elbo, IsHighestForTheDensityItself) {
  CountedDensity density = density_of(scales);
  Eigen::Vector4d sd(.01, .1, 1, 10);
  const std::vector<Frame> frames{Frame::diagonal(Eigen::Vector4d(0, 1, 2, 3), sd),
                                  Frame::diagonal(Eigen::Vector4d(0, 1, 2, 3), 1.5 * sd)};
  const auto bounds = elbo(frames, 2000, density, Philox(1), 7);
  EXPECT_NEAR(bounds[0], 0, 1e-9);
  const double divergence = 4 * (1.125 - .5 - std::log(1.5));
  EXPECT_NEAR(bounds[1], -divergence, 4 * 1.25 * std::sqrt(2.0) / std::sqrt(2000.0));
}

TEST(Pathfinder, FindsANormalOfTheRightSize) {
  CountedDensity density = density_of(scales);
  std::vector<Climb> climbs;
  climbs.emplace_back(place(Eigen::VectorXd::Constant(4, 1.9), density));
  climb_all(climbs, density);
  const auto found = pathfinder(climbs[0].path(), Frame::Form::dense, density, Philox(2), 1);
  ASSERT_TRUE(found);
  EXPECT_GT(elbo({*found}, 200, density, Philox(3), 2)[0], -2.0);
  EXPECT_FALSE(pathfinder({climbs[0].path().front()}, Frame::Form::dense, density, Philox(2), 1));
}

double two_modes(std::span<const double> x, std::span<double> s, double apart) {
  const double a = -.5 * (x[0] - apart) * (x[0] - apart), b = -.5 * (x[0] + apart) * (x[0] + apart);
  const double top = std::max(a, b), pa = std::exp(a - top), pb = std::exp(b - top);
  s[0] = (-pa * (x[0] - apart) - pb * (x[0] + apart)) / (pa + pb);
  return top + std::log(pa + pb);
}

TEST(Scout, CountsModesFarApartAndNotOneTwice) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CountedDensity two = density_of([](auto x, auto s) { return two_modes(x, s, 10); });
    EXPECT_EQ(scout::scout(two, 1, seed).modes, 2u);
    CountedDensity one = density_of([](auto x, auto s) { return two_modes(x, s, .5); });
    EXPECT_EQ(scout::scout(one, 1, seed).modes, 1u);
    CountedDensity many = density_of(scales);
    EXPECT_EQ(scout::scout(many, 5, seed).modes, 1u);
  }
}

// One step each: eight ends far apart, of about the same height, none of them a mode.
TEST(Scout, DoesNotCountEndsThatWereStillClimbing) {
  CountedDensity density = density_of([](auto x, auto s) {
    double l = 0;
    for (std::size_t a = 0; a < x.size(); ++a) {
      s[a] = -4 * x[a];
      l -= 2 * x[a] * x[a];
    }
    return l;
  });
  Settings settings;
  settings.iterations = 1;
  EXPECT_EQ(scout::scout(density, 20, 1, settings).modes, 1u);
}

TEST(Scout, SaysWhenTheDensityIsFiniteNowhere) {
  CountedDensity density =
      density_of([](auto, auto) { return -std::numeric_limits<double>::infinity(); });
  EXPECT_THROW(scout::scout(density, 2, 1), TargetError);
}

TEST(Scout, IsDiagonalInManyDimensions) {
  CountedDensity density = density_of([](auto x, auto s) {
    double l = 0;
    for (std::size_t a = 0; a < x.size(); ++a) {
      const double sd = a % 2 == 0 ? 1 : 5;
      s[a] = -x[a] / (sd * sd);
      l -= .5 * x[a] * x[a] / (sd * sd);
    }
    return l;
  });
  const Report report = scout::scout(density, 501, 1);
  EXPECT_FALSE(report.frame.is_dense());
  for (std::size_t a = 0; a < 501; ++a)
    ASSERT_NEAR(report.frame.numbers()[a] / (a % 2 == 0 ? 1 : 5), 1, .01);
}

// log of an exponential variable: mean -0.5772, to the left of Laplace's mean at 0, and skewed.
// Keeping one draw in four takes the mean half of the way; all draws are off by .58.
TEST(Start, ThinsDrawsTowardsTheDensity) {
  CountedDensity density = density_of([](auto x, auto s) {
    s[0] = 1 - std::exp(x[0]);
    return x[0] - std::exp(x[0]);
  });
  const Frame frame = laplace(place(Eigen::VectorXd::Zero(1), density), density);
  const Frame::Matrix kept = start(frame, density, 2000, 5);
  const double error = kept.mean() + std::numbers::egamma;
  EXPECT_LT(std::abs(error), .6 * std::numbers::egamma);
  EXPECT_GT(std::abs(frame.mean()[0] + std::numbers::egamma), .5);
  EXPECT_EQ(start(frame, density, 2000, 5), kept);
  EXPECT_NE(start(frame, density, 2000, 6), kept);
}

TEST(Start, NeverKeepsADrawWhoseScoreIsNoWayToGo) {
  constexpr double no_number = std::numeric_limits<double>::quiet_NaN(),
                   infinite = std::numeric_limits<double>::infinity();
  const Frame frame =
      Frame::from_covariance(Eigen::VectorXd::Zero(2), Frame::Matrix::Identity(2, 2));
  for (const double score : {no_number, infinite, 1e200}) { // the last overflows when it is squared
    CountedDensity density = density_of([&](auto x, auto s) {
      s[0] = x[0] > 0.5 ? score : -x[0];
      s[1] = -x[1];
      return -0.5 * (x[0] * x[0] + x[1] * x[1]); // finite everywhere
    });
    EXPECT_LT(start(frame, density, 200, 5).col(0).maxCoeff(), 0.5) << score;
  }
  CountedDensity sound = density_of([](auto x, auto s) {
    s[0] = -x[0], s[1] = -x[1];
    return -0.5 * (x[0] * x[0] + x[1] * x[1]);
  });
  EXPECT_GT(start(frame, sound, 200, 5).col(0).maxCoeff(), 1);
}

// A small mode where the scout begins, and nearly all of the mass 10^4 away.
double far_away(std::span<const double> x, std::span<double> s) {
  const double near = -x[0] * x[0] / 2, off = x[0] - 1e4, far = 300 - off * off / 2;
  const double top = std::max(near, far), a = std::exp(near - top), b = std::exp(far - top);
  s[0] = -(a * x[0] + b * off) / (a + b);
  return top + std::log(a + b);
}

TEST(Scout, ClimbsAlsoFromPlacesThatTheTargetKnows) {
  CountedDensity density = density_of(far_away);
  const Report without = scout::scout(density, 1, 3);
  EXPECT_NEAR(without.frame.mean()[0], 0, .1);
  Settings settings;
  settings.climb_from = [] { return std::vector<std::vector<double>>{{9990.0}}; };
  const Report with = scout::scout(density, 1, 3, settings);
  EXPECT_NEAR(with.frame.mean()[0], 1e4, .1);
  EXPECT_EQ(with.modes, 1u); // the other has e^-300 of the mass
}

TEST(Scout, GoesItsOwnWayWhereAKnownPlaceIsNoBetter) {
  CountedDensity density = density_of(scales);
  const Report without = scout::scout(density, 3, 3);
  Settings settings;
  settings.climb_from = [] { return std::vector<std::vector<double>>{{0.1, 0.9, 3.0}}; };
  const Report with = scout::scout(density, 3, 3, settings);
  EXPECT_EQ(with.frame.mean(), without.frame.mean());
  EXPECT_TRUE(std::ranges::equal(with.frame.numbers(), without.frame.numbers()));
  EXPECT_EQ(with.elbo, without.elbo);
  EXPECT_EQ(with.tops, without.tops);
  settings.climb_from = [] { return std::vector<std::vector<double>>{{0.1, 0.9}}; };
  EXPECT_THROW(scout::scout(density, 3, 3, settings), std::invalid_argument);
}

// Twelve group means around mu with sd tau, each measured with an error of 10: as tau goes to 0 the
// density has no bound, and the highest of eight ways up is the one that went furthest into the
// neck.
double neck(std::span<const double> x, std::span<double> s) {
  constexpr double measured[] = {4, -3, 11, 2, 9, -8, 1, 14, 5, -2, 7, 3};
  const double mu = x[0], tau = std::exp(x[1]), tail = tau * tau / 25;
  double l = -mu * mu / 50 - std::log1p(tail) + x[1] * (1 - 12);
  s[0] = -mu / 25;
  s[1] = 1 - 12 - 2 * tail / (1 + tail);
  for (std::size_t j = 0; j < 12; ++j) {
    const double z = (x[2 + j] - mu) / tau, error = (measured[j] - x[2 + j]) / 10;
    l -= 0.5 * (z * z + error * error);
    s[0] += z / tau;
    s[1] += z * z;
    s[2 + j] = error / 10 - z / tau;
  }
  return std::isfinite(l + s[0] + s[1]) ? l : -std::numeric_limits<double>::infinity();
}

TEST(Scout, DoesNotStayInTheNeckOfAFunnel) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CountedDensity density = density_of(neck);
    const Report report = scout::scout(density, 14, seed);
    EXPECT_TRUE(report.by_pathfinder);
    EXPECT_EQ(report.modes, 1u) << seed;
    EXPECT_GT(report.frame.mean()[1], std::log(0.05)) << seed; // the posterior's tau is about 4
    EXPECT_GT(report.elbo, -1.5) << seed;                      // by the highest way alone -12 to 5
  }
}

} // namespace
