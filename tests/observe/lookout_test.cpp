// Looks at a cloud while it moves: what they leave alone, and what they do not pretend to know.
#include <starling/run/lookout.hpp>

#include "assemble/roles.hpp"

#include <starling/observe/stein.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace starling {

using namespace assemble;
using namespace plan;
using namespace run;
using namespace judge;
namespace {

/// A cloud that is scored and drifted in turn, without ever moving.
struct Scene {
  explicit Scene(Recipe recipe) {
    recipe.target = "normal";
    recipe.particles = 60;
    recipe.method = "paper";
    plan = resolve(recipe);
    target = make_target<double>(plan, plan.seed, threads);
    deal = make_dealer<double>(plan, plan.seed, threads);
    drift = make_drift<double>(plan, plan.seed, target.dim, threads);
    start(plan, plan.seed, target, particles.position(), {});
  }
  Lookout<double> lookout() const { return {plan.seed, plan.period.has_value(), target.names}; }
  TraceRow look(Step k) {
    const Batches& batches = deal(k, particles);
    target.score(k, std::as_const(particles).position(), particles.score());
    drift(k, particles, batches);
    before.assign(particles.drift().begin(), particles.drift().end());
    lookout().look(k, particles, batches, drift, 1.5, trace);
    return trace.back();
  }
  Plan plan;
  Threads threads{1};
  AnyTarget<double> target;
  AnyDealer<double> deal;
  AnyDrift<double> drift;
  Ensemble<double> particles{60, 2};
  std::vector<double> before;
  std::vector<TraceRow> trace; // of the looks so far
};

Recipe with(const char* batch, bool replace = false, const char* domain = "") {
  Recipe recipe;
  recipe.batch = batch;
  recipe.replace = replace;
  recipe.domain = domain;
  return recipe;
}

TEST(Lookout, FillsEveryColumnAndLeavesTheDriftAlone) {
  Scene scene(with("4"));
  const TraceRow row = scene.look(3);
  EXPECT_TRUE(
      std::equal(scene.before.begin(), scene.before.end(), scene.particles.drift().begin()));
  EXPECT_EQ(row.step, 3u);
  EXPECT_EQ(row.batch, 4u);
  EXPECT_EQ(row.seconds, 1.5);
  for (const double figure : {row.drift, row.score, row.spread, row.ksd_se, row.ksd_gaussian_se,
                              row.least_identity, row.most_identity, row.shift})
    EXPECT_GT(figure, 0);
  const auto x = std::as_const(scene.particles).position();
  const auto score = std::as_const(scene.particles).score();
  double sum = 0;
  for (const double value : x)
    sum += value;
  EXPECT_NEAR(row.centre, sum / 60 / std::sqrt(2.0), 1e-13); // over both parameters, per sqrt(dim)
  const auto exact = stein_discrepancy(x, score, scene.deal(3, scene.particles), 200);
  EXPECT_DOUBLE_EQ(row.ksd, exact.multiquadric.value); // 90 pairs: all of them
  EXPECT_DOUBLE_EQ(row.ksd_gaussian, exact.gaussian.value);
  EXPECT_LE(row.least_identity, row.most_identity);
  EXPECT_TRUE(row.verdict);
}

TEST(Lookout, FindsNoNoiseInOneBatchOfAll) {
  Scene scene(with("all"));
  EXPECT_EQ(scene.look(0).noise, 0);
}

// With replacement most scores are old: neither noise nor a verdict is told.
TEST(Lookout, DoesNotJudgeWhenFewAreDealt) {
  Scene scene(with("4", true));
  const TraceRow row = scene.look(0);
  EXPECT_TRUE(!row.verdict && std::isnan(row.noise) && std::isnan(row.shift));
  EXPECT_GT(row.spread, 0);
}

TEST(Lookout, LeavesOutOnATorusWhatDoesNotHoldThere) {
  Scene scene(with("4", false, "torus:6"));
  const TraceRow row = scene.look(0);
  EXPECT_TRUE(std::isnan(row.ksd) && std::isnan(row.least_identity) && std::isnan(row.centre));
  EXPECT_TRUE(row.verdict);
}

// The verdict of a look rests on those before, which are the caller's: one that is given them goes
// on as if never stopped.
TEST(Lookout, RestsOnTheTraceThatItIsGiven) {
  const auto grow = [](Scene& scene, Step steps) {
    for (Step k = 0; k < steps; ++k) {
      scene.look(k);
      for (double& x : scene.particles.position())
        x *= 1.3;
    }
  };
  Scene whole(with("4")), halves(with("4")), forgetful(with("4"));
  grow(whole, 10);
  grow(halves, 9);
  grow(forgetful, 9);
  EXPECT_EQ(whole.trace.back().verdict, judge::Verdict::diverged);
  EXPECT_EQ(halves.look(9).verdict, judge::Verdict::diverged);
  forgetful.trace.clear();
  EXPECT_NE(forgetful.look(9).verdict,
            judge::Verdict::diverged); // it does not know that the cloud grows
}

} // namespace
} // namespace starling
