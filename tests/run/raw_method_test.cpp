// Whether a run is the raw method's is decided by what was given, through whichever door it came.
#include "plan/config.hpp"
#include "plan/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace starling {
namespace {

using plan::Recipe;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Recipe normal() {
  Recipe recipe;
  recipe.target = "normal";
  return recipe;
}
std::string method_of(const Recipe& recipe) { return plan::resolve(recipe).recipe.method; }

Recipe from_toml(const std::string& text) {
  Recipe recipe = normal();
  plan::parse_config(text, "run.toml", recipe);
  return recipe;
}

std::string refused(const Recipe& recipe) {
  try {
    plan::resolve(recipe);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

// A default that is given is given: it asks for the raw method as any other value does.
TEST(RawMethod, IsAskedForByADefaultThatAProgramGives) {
  EXPECT_EQ(method_of(normal()), "auto");
  const std::vector<std::function<void(Recipe&)>> ways = {
      [](Recipe& r) { r.step_size = 0.1; },     [](Recipe& r) { r.kernel = "gaussian"; },
      [](Recipe& r) { r.advance = "adagrad"; }, [](Recipe& r) { r.precision = "single"; },
      [](Recipe& r) { r.batch = "8"; },         [](Recipe& r) { r.steps = 1000; }};
  for (std::size_t n = 0; n < ways.size(); ++n) {
    Recipe recipe = normal();
    ways[n](recipe);
    EXPECT_EQ(method_of(recipe), "paper") << n;
  }
  Recipe as_in_stages = normal(); // nothing of the raw method alone
  as_in_stages.precision = "double";
  as_in_stages.device = "cpu";
  EXPECT_EQ(method_of(as_in_stages), "auto");
}

TEST(RawMethod, IsAskedForByADefaultThatAFileGives) {
  EXPECT_EQ(method_of(from_toml("particles = 64\nreplace = false\n")), "auto");
  EXPECT_EQ(method_of(from_toml("device = \"cpu\"")), "auto");
  for (const char* line : {"step-size = 0.1", "kernel = \"gaussian\"", "batch = 8", "steps = 1000"})
    EXPECT_EQ(method_of(from_toml(line)), "paper") << line;
}

TEST(RawMethod, NamesWhatAskedForIt) {
  EXPECT_THAT(plan::raw_settings_given(normal()), IsEmpty());
  Recipe recipe = normal();
  recipe.particles = 64;
  recipe.certify = "5";
  EXPECT_THAT(plan::raw_settings_given(recipe), IsEmpty());
  recipe.step_size = 0.1;
  recipe.batch = "8";
  recipe.set("data-batch", std::uint64_t{5});
  EXPECT_THAT(plan::raw_settings_given(recipe), ElementsAre("batch", "step-size", "data-batch"));
}

// A method that is named stays, and what does not fit it is refused; what it does anyway may be
// said.
TEST(RawMethod, IsNotAskedForWhereAMethodIsGiven) {
  Recipe recipe = normal();
  recipe.method = "auto";
  recipe.steps = 10;
  recipe.device = "cpu";
  recipe.precision = "double";
  EXPECT_EQ(method_of(recipe), "auto");
  recipe.step_size = 0.1;
  EXPECT_THAT(refused(recipe), HasSubstr("step-size: is an option of --method paper"));
}

// Exact moves without those that judge them would be promised and not made.
TEST(Stages, MakeTheExactMovesThatTheyPromise) {
  Recipe recipe = normal();
  recipe.exact = "10";
  EXPECT_EQ(plan::resolve(recipe).stages->exact_moves, 10u);
  recipe.certify = "none";
  EXPECT_THAT(refused(recipe), HasSubstr("exact: needs the check of --certify"));
  recipe.exact = "none";
  EXPECT_EQ(method_of(recipe), "auto");
}

// What was decided is what a second reading decides.
TEST(RawMethod, IsTheSameReadBack) {
  for (const char* line : {"", "step-size = 0.1\n", "method = \"auto\"\nsteps = 7\n"}) {
    const plan::Plan plan = plan::resolve(from_toml(line));
    const std::string text = plan::write_config(plan.recipe);
    EXPECT_EQ(plan::write_config(plan::resolve(from_toml(text)).recipe), text) << line;
  }
}

// --batch is read once, for both methods.
TEST(Batch, IsReadOnceForBothMethods) {
  const auto staged = [](const char* batch) {
    Recipe recipe = normal();
    recipe.method = "auto";
    recipe.particles = 100;
    recipe.batch = batch;
    return recipe;
  };
  EXPECT_EQ(plan::resolve(staged("all")).stages->batch, 100u);
  EXPECT_EQ(plan::resolve(staged("16")).stages->batch, 16u);
  EXPECT_EQ(plan::resolve(staged("")).stages->batch, std::nullopt);
  for (const char* method : {"auto", "paper"}) {
    Recipe recipe = staged("auto");
    recipe.method = method;
    EXPECT_EQ(refused(recipe), "batch: must be a whole number of at least 2; got 'auto'");
    recipe.batch = "101";
    EXPECT_THAT(refused(recipe), HasSubstr("batch: must be at most the number of particles, 100"));
  }
}

TEST(Metric, IsOneTypeFromTextToStage) {
  const auto metric = [](const char* text) {
    Recipe recipe = normal();
    recipe.metric = text;
    return plan::resolve(recipe).stages->metric;
  };
  EXPECT_EQ(metric(""), stages::Metric::by_size);
  EXPECT_EQ(metric("none"), stages::Metric::none);
  EXPECT_EQ(metric("diagonal"), stages::Metric::diagonal);
  EXPECT_EQ(metric("dense"), stages::Metric::dense);
  EXPECT_EQ(metric("low-rank"), stages::Metric::low_rank);
  EXPECT_EQ(metric("bent"), stages::Metric::bent);
  Recipe wrong = normal();
  wrong.metric = "low_rank";
  EXPECT_THAT(refused(wrong), HasSubstr("metric"));
}

} // namespace
} // namespace starling
