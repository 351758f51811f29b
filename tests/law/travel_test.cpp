// Rows that travel: into an order that every row computes for itself, with all that is theirs.
#include <starling/deal/cosets.hpp>
#include <starling/ensemble.hpp>
#include <starling/random/scramble.hpp>
#include <starling/random/start.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace starling {
namespace {

TEST(Scramble, IsOneToOneAndMovesNearlyEveryone) {
  for (const std::uint32_t n : {4u, 5u, 16u, 17u, 1000u, 4096u, 70000u}) {
    const Scramble order(n, Philox(3), Stream::reshuffle, 64);
    std::vector<bool> seen(n);
    std::size_t stayed = 0, together = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t to = order(i);
      ASSERT_LT(to, n);
      ASSERT_FALSE(seen[to]);
      seen[to] = true;
      stayed += to == i;
      together += i > 0 && (order(i - 1) + 1 == to || order(i - 1) == to + 1);
    }
    EXPECT_LE(stayed, 8u) << n;   // 1 expected of a random order
    EXPECT_LE(together, 9u) << n; // 2 expected
  }
}

TEST(DealersWithoutAShuffle, LetRowsTravelWithEverythingThatIsTheirs) {
  Ensemble<double> particles(16, 2);
  start_normal(particles.position(), 1, 0, 1);
  const Ensemble<double> before = particles;
  Cosets dealer(4, 4, Threads::alone(), 10);
  dealer(9, particles);
  EXPECT_TRUE(std::ranges::equal(particles.id(), before.id()));
  dealer(10, particles);
  EXPECT_FALSE(std::ranges::equal(particles.id(), before.id()));
  for (std::size_t i = 0; i < 16; ++i)
    EXPECT_EQ(particles.position()[i][1], before.position()[particles.id()[i]][1]);
}

} // namespace
} // namespace starling
