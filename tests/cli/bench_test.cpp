// starling bench at small sizes: every benchmark runs and reports the figures that the docs quote;
// and the level and the dealer can be chosen.
#include "results.hpp"

#include <starling/cpu/level.hpp>

#include <set>

namespace starling::cli {
namespace {

TEST(Bench, RunsEveryBenchmarkAndWritesItsFigures) {
  const Place place;
  const std::string shown = succeed(place, "bench --quick --json bench.json");
  const Json j = Json::parse(place.read("bench.json"));
  ASSERT_EQ(j.at("overhead").size(), 2u);
  for (const Json& problem : j.at("overhead"))
    for (const Json& size : problem.at("sizes")) {
      EXPECT_TRUE(
          (std::set<std::string>{"matching", "shuffle", "moebius", "cosets", "whole"}.contains(
              size.at("dealer"))));
      for (const char* part : {"total", "score", "drift", "advance", "speedup", "overhead"})
        EXPECT_GT(size.at(part).get<double>(), 0) << part;
    }
  for (const Json& full : j.at("full"))
    EXPECT_GT(full.at("faster_than_slow_twin").get<double>(), 0);
  EXPECT_GT(j.at("scale").at("slowest_over_fastest").get<double>(), 0.99);
  EXPECT_GT(j.at("threads").at("share_of_linear").get<double>(), 0);
  for (const Json& size : j.at("threads").at("sizes"))
    for (const Json& count : size.at("counts"))
      for (const char* stage : {"step", "start", "score", "drift", "advance", "guard", "look"})
        EXPECT_GT(count.at(stage).get<double>(), 0) << stage;
  EXPECT_GT(j.at("logistic").at("ratio").get<double>(), 0);
  for (const Json& size : j.at("wide"))
    for (const char* figure :
         {"step", "least", "step_over_least", "look_over_step", "memory_over_columns"})
      EXPECT_GT(size.at(figure).get<double>(), 0) << figure;
  for (const Json& size : j.at("whole"))
    EXPECT_GT(size.at("whole_over_roles").get<double>(), 0);
  for (const char* accuracy :
       {"posteriors", "shapes", "verdicts"}) // take far longer, and only when asked for
    EXPECT_FALSE(j.contains(accuracy)) << accuracy;
  for (const char* title :
       {"mixture: N", "logistic: N", "full: N", "scale: d", "threads: N", "wide: ", "whole: "})
    EXPECT_NE(shown.find(title), shown.npos) << title;
}

TEST(Bench, RefusesANameThatIsNotThere) {
  const Place place;
  expect_refused(place, "bench overhed", 64,
                 "bench: must be one of overhead, full, scale, threads, logistic, wide, whole, "
                 "posteriors, shapes, verdicts, evidence, cuda; got "
                 "'overhed'; did you mean 'overhead'?");
}

TEST(Simd, CanBeForcedToEveryLevelThereIs) {
  const Place place;
  for (const std::string& level : cpu::levels()) {
    const Json j = Json::parse(succeed(place, "--simd " + level + " info --json"));
    EXPECT_EQ(j.at("simd").at("in_use"), level);
    const Json run =
        Json::parse(succeed(place, "--simd " + level + " sample normal --steps 50 --json"));
    EXPECT_EQ(run.at("particles"), 1000);
  }
}

TEST(Deal, IsAMatchingForPairsAndAShuffleOtherwise) {
  const Place place;
  const auto deal = [&](const std::string& arguments) {
    const std::string toml = succeed(place, "sample normal --dump-config " + arguments);
    const std::size_t at = toml.find("deal = ");
    return toml.substr(at, toml.find('\n', at) - at);
  };
  EXPECT_EQ(deal("--batch 2"), "deal = \"matching\"");
  EXPECT_EQ(deal("--batch 2 --deal shuffle"), "deal = \"shuffle\"");
  EXPECT_EQ(deal("--batch 02"),
            "deal = \"matching\""); // a number is a number however it is written
  EXPECT_EQ(deal("--batch 4"), "deal = \"shuffle\"");
  expect_refused(place, "sample normal --batch 4 --deal matching", 64,
                 "deal: matching cannot deal these batches (pairs from a random tournament round, "
                 "cheaper: for --batch 2 that does not grow, without --replace)");
}

} // namespace
} // namespace starling::cli
