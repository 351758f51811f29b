// What holds for every run: the same bits on any threads and after any stop, a config that says it
// all.
#include "random_case.hpp"

#include "support/hash.hpp"

#include <starling/deal/shuffle.hpp>
#include <starling/error.hpp>

namespace starling::properties {
namespace {

/// Where it ends, by its bits; or the words of its failure. Saved and read back after `stop` steps,
/// if it gets there.
std::string end_of(const plan::Recipe& recipe, std::size_t threads, Step stop = ~Step{0}) {
  plan::Recipe mine = recipe;
  mine.threads = threads;
  const plan::Plan plan = plan::resolve(mine);
  try {
    auto flight = assemble::make_flight(plan);
    flight->take(stop, {});
    if (!flight->over()) {
      const std::string bytes = run::pack(flight->save());
      flight = assemble::resume_flight(run::unpack(bytes, "state"), plan, "state");
      flight->take(flight->total(), {});
    }
    const std::vector<double> x = flight->positions();
    return std::to_string(support::hash_of(Rows<const double>{x.data(), x.size(), 1}));
  } catch (const TargetError& error) {
    return error.what();
  } catch (const Diverged& error) {
    return error.what();
  }
}

TEST(AnyRun, GivesTheSameBitsOnAnyNumberOfThreads) {
  expect_for_any(1, 1500, [](const plan::Recipe& recipe) -> std::string {
    const std::string alone = end_of(recipe, 1);
    for (const std::size_t threads : {2, 5})
      if (end_of(recipe, threads) != alone)
        return std::to_string(threads) + " threads end elsewhere";
    return {};
  });
}

TEST(AnyRun, GoesOnFromAnyStepAsIfItHadNeverStopped) {
  expect_for_any(2, 1500, [](const plan::Recipe& recipe) -> std::string {
    const std::string whole = end_of(recipe, 1);
    for (const Step stop : {Step{1}, recipe.steps / 2, recipe.steps - 1})
      if (end_of(recipe, 2, stop) != whole)
        return "stopped after " + std::to_string(stop) + " steps it ends elsewhere";
    return {};
  });
}

TEST(AnyRun, IsRepeatedByItsConfig) {
  expect_for_any(3, 3000, [](const plan::Recipe& recipe) -> std::string {
    const std::string text = plan::write_config(plan::resolve(recipe).recipe);
    plan::Recipe again;
    plan::parse_config(text, "config.toml", again);
    if (plan::write_config(plan::resolve(again).recipe) != text)
      return "read back, it says something else";
    return end_of(again, 1) == end_of(recipe, 1) ? "" : "read back, it ends elsewhere";
  });
}

TEST(AnyDeal, MeetsEveryParticleOnceInBatchesOfTheSizeAskedFor) {
  expect_for_any(4, 3000, [](const plan::Recipe& recipe) -> std::string {
    const plan::Plan plan = plan::resolve(recipe);
    if (plan.replace)
      return {}; // drawn with replacement
    Threads threads(2);
    Ensemble<double> particles(plan.particles, 1);
    const auto deal = assemble::make_dealer<double>(plan, plan.seed, threads);
    for (Step k = 0; k < 4; ++k) {
      const Batches& batches = deal(k, particles);
      std::vector<int> seen(plan.particles);
      for (std::size_t b = 0; b < batches.count(); ++b) {
        const std::size_t p = std::min<std::size_t>(plan.batch_size(), plan.particles);
        if (batches[b].size() < std::min<std::size_t>(2, plan.particles) ||
            batches[b].size() >= 2 * p)
          return "a batch of " + std::to_string(batches[b].size());
        for (const std::uint32_t row : batches[b])
          ++seen.at(row);
      }
      for (const int times : seen)
        if (times != 1)
          return "a particle is dealt " + std::to_string(times) + " times";
    }
    return {};
  });
}

// The search itself must find what is wrong, and show it small.
TEST(AnyRun, ThatIsWrongIsShownSmall) {
  const Wrong wrong = [](const plan::Recipe& recipe) {
    return recipe.particles >= 10 && recipe.kernel.find("imq") != std::string::npos ? "wrong" : "";
  };
  plan::Recipe found;
  for (std::uint64_t n = 0; found.target.empty(); ++n)
    if (const plan::Recipe tried = any_recipe(Chance(n));
        can_be_run(tried) && *wrong(tried).c_str())
      found = smallest(tried, wrong);
  EXPECT_EQ(found.particles, 10u);
  EXPECT_EQ(found.steps, 1u);
  EXPECT_EQ(found.precision, "double");
  EXPECT_NE(found.kernel.find("imq"), std::string::npos);
}

} // namespace
} // namespace starling::properties
