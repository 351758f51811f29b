// The uses of Stream::scout do not meet, and keep their numbers.
#include <starling/random/stream.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace starling {
namespace {

TEST(ScoutSteps, KeepTheirNumbersAndDoNotMeet) {
  struct Use {
    std::uint64_t first, count, number;
  };
  const std::vector<Use> uses = {{scout_pathfinder, 1, 1},
                                 {scout_choice, 1, 2},
                                 {scout_start, 1, 3},
                                 {scout_probes, 1, 4},
                                 {scout_low_rank_guess, 1, 5},
                                 {scout_start_over_rows, 1, 6},
                                 {scout_other_ways, 900, 100},  // as many ways up
                                 {scout_places, 9000, 1000},    // as many attempts
                                 {scout_afar, 990'000, 10'000}, // rounds times 1000
                                 {scout_mode_probes, 1'000'000, 1'000'000}};
  for (std::size_t n = 0; n < uses.size(); ++n) {
    EXPECT_EQ(uses[n].first, uses[n].number);
    if (n + 1 < uses.size())
      EXPECT_LE(uses[n].first + uses[n].count, uses[n + 1].first);
  }
  EXPECT_EQ(scout_leverage, 5u); // with scout_low_rank_guess: see stream.hpp
}

} // namespace
} // namespace starling
