// Whole runs that are known to fail, each in its own way, and runs that are known to be good: the
// verdict says which, for every seed, and only the good ones settle.
#include "assemble/flight.hpp"

#include <starling/run/fly.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace starling {

using namespace plan;
namespace {

struct Seen {
  judge::Diagnosis end;
  Step settled_at = 0; // 0: never
};

/// The run that a user gets, with the looks that it makes itself; it does not stop where it
/// settles.
Seen watch(Recipe recipe) {
  recipe.threads = 1;
  recipe.method = "paper";
  const auto flight = assemble::make_flight(resolve(recipe));
  Seen seen;
  run::Watch watching;
  std::size_t looks = 0;
  watching.interrupted = [&] { // asked after every step
    if (seen.settled_at == 0 && flight->trace().size() > looks && judge::settled(flight->trace()))
      seen.settled_at = flight->done();
    looks = flight->trace().size();
    return false;
  };
  seen.end = run::fly(*flight, watching).diagnosis;
  return seen;
}

using Change = std::function<void(Recipe&)>;

void expect(const std::string& verdict, const char* target, const Change& change) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Recipe recipe;
    recipe.target = target;
    recipe.particles = 256;
    recipe.seed = seed;
    change(recipe);
    const Seen seen = watch(recipe);
    std::printf("%s, seed %d: %s: %s; settled at %d\n", target, int(seed),
                judge::word(seen.end.judgement).c_str(),
                judge::sentence(seen.end.judgement).c_str(), int(seen.settled_at));
    EXPECT_EQ(judge::word(seen.end.judgement), verdict) << "seed " << seed;
    if (verdict == "converged") { // not by luck on an early look, and well before the end
      EXPECT_GE(seen.settled_at, recipe.steps / 100 * 19) << "seed " << seed;
      EXPECT_LE(seen.settled_at, recipe.steps / 10 * 9) << "seed " << seed;
    } else {
      EXPECT_EQ(seen.settled_at, 0u) << "seed " << seed;
    }
  }
}

// Known failures.

TEST(Verdict, TheGaussianKernelIn20DimensionsCollapses) {
  expect("collapsed", "normal", [](Recipe& r) { r.set("dim", std::uint64_t{20}); });
}
TEST(Verdict, PairsWithAConstantStepAreNoisy) { // science.md: variance 1.71
  expect("noisy", "normal", [](Recipe& r) {
    r.set("dim", std::uint64_t{1});
    r.particles = 1000;
    r.batch = "2";
    r.bandwidth = "0.0925";
    r.advance = "constant";
    r.step_size = 0.2;
    r.steps = 2000;
  });
}
TEST(Verdict, TooLargeAStepDivergesBeforeItOverflows) {
  expect("diverged", "normal", [](Recipe& r) {
    r.advance = "constant";
    r.step_size = 20;
    r.steps = 100;
  });
}
TEST(Verdict, TooLargeAStepDivergesWhenItOverflows) {
  expect("diverged", "normal", [](Recipe& r) {
    r.kernel = "polynomial:a=1,m=2";
    r.advance = "constant";
    r.step_size = 1;
    r.steps = 100;
  });
}
void from_far(Recipe& r) {
  r.batch = "32";
  r.bandwidth = "0.35";
  r.step_size = 0.2;
  r.start = "normal:-10,1";
}
TEST(Verdict, TooFewStepsFromAFarStartAreStillMoving) {
  expect("still moving", "mixture", [](Recipe& r) {
    from_far(r);
    r.steps = 40;
  });
}
// The scores balance within a mode long before the modes have exchanged their mass: seen by the
// trace.
TEST(Verdict, MassThatGoesFromModeToModeIsStillMoving) {
  expect("still moving", "mixture", [](Recipe& r) {
    from_far(r);
    r.advance = "adam";
    r.steps = 500;
  });
}
TEST(Verdict, AWideStartThatContractsIsStillMovingNotNoisy) {
  expect("still moving", "normal", [](Recipe& r) {
    r.start = "normal:0,30";
    r.steps = 300;
  });
}

// Good runs.

TEST(Verdict, TheMixtureOfThePaperConverges) {
  expect("converged", "mixture", [](Recipe& r) {
    from_far(r);
    r.steps = 1000;
  });
}
TEST(Verdict, PairsWithADecayingStepConverge) {
  expect("converged", "normal", [](Recipe& r) {
    r.set("dim", std::uint64_t{1});
    r.particles = 1000;
    r.batch = "2";
    r.bandwidth = "0.0925";
    r.advance = "decay";
    r.step_size = 0.5;
    r.set("decay-tau", 20.0);
    r.set("decay-power", 0.8);
    r.steps = 4000;
  });
}
TEST(Verdict, ABatchThatGrowsConverges) {
  expect("converged", "normal", [](Recipe& r) {
    r.batch = "4";
    r.grow_batch = "double:100";
    r.steps = 800;
  });
}
TEST(Verdict, FiveDimensionsConvergeWithALinearKernelAdded) {
  expect("converged", "normal", [](Recipe& r) {
    r.set("dim", std::uint64_t{5});
    r.particles = 512;
    r.batch = "16";
    r.advance = "decay";
    r.step_size = 1;
    r.steps = 300;
    r.kernel = "gaussian+0.2*polynomial:m=1";
  });
}
TEST(Verdict, TheBananaConverges) {
  expect("converged", "banana", [](Recipe& r) {
    r.particles = 500;
    r.batch = "32";
    r.step_size = 0.05;
    r.steps = 1000;
  });
}

} // namespace
} // namespace starling
