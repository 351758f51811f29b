// The log evidence of densities over rows of data: few rows lead, and all rows have the last word.
#include "stages/known_rows.hpp"

#include <starling/stages/journey.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace evidence_over_rows {
namespace {

using namespace starling;
using namespace starling::known_rows;
using stages::Journey;
using stages::Settings;

Settings of_rows(std::uint64_t seed, double guide_error) {
  Settings settings;
  settings.particles = 128;
  settings.walkers = 128;
  settings.seed = seed;
  settings.steps = 30;
  settings.rows_a_step = 50;
  settings.guide_rows = 100;
  settings.guide_error = guide_error;
  settings.evidence = true;
  return settings;
}

struct Found {
  judge::LogEvidence evidence;
  double guide_error = 0;
  bool guide_decides = false;
};

Found evidence_of(const Known& known, const Settings& settings) {
  Journey journey(by_rows(known.density), settings);
  while (!journey.finished())
    journey.take(1);
  EXPECT_TRUE(journey.evidence());
  const auto report = journey.rows_report();
  return {journey.evidence().value_or(judge::LogEvidence{}), report.error, report.guide_decides};
}

double off(const Found& found, double truth) {
  return std::abs(found.evidence.value - truth) / found.evidence.se;
}

// By few rows, which are exact here, and by all rows. A truth that is off by .1 is not covered.
TEST(EvidenceOverRows, IsThatOfALinearRegression) {
  const Known known = linear(600, 3);
  for (const double guide_error : {.025, 0.0}) {
    const Found found = evidence_of(known, of_rows(3, guide_error));
    EXPECT_EQ(found.guide_decides, guide_error > 0);
    EXPECT_LT(off(found, known.truth), 4) << guide_error;
    EXPECT_LT(found.evidence.se, .02);
    EXPECT_GT(off(found, known.truth + .1), 4);
  }
}

// Few rows that are allowed to lead far off: what they miss is added at the end, with its error.
TEST(EvidenceOverRows, IsMendedByAllRowsWhereFewDecide) {
  const Known known = poisson(40);
  int covered = 0, covered_wrongly = 0;
  constexpr int runs = 20;
  double most = 0;
  for (int seed = 1; seed <= runs; ++seed) {
    Settings settings = of_rows(std::uint64_t(seed), 10);
    settings.guide_rows = settings.rows_a_step = 4;
    const Found found = evidence_of(known, settings);
    EXPECT_TRUE(found.guide_decides);
    most = std::max(most, found.guide_error);
    covered += off(found, known.truth) <= 2;
    covered_wrongly += off(found, known.truth + .1) <= 2;
  }
  EXPECT_GE(covered, 16); // 95 of 100; fewer would be once in 400 times
  EXPECT_LT(covered_wrongly, 5);
  EXPECT_GT(most, .1);
}

// What no guide knows, where it decides and where all rows do; the mean of some runs.
TEST(EvidenceOverRows, HasWhatOnlyAllRowsHave) {
  const Known known = wavy(600);
  constexpr int runs = 8;
  for (const double guide_error : {1.0, 0.0}) {
    double mean = 0, variance = 0;
    for (int seed = 1; seed <= runs; ++seed) {
      const Found found = evidence_of(known, of_rows(std::uint64_t(seed), guide_error));
      EXPECT_EQ(found.guide_decides, guide_error > 0);
      mean += found.evidence.value / runs;
      variance += std::pow(found.evidence.se / runs, 2);
    }
    EXPECT_LT(std::abs(mean - known.truth), 4 * std::sqrt(variance)) << guide_error;
    EXPECT_LT(std::sqrt(variance), .02) << guide_error;
  }
}

// A single row for 40 is at times no guide at all: there the error is infinite, and elsewhere it
// holds.
TEST(EvidenceOverRows, HasNoErrorWithAPoorGuide) {
  const Known known = poisson(40);
  int poor = 0, covered = 0;
  constexpr int runs = 20;
  for (int seed = 1; seed <= runs; ++seed) {
    Settings settings = of_rows(std::uint64_t(seed), 10);
    settings.guide_rows = settings.rows_a_step = 1;
    const Found found = evidence_of(known, settings);
    const bool refused = std::isinf(found.evidence.se);
    EXPECT_TRUE(refused || found.guide_error <= 1) << seed;
    poor += refused;
    covered += !refused && off(found, known.truth) <= 2.5;
  }
  EXPECT_GT(poor, 2);
  EXPECT_GE(covered, runs - poor - 1);
}

TEST(EvidenceOverRows, GoesOnFromAnyUnitBitForBit) {
  const Known known = poisson(400);
  const Settings settings = of_rows(1, 0);
  const stages::JourneyDensity density{known.density.all, 2,
                                       std::make_shared<const RowDensity>(known.density)};
  Journey whole(density, settings);
  auto cut = std::make_unique<Journey>(density, settings);
  int cuts = 0;
  while (!whole.finished()) {
    whole.take(1);
    cut->take(1);
    if (cut->stage() == "evidence") {
      auto next = std::make_unique<Journey>(density, settings);
      next->restore(cut->save());
      cut = std::move(next);
      ++cuts;
    }
  }
  EXPECT_GT(cuts, 20);
  EXPECT_EQ(cut->evidence()->value, whole.evidence()->value);
}

} // namespace
} // namespace evidence_over_rows
