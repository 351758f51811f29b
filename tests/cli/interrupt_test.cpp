// Ctrl-C: the run stops after the step, its state is saved, and it can go on from there.
#include "results.hpp"

#include <gmock/gmock.h>

namespace starling::cli {
namespace {

using testing::MatchesRegex;

// Would take hours.
const std::string endless = "sample normal --dim 2 --particles 200 --batch 8 --bandwidth 1 "
                            "--steps 1000000000 --progress plain ";
const std::string checkpoint_file = "out/m-state/run-1.checkpoint";

/// Lets it run until it tells how far it is.
void let_it_begin(const Running& running) {
  running.until("steps are taken", [&] { return !running.err_so_far().empty(); });
}

TEST(Interrupt, SavesTheStateAndExitsWith130) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Place place;
    Running running = place.start(endless + "--out out/m");
    let_it_begin(running);
    running.signal(signal);
    const Ended ended = running.wait();
    EXPECT_EQ(ended.code, interrupted);
    EXPECT_EQ(ended.out, "");
    const auto lines = lines_of(ended.err);
    ASSERT_GE(lines.size(), 2u) << ended.err; // those before tell how far it was
    EXPECT_THAT(lines.back(), MatchesRegex("starling: interrupted; state after [1-9][0-9]* steps "
                                           "saved, continue with --resume out/m-state"));
    std::vector<std::string> names;
    for (const auto& [name, content] : place.everything())
      names.push_back(name);
    EXPECT_EQ(names, (std::vector<std::string>{"out", "out/m-state", checkpoint_file}));
  }
}

TEST(Interrupt, LeavesARunAloneThatWasToldToSurviveTheTerminal) {
  const Place place;
  Running running("/bin/sh",
                  {"-c", "trap '' HUP; exec " STARLING_BINARY " " + endless +
                             "--checkpoint-every 500 --out out/m"},
                  place.path(""), place.path("..") / "streams", {});
  running.until("a checkpoint", [&] { return place.has(checkpoint_file); });
  EXPECT_TRUE(running.ignores(SIGHUP));
  running.signal(SIGHUP);
  for (int more = 0; more < 3; ++more) { // one that stopped would save its state once
    const std::string before = place.read(checkpoint_file);
    running.until("another checkpoint", [&] { return place.read(checkpoint_file) != before; });
  }
  running.signal(SIGINT); // the first that counts: the state is saved
  EXPECT_EQ(running.wait().code, interrupted);
  EXPECT_TRUE(place.has(checkpoint_file));
}

TEST(Interrupt, LeavesAnEarlierResultAsItWas) {
  const Place place;
  succeed(place, "sample normal --particles 16 --steps 3 --quiet --out out/m");
  const auto before = place.everything();
  Running running = place.start(endless + "--out out/m --force");
  let_it_begin(running);
  running.signal(SIGINT);
  EXPECT_EQ(running.wait().code, interrupted);
  const auto after = place.everything();
  for (const auto& [name, content] : before)
    EXPECT_EQ(after.at(name), content) << name;
  EXPECT_TRUE(place.has(checkpoint_file));
}

} // namespace
} // namespace starling::cli
