// Runs that fail on the way: what, where, and the state so far; an earlier result stays.
#include "results.hpp"

#include <gmock/gmock.h>

namespace starling::cli {
namespace {

using testing::MatchesRegex;

// RK4 refuses within the step, so the positions are those from before it: the start.
const std::string fails_at_once = "sample banana --particles 16 --steps 20 --bandwidth 1 --quiet "
                                  "--advance rk4 --step-size 1e10 ";

TEST(FailedRun, NamesStepParticleAndParameterAndExitsWithOne) {
  const Place place;
  const Ended ended = place.run("sample banana --particles 16 --steps 100 --bandwidth 1 "
                                "--advance constant --step-size 10 --out out/m");
  EXPECT_EQ(ended.code, failed);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(
      ended.err,
      MatchesRegex(
          "starling: target: failed at step [1-9][0-9]*, particle [0-9]+: the score of parameter "
          "[^ ]+ is -?(inf|nan); state after [1-9][0-9]* steps saved, start from there with "
          "--start out/m-state/run-1.checkpoint\n"));
  EXPECT_FALSE(place.has("out/m"));
}

TEST(FailedRun, SavesTheStateAndNothingElse) {
  const Place place;
  EXPECT_EQ(place.run(fails_at_once + "--out out/m").code, failed);
  const auto left = place.everything();
  std::vector<std::string> names;
  for (const auto& [name, content] : left)
    names.push_back(name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"out", "out/m-state", "out/m-state/run-1.checkpoint"}));
}

TEST(FailedRun, GoesOnFromTheStateWhereItIsFinite) {
  const Place place;
  EXPECT_EQ(place.run(fails_at_once + "--out out/m").code, failed);
  const std::string rest =
      "sample banana --particles 16 --quiet --start out/m-state/run-1.checkpoint ";
  succeed(place, rest + "--steps 0 --out out/same");
  succeed(place,
          "sample banana --particles 16 --quiet --steps 0 --out out/start"); // it failed at once
  EXPECT_EQ(draws_of(place, "out/same").values, draws_of(place, "out/start").values);
  succeed(place, rest + "--steps 20 --out out/on");
  EXPECT_NE(draws_of(place, "out/on").values, draws_of(place, "out/same").values);
}

TEST(FailedRun, NeverTouchesAnEarlierResultEvenWithForce) {
  const Place place;
  succeed(place, "sample banana --particles 16 --steps 3 --quiet --out out/m");
  const auto before = place.everything();
  EXPECT_EQ(place.run(fails_at_once + "--out out/m --force").code, failed);
  const auto after = place.everything();
  for (const auto& [name, content] : before)
    EXPECT_EQ(after.at(name), content) << name;
  EXPECT_EQ(after.size(), before.size() + 2); // the state, a folder with one file
}

TEST(FailedRun, LeavesAnEarlierStateAndAnythingElseOfThatName) {
  const Place place;
  EXPECT_EQ(place.run(fails_at_once + "--out out/m").code, failed);
  const std::string earlier = place.read("out/m-state/run-1.checkpoint");
  EXPECT_EQ(place.run(fails_at_once + "--seed 2 --out out/m").code, failed);
  EXPECT_EQ(place.read("out/m-state/run-1.checkpoint"), earlier);
  EXPECT_TRUE(place.has("out/m-state-2/run-1.checkpoint"));

  succeed(place, "sample banana --particles 16 --steps 3 --quiet --out out/n-state");
  const std::string kept = place.read("out/n-state/draws.npz");
  const Ended ended = place.run(fails_at_once + "--out out/n");
  EXPECT_NE(ended.err.find("--start out/n-state-2/run-1.checkpoint"), std::string::npos)
      << ended.err;
  EXPECT_EQ(place.read("out/n-state/draws.npz"), kept);
  EXPECT_TRUE(place.has("out/n-state-2/run-1.checkpoint"));
}

TEST(FailedRun, DoesNotOfferToGoOnFromPositionsThatAreNoNumbers) {
  const Place place;
  // The score is finite and the move overflows.
  const Ended ended =
      place.run("sample normal --particles 16 --steps 5 --bandwidth 1 --start normal:0,9 "
                "--advance constant --step-size 1.7e308 --out out/m");
  EXPECT_EQ(ended.code, failed);
  EXPECT_THAT(ended.err,
              MatchesRegex("starling: particles: diverged at step 0, particle [0-9]+, parameter "
                           "x\\[[12]\\]: the position is not finite; lower the step size; there "
                           "is no state to save\n"));
  EXPECT_TRUE(place.everything().empty());
}

TEST(FailedRun, SavesTheStateEvenWithoutAnOutputFolder) {
  const Place place;
  const Ended ended = place.run(fails_at_once);
  EXPECT_EQ(ended.code, failed);
  EXPECT_NE(ended.err.find("--start starling-state/run-1.checkpoint"), std::string::npos)
      << ended.err;
  EXPECT_TRUE(place.has("starling-state/run-1.checkpoint"));
}

TEST(FailedRun, SaysBothWhenTheStateCannotBeSavedEither) {
  const Place place;
  // No file may have content: streams of the test go through a pipe.
  const std::string line = "trap '' XFSZ; (ulimit -f 0; exec " STARLING_BINARY " " + fails_at_once +
                           "--out out/m) 2>&1 | cat";
  Running running("/bin/bash", {"-c", line}, place.path(""), place.path("..") / "streams", {});
  const std::string said = running.wait().out;
  EXPECT_EQ(lines_of(said).size(), 1u) << said;
  EXPECT_TRUE(said.starts_with("starling: target: failed at step 0")) << said;
  EXPECT_NE(said.find("; its state is lost: out/m-state/run-1.checkpoint"), std::string::npos)
      << said;
  EXPECT_NE(said.find("file too large"), std::string::npos) << said;
}

} // namespace
} // namespace starling::cli
