// The progress line: silent in short runs, then step, time left and a live figure on stderr.
#include "results.hpp"

#include <gmock/gmock.h>

namespace starling::cli {
namespace {

using testing::ContainsRegex;
using testing::MatchesRegex;

const std::string goes_on = "sample normal --dim 2 --particles 200 --batch 8 --bandwidth 1 "
                            "--steps 1000000000 --out out/m --progress ";

/// What stands on stderr once something does; the run is then ended.
Ended until_it_shows(const Place& place, const std::string& line,
                     const Running::Environment& environment = {}) {
  Running running = place.start(line, environment);
  running.until("it shows", [&] { return !running.err_so_far().empty(); });
  running.signal(SIGINT);
  return running.wait();
}

TEST(Progress, PlainPrintsStepTimeLeftAndALiveFigureAfterTwoSeconds) {
  const Place place;
  const Ended ended = until_it_shows(place, goes_on + "plain");
  EXPECT_GE(ended.seconds, 2);
  EXPECT_EQ(ended.out, "");
  const auto lines = lines_of(ended.err);
  ASSERT_GE(lines.size(), 2u) << ended.err;
  EXPECT_THAT(lines[0], MatchesRegex("step [1-9][0-9]* of 1000000000, "
                                     "[0-9]+(:[0-9][0-9])?:[0-9][0-9] left, drift [-+.e0-9]+, "
                                     "KSD\\^2 [-+.e0-9]+ \\+- [-+.e0-9]+, [a-z ]+"));
  EXPECT_THAT(lines.back(), MatchesRegex("starling: interrupted; state after .*"));
}

TEST(Progress, BarIsColouredUnlessNoColorIsSet) {
  const std::string colour = "\033[36m";
  const auto has_bar = ContainsRegex("\\[[= ]{28}\\][^%]*[0-9]+%  step [1-9][0-9]* of 1000000000  "
                                     "[0-9]+(:[0-9][0-9])?:[0-9][0-9] left  "
                                     "drift [-+.e0-9]+");
  for (const std::string value : {"", "1"}) {
    const Place place;
    const Ended ended = until_it_shows(place, goes_on + "bar", {{"NO_COLOR", value}});
    EXPECT_EQ(ended.err.find(colour) != std::string::npos, value.empty()) << ended.err;
    EXPECT_THAT(ended.err, has_bar);
    EXPECT_EQ(ended.code, 130);
  }
}

TEST(Progress, StaysSilentInShortRunsAndWhereToldTo) {
  const Place place, another; // two runs at a time
  for (const std::string how : {"plain", "bar", "none", "auto"}) {
    const Ended ended = place.run("sample mixture --particles 20 --steps 5 --progress " + how);
    if (ended.seconds < 2) { // elsewhere it was no short run
      EXPECT_EQ(ended.err, "") << how;
    }
  }
  Running none = place.start(goes_on + "none");
  Running quiet = another.start("sample normal --steps 1000000000 --quiet --progress plain");
  std::this_thread::sleep_for(std::chrono::milliseconds(3500));
  EXPECT_EQ(none.err_so_far(), "");
  EXPECT_EQ(quiet.err_so_far(), "");
}

} // namespace
} // namespace starling::cli
