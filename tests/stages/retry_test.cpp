// A density that throws: the unit is tried again, and the end is the same to the last bit.
#include "stages/densities.hpp"

#include <starling/stages/journey.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

namespace {

using namespace starling;
using namespace starling::stage_tests;

/// Fails in one call, once; other calls are answered. Counts all of them.
struct Fails {
  DensityOfRows inner;
  std::shared_ptr<int> calls = std::make_shared<int>(0);
  int at = -1;

  void operator()(Rows<const double> x, Rows<double> s, std::span<double> l) const {
    if ((*calls)++ == at)
      throw std::runtime_error("not now");
    inner(x, s, l);
  }
};

Settings short_run() {
  Settings settings = small(64);
  settings.starts = 2;
  settings.steps = 6;
  settings.certify_moves = 4;
  settings.settle_rounds = 2;
  settings.first_round = 4;
  settings.polish_steps = 3;
  return settings;
}

/// Positions at the end, whichever call failed.
Frame::Matrix end_of(const Fails& density, std::size_t dim, const Settings& settings,
                     int& failures) {
  stages::Journey journey({density, dim}, settings);
  while (!journey.finished())
    try {
      journey.take(1);
    } catch (const std::runtime_error&) {
      ++failures;
    }
  return journey.cloud().x;
}

void expect_the_same_wherever_it_fails(const DensityOfRows& inner, std::size_t dim,
                                       const Settings& settings, int places = 97) {
  int failures = 0;
  const Fails sound{inner};
  const Frame::Matrix right = end_of(sound, dim, settings, failures);
  EXPECT_EQ(failures, 0);
  ASSERT_GT(*sound.calls, 50);
  const int step = std::max(1, *sound.calls / places); // a prime: no stage is in step with it
  for (int at = 0; at < *sound.calls; at += step) {
    Fails once{inner};
    once.at = at;
    failures = 0;
    EXPECT_EQ(end_of(once, dim, settings, failures), right) << at;
    EXPECT_EQ(failures, 1) << at;
  }
}

TEST(Retry, EndsAlikeWhereverADensityFailsOnce) {
  Settings settings = short_run();
  for (const bool settles : {false, true}) {
    settings.settle_always = settles;
    expect_the_same_wherever_it_fails(each(scales), 2, settings);
  }
}

// More particles than fly: draws come again, and moves lead them apart.
TEST(Retry, EndsAlikeWithMoreParticlesThanFly) {
  Settings settings = short_run();
  settings.walkers = 24;
  settings.particles = 100;
  for (const double enough : {0., 1e9}) { // the test's moves make the cloud, or rounds of settling
    settings.enough_draws = enough;
    expect_the_same_wherever_it_fails(each(scales), 2, settings);
  }
}

TEST(Retry, EndsAlikeWithSeveralGroups) {
  Settings settings = short_run();
  expect_the_same_wherever_it_fails(each(two_modes), 1, settings);
  settings.walkers = 24;
  expect_the_same_wherever_it_fails(each(two_modes), 1, settings);
}

// A search hits the other arm of a cross, and particles are tempered.
TEST(Retry, EndsAlikeWhereTemperingBeginsUnasked) {
  const Settings settings = small(64);
  stages::Journey journey({each(cross), 2}, settings);
  while (!journey.finished())
    journey.take(1);
  ASSERT_EQ(journey.gradients()[4].first, "temper");
  expect_the_same_wherever_it_fails(each(cross), 2, settings, 11); // they take long
}

// A bend, and moves without it beside those with it.
TEST(Retry, EndsAlikeWithMovesThatDoNotBend) {
  Settings settings = short_run();
  settings.metric = stages::Metric::bent;
  settings.settle_always = true;
  settings.first_round = 16;
  const auto calls = [&](double tolerated_divergence) {
    settings.tolerated_divergence = tolerated_divergence;
    int failures = 0;
    const Fails sound{each(funnel)};
    end_of(sound, 3, settings, failures);
    return *sound.calls;
  };
  EXPECT_NE(calls(1), calls(-1)); // there are some
  expect_the_same_wherever_it_fails(each(funnel), 3, settings);
}

} // namespace
