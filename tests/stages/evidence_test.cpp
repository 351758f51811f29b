// The log evidence of journeys: right by its own errors, of one group and of several, cut anywhere.
#include "stages/densities.hpp"

#include <starling/stages/journey.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace {

using namespace starling;
using namespace starling::stage_tests;

const double of_a_normal = 0.5 * std::log(2 * std::numbers::pi);

Settings with_evidence(std::uint64_t seed = 3) {
  Settings settings = small(128);
  settings.seed = seed;
  settings.steps = 30;
  settings.polish_steps = 5;
  settings.evidence = true;
  return settings;
}

judge::LogEvidence evidence_of(const DensityOfRows& density, std::size_t dim,
                               const Settings& settings) {
  stages::Journey journey({density, dim}, settings);
  while (!journey.finished())
    journey.take(1);
  const auto found = journey.evidence();
  EXPECT_TRUE(found);
  return found.value_or(judge::LogEvidence{});
}

double away(const judge::LogEvidence& found, double truth) {
  return std::abs(found.value - truth) / found.se;
}

/// Logarithms of Gamma(2) numbers, whose integral is 1 each.
double skewed(std::span<const double> x, std::span<double> s) {
  double l = 0;
  for (std::size_t a = 0; a < x.size(); ++a) {
    l += 2 * x[a] - std::exp(x[a]);
    s[a] = 2 - std::exp(x[a]);
  }
  return l;
}

double bent(std::span<const double> x, std::span<double> s) {
  const double off = x[1] - .5 * x[0] * x[0];
  s[0] = -x[0] + x[0] * off;
  s[1] = -off;
  return -.5 * x[0] * x[0] - .5 * off * off;
}

/// 1 and .25 of the weight, 20 apart.
double uneven_modes(std::span<const double> x, std::span<double> s) {
  const double a = -.5 * (x[0] - 10) * (x[0] - 10);
  const double b = std::log(.25) - .5 * (x[0] + 10) * (x[0] + 10);
  const double top = std::max(a, b), pa = std::exp(a - top), pb = std::exp(b - top);
  s[0] = (-pa * (x[0] - 10) - pb * (x[0] + 10)) / (pa + pb);
  return top + std::log(pa + pb);
}

TEST(Evidence, IsRightByItsOwnError) {
  const struct {
    const char* name;
    DensityOfRows density;
    std::size_t dim;
    double truth;
  } all[] = {{"standard", each(standard), 10, 10 * of_a_normal},
             {"scales", each(scales), 4, 4 * of_a_normal + 6 * std::log(10.0)},
             {"skewed", each(skewed), 5, 0},
             {"bent", each(bent), 2, 2 * of_a_normal},
             {"two modes", each(uneven_modes), 1, of_a_normal + std::log(1.25)}};
  for (const auto& one : all) {
    const judge::LogEvidence found = evidence_of(one.density, one.dim, with_evidence());
    EXPECT_LT(away(found, one.truth), 4) << one.name;
    EXPECT_LT(found.se, .1) << one.name;
    EXPECT_GT(found.worth(), judge::least_worth) << one.name;
  }
}

// Two standard errors cover it in 95 of 100 runs; fewer than 34 of 40 would be once in 500 times.
// The same runs must not cover a truth that is off by a tenth of a nat.
TEST(Evidence, IsCoveredByTwoOfItsErrors) {
  constexpr int runs = 40;
  int covered = 0, covered_wrongly = 0;
  for (int seed = 1; seed <= runs; ++seed) {
    const judge::LogEvidence found =
        evidence_of(each(skewed), 3, with_evidence(std::uint64_t(seed)));
    covered += away(found, 0) <= 2;
    covered_wrongly += away(found, .1) <= 2;
  }
  EXPECT_GE(covered, 34);
  EXPECT_LT(covered_wrongly, 10);
}

TEST(Evidence, IsThatOfTheDensityWithItsConstant) {
  const auto higher =
      each([](std::span<const double> x, std::span<double> s) { return standard(x, s) + 1234.5; });
  const judge::LogEvidence plain = evidence_of(each(standard), 3, with_evidence());
  const judge::LogEvidence found = evidence_of(higher, 3, with_evidence());
  EXPECT_NEAR(found.value, plain.value + 1234.5, 1e-6);
  EXPECT_NEAR(found.se, plain.se, 1e-6);
}

TEST(Evidence, TakesNothingWhereItIsNotAskedFor) {
  Settings settings = with_evidence();
  settings.evidence = false;
  stages::Journey journey({each(standard), 2}, settings);
  while (!journey.finished())
    journey.take(1);
  EXPECT_FALSE(journey.evidence());
  for (const auto& [stage, count] : journey.gradients())
    EXPECT_NE(stage, "evidence");
}

// The cloud is that of the run without it.
TEST(Evidence, LeavesTheCloudAsItIs) {
  Settings settings = with_evidence();
  const auto end = [&] {
    stages::Journey journey({each(skewed), 3}, settings);
    while (!journey.finished())
      journey.take(1);
    return journey.cloud().x;
  };
  const Frame::Matrix asked = end();
  settings.evidence = false;
  EXPECT_EQ(asked, end());
}

TEST(Evidence, GoesOnFromAnyUnitBitForBit) {
  const Settings settings = with_evidence();
  stages::Journey whole({each(skewed), 2}, settings);
  while (!whole.finished())
    whole.take(1);
  const auto [cut, cuts] = cut_in("evidence", {each(skewed), 2}, settings);
  EXPECT_GT(cuts, 30);
  EXPECT_EQ(cut->evidence()->value, whole.evidence()->value);
  EXPECT_EQ(cut->evidence()->se, whole.evidence()->se);
}

// A unit in which the density throws is tried again, and nothing is counted twice.
TEST(Evidence, IsTheSameWhereAUnitIsTriedAgain) {
  const Settings settings = with_evidence();
  bool fails = false;
  int calls = 0;
  const DensityOfRows inner = each(skewed);
  stages::Journey journey({[&](Rows<const double> x, Rows<double> s, std::span<double> l) {
                             if (fails && ++calls % 3 == 0)
                               throw std::runtime_error("not now");
                             inner(x, s, l);
                           },
                           2},
                          settings);
  int failures = 0;
  while (!journey.finished())
    try {
      journey.take(1);
      fails = journey.stage() == "evidence" && failures < 20;
    } catch (const std::runtime_error&) {
      fails = ++failures % 2 == 0;
    }
  EXPECT_GT(failures, 5);
  EXPECT_EQ(journey.evidence()->value, evidence_of(inner, 2, settings).value);
}

// What groups weigh by their evidence is what they were weighed to be, and twice that is not.
TEST(Evidence, AgreesWithTheSharesOfGroups) {
  stages::Journey journey({each(uneven_modes), 1}, with_evidence());
  while (!journey.finished())
    journey.take(1);
  ASSERT_EQ(journey.groups(), 2u);
  EXPECT_LT(journey.evidence_against_shares(), 4);
}

} // namespace
