// Tempering: its evidence, modes that the scout does not meet, and a run that is cut in it.
#include "stages/densities.hpp"

#include <starling/stages/journey.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace starling;
using namespace starling::stage_tests;

const double tempered_normal = 0.5 * std::log(2 * std::numbers::pi);

stages::Tempering tempered(const DensityOfRows& density, std::size_t dim, std::uint64_t seed) {
  scout::Mode around;
  around.frame = Frame(dim);
  around.x = Eigen::VectorXd::Zero(Eigen::Index(dim));
  stages::Tempering tempering(std::span(&around, 1), seed);
  CountedDensity counted(density);
  while (!tempering.over())
    tempering.unit(counted);
  return tempering;
}

/// .7 at 0 and .3 twelve away along the first parameter: more than a climb from near 0 sees.
double far_mode(std::span<const double> x, std::span<double> s) {
  double a = std::log(.7), b = std::log(.3);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double off = x[k] - (k == 0 ? 12 : 0);
    a -= .5 * x[k] * x[k];
    b -= .5 * off * off;
  }
  const double top = std::max(a, b), pa = std::exp(a - top), pb = std::exp(b - top);
  for (std::size_t k = 0; k < x.size(); ++k)
    s[k] = -(pa * x[k] + pb * (x[k] - (k == 0 ? 12 : 0))) / (pa + pb);
  return top + std::log(pa + pb);
}

// Two errors cover the truth in 95 of 100; fewer than 33 of 40 would be once in 1000 times. A truth
// that is off by half is not covered.
TEST(Tempering, KnowsTheEvidenceAndItsError) {
  constexpr int runs = 40;
  int covered = 0, covered_wrongly = 0;
  double mean = 0, square = 0;
  for (int seed = 1; seed <= runs; ++seed) {
    const judge::LogEvidence found = tempered(each(standard), 5, std::uint64_t(seed)).evidence();
    const double error = found.value - 5 * tempered_normal;
    covered += std::abs(error) <= 2 * found.se;
    covered_wrongly += std::abs(error - .5) <= 2 * found.se;
    mean += error / runs;
    square += error * error / runs;
  }
  EXPECT_GE(covered, 33);
  EXPECT_LT(covered_wrongly, 10);
  EXPECT_LT(std::abs(mean), 3 * std::sqrt(square / runs));
}

TEST(Tempering, GivesAFarModeItsShare) {
  double share = 0;
  constexpr int runs = 10;
  for (int seed = 1; seed <= runs; ++seed) {
    const stages::Tempering made = tempered(each(far_mode), 4, std::uint64_t(seed));
    share +=
        double((made.cloud().x.col(0).array() > 6).count()) / double(made.cloud().count()) / runs;
  }
  EXPECT_NEAR(share, .3, .06); // an error of .02 each
}

/// .5 N(0, 1) and .5 N(60, 2^2), so far out that a reference made from the first hardly reaches it.
double far_wide_mode(std::span<const double> x, std::span<double> s) {
  double a = std::log(.5), b = std::log(.5) - double(x.size()) * std::log(2.0);
  for (const double v : x) {
    a -= .5 * v * v;
    b -= .125 * (v - 60) * (v - 60);
  }
  const double top = std::max(a, b), pa = std::exp(a - top), pb = std::exp(b - top);
  for (std::size_t k = 0; k < x.size(); ++k)
    s[k] = -(pa * x[k] + pb * (x[k] - 60) / 4) / (pa + pb);
  return top + std::log(pa + pb);
}

// Draws of a prior that is centred elsewhere and much wider: both modes get their share, and the
// evidence is right. Without them, the control, the far mode has none.
TEST(Tempering, BeginsAsWideAsAPrior) {
  constexpr std::size_t dim = 3;
  scout::Mode around;
  around.frame = Frame(dim);
  around.x = Eigen::VectorXd::Zero(dim);
  const Frame prior =
      Frame::diagonal(Eigen::VectorXd::Constant(dim, 20), Eigen::VectorXd::Constant(dim, 40));
  double share = 0, without = 0, off = 0;
  constexpr int runs = 8;
  for (int seed = 1; seed <= runs; ++seed)
    for (const bool given : {false, true}) {
      stages::Tempering tempering(std::span(&around, 1), std::uint64_t(seed),
                                  given ? prior : Frame());
      CountedDensity counted(each(far_wide_mode));
      while (!tempering.over())
        tempering.unit(counted);
      const Frame::Matrix& x = tempering.cloud().x;
      (given ? share : without) +=
          double((x.col(0).array() > 30).count()) / double(x.rows()) / runs;
      if (given)
        off = std::max(off, std::abs(tempering.evidence().value - dim * tempered_normal) /
                                tempering.evidence().se);
    }
  EXPECT_NEAR(share, .5, .1);
  EXPECT_LT(without, .05);
  EXPECT_LT(off, 4);
}

// A prior that misses what the scout met is widened until it does not.
TEST(Tempering, OfAPriorReachesWhatTheScoutMet) {
  scout::Mode around;
  around.frame = Frame(2);
  around.x = Eigen::VectorXd::Constant(2, 50);
  const auto there = each([](std::span<const double> x, std::span<double> s) {
    for (std::size_t k = 0; k < 2; ++k)
      s[k] = 50 - x[k];
    return -.5 * (std::pow(x[0] - 50, 2) + std::pow(x[1] - 50, 2));
  });
  stages::Tempering tempering(std::span(&around, 1), 1, Frame(2));
  CountedDensity counted(there);
  while (!tempering.over())
    tempering.unit(counted);
  EXPECT_NEAR(tempering.cloud().x.mean(), 50, .2);
}

