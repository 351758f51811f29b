// Random orders drawn in vectors: to the last place those of the slow twin, at every level.
#include "simd/every_level.hpp"

#include <starling/cpu/permute.hpp>
#include <starling/deal/shuffle.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace starling {
namespace {

using simd_tests::at_every_level;

std::vector<std::uint32_t> in_order(std::size_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  return order;
}

// In 4096 places some hundred picks come near to a rejection, and about one in two orders has one
// that is.
TEST(PermuteInVectors, GivesTheOrderOfTheSlowTwin) {
  const Philox philox(0x9d2c5680a1b3c7efULL);
  for (const std::size_t count :
       {std::size_t{1}, cpu::permute_least - 1, cpu::permute_least, std::size_t{127},
        std::size_t{128}, std::size_t{129}, std::size_t{130}, std::size_t{256}, std::size_t{257},
        std::size_t{1000}, cpu::permute_most - 1, cpu::permute_most, cpu::permute_most + 1})
    for (Step k = 0; k < 40; ++k) {
      const Step step = k * 0x1'0000'0003ULL; // both of its words
      auto wanted = in_order(count);
      permute(wanted, philox, Stream::shuffle, step);
      at_every_level([&] {
        auto seen = in_order(count);
        cpu::permute(seen, philox, Stream::shuffle, step);
        ASSERT_EQ(seen, wanted) << count << " places, step " << step;
      });
    }
}

TEST(PermuteTogether, GivesTheOrderOfTheSlowTwin) {
  const Philox philox(0x9d2c5680a1b3c7efULL);
  Threads three(3);
  for (const std::size_t count :
       {cpu::permute_most, cpu::permute_together - 1, cpu::permute_together,
        cpu::permute_together + 1, cpu::permute_together + 2, 3 * cpu::permute_together + 7})
    for (const Step step : {Step{0}, Step{0x7'0000'0003ULL}}) {
      auto wanted = in_order(count), seen = wanted;
      permute(wanted, philox, Stream::shuffle, step);
      cpu::permute(seen, philox, Stream::shuffle, step, three);
      ASSERT_EQ(seen, wanted) << count << " places, step " << step;
    }
}

TEST(PermuteTogether, DealsTheBatchesOfAShuffle) {
  Threads three(3);
  const std::size_t count = cpu::permute_together + 5;
  Shuffle slow(7, 8), fast(7, 8, cpu::permute, three);
  const auto wanted = slow.deal(3, count).order(), seen = fast.deal(3, count).order();
  EXPECT_TRUE(std::ranges::equal(seen, wanted));
}

TEST(PermuteInVectors, DealsTheBatchesOfAShuffle) {
  Shuffle slow(7, 8), fast(7, 8, cpu::permute);
  for (Step k = 0; k < 5; ++k) {
    const auto wanted = slow.deal(k, 300).order(), seen = fast.deal(k, 300).order();
    EXPECT_TRUE(std::ranges::equal(seen, wanted));
  }
}

} // namespace
} // namespace starling
