// Tempering over rows of data: few rows lead where they can, all rows give weights and decide. The
// slow twin is the same density asked as a whole.
#include "stages/densities.hpp"
#include "stages/known_rows.hpp"

#include <starling/stages/journey.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

namespace tempering_over_rows {
namespace {

using namespace starling;
using namespace starling::known_rows;
using stages::Journey;
using stages::JourneyDensity;
using stages::Settings;

Settings tempered(std::uint64_t seed, std::size_t guide_rows = 100) {
  Settings settings = stage_tests::small(128);
  settings.walkers = 128;
  settings.seed = seed;
  settings.rows_a_step = 50;
  settings.guide_rows = guide_rows;
  settings.temper = true;
  return settings;
}

/// To the end of tempering, and what it asked for in rows of all.
struct Found {
  judge::LogEvidence evidence;
  std::uint64_t gradients = 0;
};

Found to_the_end_of_tempering(const JourneyDensity& density, const Settings& settings) {
  Journey journey(density, settings);
  do
    journey.take(1);
  while (journey.stage() == "temper");
  EXPECT_TRUE(journey.tempered_evidence());
  Found found{journey.tempered_evidence().value_or(judge::LogEvidence{})};
  for (const auto& [name, gradients] : journey.gradients())
    if (name == "temper")
      found.gradients = gradients;
  return found;
}

/// Of runs with seeds from 1 on: the mean, and its error by what they say of theirs.
struct Mean {
  double value = 0, se = 0;
  std::uint64_t gradients = 0; // a run's
  int covered = 0;             // runs within two errors
};

Mean mean_of(int runs, const JourneyDensity& density, double truth, std::size_t guide_rows = 100) {
  Mean mean;
  for (int seed = 1; seed <= runs; ++seed) {
    const Found found = to_the_end_of_tempering(density, tempered(std::uint64_t(seed), guide_rows));
    mean.value += found.evidence.value / runs;
    mean.se += std::pow(found.evidence.se / runs, 2);
    mean.gradients += found.gradients / std::uint64_t(runs);
    mean.covered += std::abs(found.evidence.value - truth) <= 2 * found.evidence.se;
  }
  mean.se = std::sqrt(mean.se);
  return mean;
}

/// A normal of this sd, in two parameters.
DensityOfRows normal_of(double sd) {
  return stage_tests::each([sd](std::span<const double> x, std::span<double> s) {
    double log_density = 0;
    for (std::size_t a = 0; a < x.size(); ++a) {
      s[a] = -x[a] / (sd * sd);
      log_density += x[a] * s[a] / 2;
    }
    return log_density;
  });
}

/// The mean square of what tempering of N(0, 1) ends at, and how often the others were asked, for
/// each particle and temperature.
struct Led {
  double square = 0, few = 0, all = 0;
};

Led led_by(double sd) {
  constexpr int runs = 4;
  Led led;
  for (int seed = 1; seed <= runs; ++seed) {
    scout::Mode around;
    around.frame = Frame(2);
    around.x = Eigen::VectorXd::Zero(2);
    stages::Tempering tempering(std::span(&around, 1), std::uint64_t(seed));
    CountedDensity all(normal_of(1)), few(normal_of(sd)), values(normal_of(1));
    const auto decide = [&](Rows<const double> x, std::span<double> log_density) {
      Frame::Matrix unused(Eigen::Index(x.count), 2);
      values(x, rows_of(unused), log_density);
    };
    while (!tempering.over())
      tempering.unit(all, Threads::alone(), {&few, decide});
    const double asked = double(tempering.cloud().count() * (tempering.units() - 1)) * runs;
    led.square += tempering.cloud().x.array().square().mean() / runs;
    led.few += double(few.gradients()) / asked;
    led.all += double(values.gradients()) / asked;
  }
  return led;
}

// Few rows that are narrower lead, and all decide: the variance is not .81. Where they are far
// narrower, they are looked at once in a temperature, and all lead.
TEST(TemperingOverRows, EndsAtAllRowsWhateverLeads) {
  const Led near = led_by(.9), poor = led_by(.5);
  EXPECT_NEAR(near.square, 1, .08); // 4 standard errors of 8192 draws that depend on each other
  EXPECT_NEAR(poor.square, 1, .08);
  EXPECT_NEAR(near.all, 6, .1);
  EXPECT_GT(near.few, 20);
  EXPECT_DOUBLE_EQ(poor.few, 1);
  EXPECT_EQ(poor.all, 0);
}

// Few rows are exact here, and lead all the way. A truth that is off by .2 is not covered.
TEST(TemperingOverRows, IsThatOfALinearRegression) {
  const Known known = linear(200, 3);
  constexpr int runs = 12;
  const Mean rows = mean_of(runs, by_rows(known.density), known.truth, 20),
             twin = mean_of(runs, whole(known.density), known.truth);
  EXPECT_LT(std::abs(rows.value - known.truth), 3 * rows.se);
  EXPECT_LT(std::abs(rows.value - twin.value), 3 * std::hypot(rows.se, twin.se));
  EXPECT_GT(std::abs(rows.value - known.truth - .2), 4 * rows.se);
  EXPECT_GE(rows.covered, runs - 3); // fewer would be once in 400 times
  EXPECT_LT(rows.gradients, twin.gradients * 2 / 3);
}

// No few rows are exact here; a single one is at times no guide at all.
TEST(TemperingOverRows, IsThatOfRatesWhateverLeads) {
  const Known known = poisson(40);
  constexpr int runs = 12;
  const Mean rows = mean_of(runs, by_rows(known.density), known.truth, 10),
             poor = mean_of(runs, by_rows(known.density), known.truth, 1),
             twin = mean_of(runs, whole(known.density), known.truth);
  for (const Mean& mean : {rows, poor, twin}) {
    EXPECT_LT(std::abs(mean.value - known.truth), 3 * mean.se);
    EXPECT_GT(std::abs(mean.value - known.truth - .2), 4 * mean.se);
    EXPECT_GE(mean.covered, runs - 3);
  }
}

// What no few rows know: by them alone the evidence would be off by .18.
TEST(TemperingOverRows, HasWhatOnlyAllRowsHave) {
  const Known known = wavy(400);
  const Mean rows = mean_of(20, by_rows(known.density), known.truth);
  EXPECT_LT(std::abs(rows.value - known.truth), 3 * rows.se);
  EXPECT_LT(rows.se, .04);
}

/// Rows that say next to nothing, and a prior of .5 N(0, 1) and .5 N(20000, 2^2).
RowDensity with_far_mode() {
  return over_rows(
      100, 1,
      [](Rows<const double> x, Rows<double> score, std::span<double> value) {
        for (std::size_t i = 0; i < x.count; ++i) {
          const double z = x[i][0], near = -.5 * z * z,
                       far = -.125 * (z - 2e4) * (z - 2e4) - std::log(2.0);
          const double top = std::max(near, far), both = std::exp(near - top) + std::exp(far - top);
          const double share = std::exp(far - top) / both;
          value[i] = top + std::log(both);
          score[i][0] = -(1 - share) * z - share * (z - 2e4) / 4;
        }
      },
      [](std::size_t, double weight, std::span<const double> x, std::span<double> score,
         double& value) {
        value -= weight * x[0] * x[0] / 2e12;
        score[0] -= weight * x[0] / 1e12;
      });
}

// From as wide as a prior both modes are met and get groups; without tempering one is.
TEST(TemperingOverRows, BringsModesToTheJourney) {
  Settings settings = tempered(1);
  settings.steps = 20;
  const RowDensity density = with_far_mode();
  Journey journey(by_rows(density), settings);
  const Frame::Matrix wide = stage_tests::normals(128, 1, 1.2e4).array() + 8e3;
  journey.temper_from(rows_of(wide));
  settings.temper = false;
  Journey without(by_rows(density), settings);
  while (!journey.finished())
    journey.take(1);
  while (!without.finished())
    without.take(1);
  EXPECT_EQ(without.groups(), 1u);
  ASSERT_EQ(journey.groups(), 2u);
  const auto& x = journey.cloud().x;
  EXPECT_NEAR(double((x.col(0).array() > 1e4).count()) / double(x.rows()), .5, .05);
}

TEST(TemperingOverRows, GoesOnFromAnyUnitBitForBit) {
  const Known known = poisson(400);
  Settings settings = tempered(1);
  settings.steps = 20;
  settings.certify_moves = 4;
  settings.settle_rounds = 0;
  Journey journey(by_rows(known.density), settings);
  while (!journey.finished())
    journey.take(1);
  const auto [cut, cuts] = stage_tests::cut_in("temper", by_rows(known.density), settings);
  EXPECT_GT(cuts, 3);
  EXPECT_EQ(cut->tempered_evidence()->value, journey.tempered_evidence()->value);
  EXPECT_EQ(cut->cloud().x, journey.cloud().x);
  EXPECT_EQ(cut->gradients(), journey.gradients());
}

// From far too wide it would take more temperatures than are affordable: it is given up, and the
// run goes on to its end without it.
TEST(TemperingOverRows, IsGivenUpAfterAHundredTemperatures) {
  const Known known = linear(40, 2);
  for (const double wide : {1e2, 1e60}) {
    Settings settings = tempered(1, 20);
    settings.steps = 20;
    Journey journey(by_rows(known.density), settings);
    const Frame::Matrix prior = stage_tests::normals(128, 2, wide);
    journey.temper_from(rows_of(prior));
    std::uint64_t temperatures = 0;
    for (; !journey.finished(); journey.take(1))
      temperatures += journey.stage() == "temper";
    const bool given_up = wide > 1e3;
    EXPECT_EQ(journey.tempering_given_up(), given_up);
    EXPECT_EQ(journey.tempered_evidence().has_value(), !given_up);
    EXPECT_EQ(temperatures > 100, given_up) << temperatures;
    EXPECT_LT(temperatures, 105u);
    ASSERT_TRUE(journey.certificate());
    EXPECT_EQ(journey.certificate()->finding, judge::Finding::confirmed);
  }
}

} // namespace
} // namespace tempering_over_rows