Settings with_tempering(bool on) {
  Settings settings = small(128);
  settings.steps = 20;
  settings.polish_steps = 5;
  settings.temper = on;
  settings.evidence = true;
  return settings;
}

TEST(Tempering, BringsModesToTheJourneyAndAgreesWithTheBridge) {
  stages::Journey journey({each(far_mode), 4}, with_tempering(true));
  while (!journey.finished())
    journey.take(1);
  ASSERT_EQ(journey.groups(), 2u);
  const double truth = 4 * tempered_normal;
  ASSERT_TRUE(journey.evidence() && journey.tempered_evidence());
  EXPECT_LT(std::abs(journey.evidence()->value - truth), 4 * journey.evidence()->se);
  EXPECT_LT(std::abs(journey.tempered_evidence()->value - truth),
            4 * journey.tempered_evidence()->se);
  EXPECT_EQ(journey.gradients()[5].first, "temper");
}

/// .7 N(-3, 1) in every coordinate and .3 N(3, .5^2) in every other one, all of it moved by 40, so
/// that the origin says nothing: the narrow mode draws so little of the space that climbs and looks
/// seldom meet it.
double narrow_mode(std::span<const double> moved, std::span<double> s) {
  std::vector<double> x(moved.begin(), moved.end());
  for (double& one : x)
    one -= 40;
  double a = std::log(.7), b = std::log(.3) + double(x.size()) * std::log(2.0);
  const auto there = [](std::size_t k) { return k % 2 == 0 ? 3.0 : -3.0; };
  for (std::size_t k = 0; k < x.size(); ++k) {
    a -= .5 * (x[k] + 3) * (x[k] + 3);
    b -= 2 * (x[k] - there(k)) * (x[k] - there(k));
  }
  const double top = std::max(a, b), pa = std::exp(a - top), pb = std::exp(b - top);
  for (std::size_t k = 0; k < x.size(); ++k)
    s[k] = -(pa * (x[k] + 3) + 4 * pb * (x[k] - there(k))) / (pa + pb);
  return top + std::log(pa + pb);
}

TEST(Tempering, BringsANarrowModeThatIsOftenMissedWithoutIt) {
  std::array<int, 2> found{};
  for (const bool on : {false, true})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Settings settings = with_tempering(on);
      settings.seed = seed;
      settings.evidence = false;
      stages::Journey journey({each(narrow_mode), 8}, settings);
      while (!journey.finished())
        journey.take(1);
      if (journey.groups() == 1)
        continue;
      ++found[on];
      const auto& x = journey.cloud().x;
      EXPECT_NEAR(double((x.col(0).array() > 41).count()) / double(x.rows()), .3, .05);
    }
  EXPECT_GE(found[true], 17); // 38 of 40 seeds found it, and 9 of 40 without tempering
  EXPECT_LE(found[false], 9); // 2 standard errors above
}

// Where looks hit a second arm that no way up leads to, tempering begins unasked, and each arm, or
// a part of one, is a group with moves of its own width. A normal, the control, is left alone.
TEST(Tempering, BeginsUnaskedWhereLooksFindMoreThanWaysUp) {
  int crosses = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Settings settings = small(256);
    settings.seed = seed;
    stages::Journey journey({each(cross), 2}, settings), alone({each(standard), 2}, settings);
    while (!journey.finished())
      journey.take(1);
    while (!alone.finished())
      alone.take(1);
    EXPECT_NE(journey.gradients()[4].first, "look");
    EXPECT_EQ(alone.gradients()[4].first, "look"); // nothing before it
    if (journey.groups() < 2)
      continue;
    ++crosses;
    EXPECT_EQ(journey.searched().hits, 0u);
    const auto& x = journey.cloud().x;
    for (const Eigen::Index a : {0, 1})
      EXPECT_NEAR(std::sqrt(x.col(a).array().square().mean()), std::sqrt(50.005), .8) << seed;
  }
  EXPECT_GE(crosses, 3);
}

// Copies of one particle go ways of their own; where all six moves are refused two may stay.
TEST(Tempering, LeavesHardlyAnyTwoParticlesAtOnePlace) {
  const Frame::Matrix x = tempered(each(standard), 3, 1).cloud().x;
  std::set<double> places;
  for (Eigen::Index i = 0; i < x.rows(); ++i)
    places.insert(x(i, 0));
  EXPECT_GT(places.size(), 1000u);
}

TEST(Tempering, OfOneModeGoesOnToTheFlight) {
  stages::Journey journey({each(standard), 3}, with_tempering(true));
  while (!journey.finished())
    journey.take(1);
  EXPECT_EQ(journey.groups(), 1u);
  EXPECT_TRUE(journey.certificate());
  stages::Journey without({each(standard), 3}, with_tempering(false));
  while (!without.finished())
    without.take(1);
  EXPECT_FALSE(without.tempered_evidence());
  EXPECT_EQ(journey.cloud().x, without.cloud().x);
}

TEST(Tempering, GoesOnFromAnyUnitBitForBit) {
  const Settings settings = with_tempering(true);
  stages::Journey whole({each(far_mode), 2}, settings);
  while (!whole.finished())
    whole.take(1);
  const auto [cut, cuts] = cut_in("temper", {each(far_mode), 2}, settings);
  EXPECT_GT(cuts, 3);
  EXPECT_EQ(cut->cloud().x, whole.cloud().x);
  EXPECT_EQ(cut->tempered_evidence()->value, whole.tempered_evidence()->value);
}

} // namespace
