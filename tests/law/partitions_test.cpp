// Partitions: who is in which batch, for every small N and p.
#include <starling/deal/draw.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/deal/whole.hpp>
#include <starling/ensemble.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace starling {
namespace {

std::vector<std::uint32_t> copy_of(std::span<const std::uint32_t> span) {
  return {span.begin(), span.end()};
}

template <typename Test>
void for_all_small_sizes(Test&& test) {
  for (std::size_t n = 2; n <= 40; ++n)
    for (std::size_t p = 2; p <= n; ++p)
      test(n, p);
}

TEST(Shuffle, PutsEveryParticleInExactlyOneBatch) {
  for_all_small_sizes([](std::size_t n, std::size_t p) {
    Shuffle shuffle(n, p);
    for (Step k = 0; k < 5; ++k) {
      const Batches& batches = shuffle.deal(k, n);
      std::vector<int> seen(n);
      for (std::size_t q = 0; q < batches.count(); ++q)
        for (const std::uint32_t i : batches[q]) {
          ASSERT_LT(i, n);
          ++seen[i];
        }
      ASSERT_EQ(seen, std::vector<int>(n, 1)) << "N " << n << ", p " << p << ", step " << k;
      ASSERT_TRUE(batches.whole());
      ASSERT_EQ(batches.population, n);
      ASSERT_EQ(batches.time, static_cast<double>(k));
    }
  });
}

TEST(Shuffle, MakesBatchesOfAtLeastTwoWhoseSizesDifferByAtMostOne) {
  for_all_small_sizes([](std::size_t n, std::size_t p) {
    Shuffle shuffle(1, p);
    const Batches& batches = shuffle.deal(0, n);
    std::size_t smallest = n, largest = 0;
    for (std::size_t q = 0; q < batches.count(); ++q) {
      smallest = std::min(smallest, batches[q].size());
      largest = std::max(largest, batches[q].size());
    }
    EXPECT_GE(smallest, 2u) << "N " << n << ", p " << p;
    EXPECT_LE(largest - smallest, 1u) << "N " << n << ", p " << p;
    if (n % p == 0) {
      EXPECT_EQ(smallest, p) << "N " << n;
      EXPECT_EQ(largest, p) << "N " << n;
    }
  });
}

TEST(Shuffle, MakesTheNumberOfBatchesNearestToNOverP) {
  for_all_small_sizes([](std::size_t n, std::size_t p) {
    const auto pieces = static_cast<double>(Batches::pieces(n, p));
    const double off = std::abs(pieces - static_cast<double>(n) / static_cast<double>(p));
    // Rounding up N/2 would leave a batch of one.
    EXPECT_TRUE(off <= 0.5 || pieces == static_cast<double>(n / 2)) << "N " << n << ", p " << p;
  });
}

TEST(Shuffle, DealsTheSameBatchesForAStepWhateverWasDealtBefore) {
  Shuffle once(7, 3), often(7, 3);
  const auto expected = copy_of(once.deal(4, 20).order());
  for (const Step k : {9, 0, 4, 5})
    often.deal(k, 20);
  often.deal(3, 11); // another ensemble in between
  EXPECT_EQ(copy_of(often.deal(4, 20).order()), expected);
  EXPECT_NE(copy_of(often.deal(5, 20).order()), expected);
  EXPECT_NE(copy_of(Shuffle(8, 3).deal(4, 20).order()), expected);
}

TEST(Whole, IsOneBatchOfEveryoneAlsoWhenThatIsOne) {
  Whole whole;
  for (const std::size_t n : {5u, 1u, 40u}) {
    const Ensemble<double> particles(n, 2);
    const Batches& batches = whole(3, particles);
    ASSERT_EQ(batches.count(), 1u);
    ASSERT_EQ(batches[0].size(), n);
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_EQ(batches[0][i], i);
    EXPECT_EQ(batches.population, n);
    EXPECT_EQ(batches.time, 3.0);
    // Everyone has the weight 1/N: equation (1.1).
    EXPECT_DOUBLE_EQ(batches.self_weight(), 1.0 / static_cast<double>(n));
    if (n > 1) {
      EXPECT_DOUBLE_EQ(batches.pair_weight(n), batches.self_weight());
    } else {
      EXPECT_EQ(batches.pair_weight(1), 0.0);
    }
  }
}

TEST(Draw, GivesPDifferentParticlesAndNoOthers) {
  for_all_small_sizes([](std::size_t n, std::size_t p) {
    Draw draw(n, p);
    for (Step k = 0; k < 5; ++k) {
      const Batches& batches = draw.deal(k, n);
      ASSERT_EQ(batches.count(), 1u);
      auto members = copy_of(batches[0]);
      ASSERT_EQ(members.size(), p);
      std::sort(members.begin(), members.end());
      ASSERT_EQ(std::adjacent_find(members.begin(), members.end()), members.end());
      ASSERT_LT(members.back(), n);
      ASSERT_EQ(batches.population, n);
      ASSERT_EQ(batches.whole(), p == n);
    }
  });
}

TEST(Draw, DealsTheSameSetForAStepWhateverWasDealtBefore) {
  Draw once(7, 4), often(7, 4);
  const auto expected = copy_of(once.deal(4, 20).order());
  for (const Step k : {9, 0, 4, 5})
    often.deal(k, 20);
  often.deal(3, 50);
  EXPECT_EQ(copy_of(often.deal(4, 20).order()), expected);
  EXPECT_NE(copy_of(often.deal(5, 20).order()), expected);
}

TEST(BatchSize, DoublesAfterEveryKStepsUpToN) {
  const BatchSize size = BatchSize::doubling(3, 10);
  EXPECT_EQ(size.first(), 3u);
  EXPECT_EQ(size(0, 100), 3u);
  EXPECT_EQ(size(9, 100), 3u);
  EXPECT_EQ(size(10, 100), 6u);
  EXPECT_EQ(size(49, 100), 48u);
  EXPECT_EQ(size(50, 100), 96u);
  EXPECT_EQ(size(60, 100), 100u);
  EXPECT_EQ(size(std::numeric_limits<Step>::max(), 100), 100u);
}

TEST(BatchSize, GrowsAsAPowerOfTheStepUpToN) {
  const BatchSize root = BatchSize::power(2, 0.5);
  EXPECT_EQ(root(0, 100), 2u);
  EXPECT_EQ(root(3, 100), 4u);
  EXPECT_EQ(root(1, 100), 3u); // 2 sqrt(2), rounded
  EXPECT_EQ(root(99, 100), 20u);
  EXPECT_EQ(root(std::numeric_limits<Step>::max(), 100), 100u);
  EXPECT_EQ(BatchSize::power(2, 0)(1000, 100), 2u);
  EXPECT_EQ(BatchSize::power(2, 1000)(1000, 100), 100u); // overflows, and is capped all the same
}

TEST(BatchSize, TurnsTheShuffleIntoSvgdInTheEnd) {
  Shuffle shuffle(1, BatchSize::doubling(2, 5));
  EXPECT_EQ(shuffle.deal(0, 24).count(), 12u);
  EXPECT_EQ(shuffle.deal(5, 24).count(), 6u);
  EXPECT_EQ(shuffle.deal(10, 24).count(), 3u);
  EXPECT_EQ(shuffle.deal(20, 24).count(), 1u);
  EXPECT_EQ(shuffle.deal(1000, 24)[0].size(), 24u);
}

} // namespace
} // namespace starling
