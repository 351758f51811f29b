// Ctrl-C: the run stops after the step, its state is saved, and it can go on from there.
#include "results.hpp"

#include <gmock/gmock.h>

namespace starling::cli {
namespace {

using testing::MatchesRegex;

// Would take hours.
const std::string endless = "sample normal --dim 2 --particles 200 --batch 8 --bandwidth 1 "
                            "--steps 1000000000 ";

/// Lets it run until it has begun to move particles: a moment after it made the folder above.
void let_it_begin(const Place& place) {
  for (int tries = 0; tries < 6000 && !place.has("out"); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
}

TEST(Interrupt, SavesTheStateAndExitsWith130) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Place place;
    Running running = place.start(endless + "--out out/m");
    let_it_begin(place);
    running.signal(signal);
    const Ended ended = running.wait();
    EXPECT_EQ(ended.code, interrupted);
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err,
                MatchesRegex("starling: interrupted; state after [1-9][0-9]* steps saved, "
                             "go on with --resume out/m-state\n"));
    std::vector<std::string> names;
    for (const auto& [name, content] : place.everything())
      names.push_back(name);
    EXPECT_EQ(names, (std::vector<std::string>{"out", "out/m-state", "out/m-state/run-1.checkpoint"}));
  }
}

TEST(Interrupt, LeavesARunAloneThatWasToldToSurviveTheTerminal) {
  const Place place;
  Running running("/bin/sh", {"-c", "trap '' HUP; exec " STARLING_BINARY " " + endless + "--out out/m"},
                  place.path(""), place.path("..") / "streams", {});
  let_it_begin(place);
  running.signal(SIGHUP);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  running.signal(SIGINT); // the first that counts: the state is saved
  EXPECT_EQ(running.wait().code, interrupted);
  EXPECT_TRUE(place.has("out/m-state/run-1.checkpoint"));
}

TEST(Interrupt, LeavesAnEarlierResultAsItWas) {
  const Place place;
  succeed(place, "sample normal --particles 16 --steps 3 --quiet --out out/m");
  const auto before = place.everything();
  Running running = place.start(endless + "--out out/m --force");
  let_it_begin(place);
  running.signal(SIGINT);
  EXPECT_EQ(running.wait().code, interrupted);
  const auto after = place.everything();
  for (const auto& [name, content] : before)
    EXPECT_EQ(after.at(name), content) << name;
  EXPECT_TRUE(place.has("out/m-state/run-1.checkpoint"));
}

} // namespace
} // namespace starling::cli
