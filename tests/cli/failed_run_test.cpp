// Runs that fail on the way: what, where, and the state so far; an earlier result stays.
#include "results.hpp"

#include <gmock/gmock.h>

namespace starling::cli {
namespace {

using testing::MatchesRegex;

constexpr int bad_data = 65, failed = 1;

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
          "[^ ]+ is -?(inf|nan); state after [1-9][0-9]* steps saved in out/m-state, go on with "
          "--start out/m-state/state.npy\n"));
  EXPECT_FALSE(place.has("out/m"));
}

TEST(FailedRun, SavesTheStateAndNothingElse) {
  const Place place;
  EXPECT_EQ(place.run(fails_at_once + "--out out/m").code, failed);
  const auto left = place.everything();
  std::vector<std::string> names;
  for (const auto& [name, content] : left)
    names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"out", "out/m-state", "out/m-state/config.toml",
                                             "out/m-state/state.npy", "out/m-state/trace.csv"}));
  const io::Array state = io::read_npy(place.path("out/m-state/state.npy"));
  EXPECT_EQ(state.shape, (std::vector<std::size_t>{16, 2}));
  for (const double value : state.values)
    EXPECT_TRUE(std::isfinite(value));
}

TEST(FailedRun, GoesOnFromTheStateWhereItIsFinite) {
  const Place place;
  EXPECT_EQ(place.run(fails_at_once + "--out out/m").code, failed);
  const std::string rest = "sample banana --particles 16 --quiet --start out/m-state/state.npy ";
  succeed(place, rest + "--steps 0 --out out/same");
  EXPECT_EQ(draws_of(place, "out/same").values,
            io::read_npy(place.path("out/m-state/state.npy")).values);
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
  EXPECT_EQ(after.size(), before.size() + 4); // the state, a folder of three files
}

TEST(FailedRun, ReplacesAnEarlierStateButNothingElseOfThatName) {
  const Place place;
  EXPECT_EQ(place.run(fails_at_once + "--out out/m").code, failed);
  EXPECT_EQ(place.run(fails_at_once + "--seed 2 --out out/m").code, failed);
  EXPECT_FALSE(place.has("out/m-state-2"));

  succeed(place, "sample banana --particles 16 --steps 3 --quiet --out out/n-state");
  const std::string kept = place.read("out/n-state/draws.npz");
  const Ended ended = place.run(fails_at_once + "--out out/n");
  EXPECT_NE(ended.err.find("saved in out/n-state-2,"), std::string::npos) << ended.err;
  EXPECT_EQ(place.read("out/n-state/draws.npz"), kept);
  EXPECT_TRUE(place.has("out/n-state-2/state.npy"));
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
                           "x\\[[12]\\]: the position is not finite; lower the step size; state "
                           "after 0 steps saved in out/m-state\n"));
  EXPECT_EQ(io::read_npy(place.path("out/m-state/state.npy")).shape,
            (std::vector<std::size_t>{16, 2}));
  EXPECT_EQ(
      place.run("sample normal --particles 16 --start out/m-state/state.npy --out out/n").code,
      bad_data);
}

TEST(FailedRun, SavesTheStateEvenWithoutAnOutputFolder) {
  const Place place;
  const Ended ended = place.run(fails_at_once);
  EXPECT_EQ(ended.code, failed);
  EXPECT_NE(ended.err.find("saved in starling-state,"), std::string::npos) << ended.err;
  EXPECT_TRUE(place.has("starling-state/state.npy"));
}

TEST(FailedRun, SaysBothWhenTheStateCannotBeSavedEither) {
  const Place place;
  const std::string longest(244, 'm'); // a name with room for the result but not for "-state"
  const Ended ended = place.run(fails_at_once + "--out " + longest);
  EXPECT_EQ(ended.code, failed);
  EXPECT_EQ(lines_of(ended.err).size(), 1u) << ended.err;
  EXPECT_TRUE(ended.err.starts_with("starling: target: failed at step 0")) << ended.err;
  EXPECT_NE(ended.err.find("; its state is lost: " + longest + "-state: cannot write: "),
            std::string::npos)
      << ended.err;
  EXPECT_TRUE(place.everything().empty());
}

} // namespace
} // namespace starling::cli
