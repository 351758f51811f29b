// starling thin: fewer particles in a folder like that of the run.
#include "results.hpp"

#include <nlohmann/json.hpp>

#include <gmock/gmock.h>

namespace starling::cli {
namespace {

using testing::HasSubstr;

void make_run(const Place& place, const std::string& more = "") {
  succeed(place,
          "sample normal --dim 2 --particles 2000 --method paper --steps 0 --quiet --out run " +
              more);
}

TEST(ThinCommand, WritesAFolderLikeThatOfTheRun) {
  const Place place;
  make_run(place);
  const std::string said = succeed(place, "thin run --to 50 --weights --out few");
  EXPECT_THAT(said, HasSubstr("50 of 2000 particles, weighted"));
  const auto j = nlohmann::json::parse(place.read("few/summary.json"));
  EXPECT_EQ(j["thinned"]["from"], 2000);
  EXPECT_EQ(j["particles"], 50);
  EXPECT_LT(j["thinned"]["discrepancy"].get<double>(),
            j["thinned"]["discrepancy_of_independent_draws"].get<double>() / 3);
  EXPECT_NEAR(j["parameters"][0]["mean"].get<double>(), 0, 0.05);
  EXPECT_THAT(place.read("few/draws.csv"), HasSubstr("lp__,weight__,x.1,x.2"));
  EXPECT_THAT(succeed(place, "summary few"), HasSubstr("before thinning"));
  succeed(place, "convert few few.csv");
  // Thinned again, from the scores that it wrote: no target is asked.
  place.write("few/config.toml", "target = \"guest\"\n");
  succeed(place, "thin few --to 5 --out fewer");
}

TEST(ThinCommand, IsTheSameOnAnyNumberOfThreads) {
  const Place place;
  make_run(place);
  succeed(place, "thin run --to 40 --threads 1 --out a");
  succeed(place, "thin run --to 40 --threads 3 --out b");
  EXPECT_EQ(place.read("a/draws.npz"), place.read("b/draws.npz"));
}

TEST(ThinCommand, RefusesWhatCannotBe) {
  const Place place;
  make_run(place);
  const auto fails = [&](const std::string& words, int code, const std::string& sentence) {
    const auto got = place.run(words);
    EXPECT_EQ(got.code, code) << words;
    EXPECT_THAT(got.err, HasSubstr(sentence)) << words;
  };
  fails("thin run --to 2001", usage, "at most the number of particles, 2000");
  fails("thin run --to 0", usage, "at least 1");
  fails("thin run", usage, "--to: must be given");
  fails("thin nowhere --to 5", input_missing, "nowhere");
  succeed(place, "thin run --to 5 --out few");
  fails("thin run --to 5 --out few", cannot_write, "exists");
  succeed(place, "thin run --to 6 --out few --force");
  place.write("run/config.toml", "target = \"plugin\"\nmodel = \"./evil.so\"\n");
  fails("thin run --to 5", usage, "add --trust to load it");
  fails("thin run --to 5 --trust", input_missing, "evil.so");
  place.write("run/config.toml", "target = \"guest\"\n");
  fails("thin run --to 5", usage, "result.thin(M)");
}

} // namespace
} // namespace starling::cli
