// Philox: the published vectors, addresses apart, and the laws of what is made from its bits.
#include <starling/random/philox.hpp>

#include "support/chi_square.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace starling {
namespace {

constexpr double tolerance = 4.5; // in standard errors; the seeds are fixed

TEST(Philox, GivesTheThreePublishedVectors) {
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox4x32_10({0, 0, 0, 0}, {0, 0}),
            (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32_10({ones, ones, ones, ones}, {ones, ones}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(
      philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
      (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, GivesOtherBitsWhereverAnyPartOfTheAddressDiffers) {
  const std::vector<std::uint64_t> words = {0, 1, 255, 0x10000, std::uint64_t{1} << 32};
  std::set<Block> seen;
  std::size_t asked = 0;
  for (const std::uint64_t seed : words)
    for (const Stream stream : {Stream::start, Stream::shuffle, Stream::user})
      for (const Step step : words)
        for (const std::uint64_t index :
             {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0x100}, std::uint64_t{0x10000},
              std::uint64_t{1} << 32, (std::uint64_t{1} << 48) - 1})
          for (const std::uint8_t attempt : {0, 1, 2, 255}) {
            seen.insert(Philox(seed)(stream, step, index, attempt));
            ++asked;
          }
  EXPECT_EQ(seen.size(), asked);
}

TEST(Uniform, IsNeverZeroAndNeverOne) {
  constexpr std::uint32_t ones = 0xffffffff;
  for (const int half : {0, 1}) {
    EXPECT_EQ(uniform({0, 0, 0, 0}, half), 0x1.0p-53);
    EXPECT_EQ(uniform({ones, ones, ones, ones}, half), 1 - 0x1.0p-53);
  }
  for (const Block& bits : {Block{0, 0, 0, 0}, Block{ones, ones, ones, ones}})
    for (const double z : normal_pair(bits))
      EXPECT_TRUE(std::isfinite(z));
}

TEST(Uniform, FillsAHundredEqualCells) {
  const Philox philox(1);
  std::vector<std::size_t> first(100), second(100);
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const Block bits = philox(Stream::user, 0, i);
    ++first[static_cast<std::size_t>(100 * uniform(bits, 0))];
    ++second[static_cast<std::size_t>(100 * uniform(bits, 1))];
  }
  EXPECT_LT(std::abs(support::chi_square_excess(first)), tolerance);
  EXPECT_LT(std::abs(support::chi_square_excess(second)), tolerance);
}

TEST(Below, IsUniformForSmallBounds) {
  const Philox philox(2);
  for (const std::uint32_t bound : {2u, 3u, 7u, 10u, 52u}) {
    std::vector<std::size_t> counts(bound);
    for (std::uint64_t i = 0; i < 50000; ++i) {
      const std::uint32_t value = philox.below(bound, Stream::user, 3, i);
      ASSERT_LT(value, bound);
      ++counts[value];
    }
    EXPECT_LT(std::abs(support::chi_square_excess(counts)), tolerance) << "bound " << bound;
  }
  EXPECT_EQ(philox.below(1, Stream::user, 3, 0), 0u);
}

// With the bound 3/4 2^32 the words 4m .. 4m+3 land on 3m, 3m, 3m+1, 3m+2: one of the first two
// must be thrown away, and exactly one word is left for each value.
constexpr std::uint32_t three_quarters = 0xC0000000;

TEST(Below, LeavesExactlyOneWordForEachValueOfALargeBound) {
  const Philox philox(3);
  for (std::uint32_t m = 0; m < 0x40000000; m += 999983) {
    EXPECT_EQ(philox.below(three_quarters, 4 * m + 1, Stream::user, 0, 0), 3 * m);
    EXPECT_EQ(philox.below(three_quarters, 4 * m + 2, Stream::user, 0, 0), 3 * m + 1);
    EXPECT_EQ(philox.below(three_quarters, 4 * m + 3, Stream::user, 0, 0), 3 * m + 2);
  }
}

TEST(Below, DrawsARejectedWordAnewWithoutFavouringAnyValue) {
  const Philox philox(4);
  std::vector<std::size_t> drawn(3), redrawn(3), unrejected(3);
  for (std::uint64_t i = 0; i < 30000; ++i) {
    ++drawn[philox.below(three_quarters, Stream::user, 0, i) % 3];
    ++redrawn[philox.below(three_quarters, 0, Stream::user, 1, i) % 3]; // 0 is rejected
    const std::uint32_t word = philox(Stream::user, 0, i / 4)[i % 4];
    ++unrejected[(std::uint64_t{word} * three_quarters >> 32) % 3];
  }
  EXPECT_LT(std::abs(support::chi_square_excess(drawn)), tolerance);
  EXPECT_LT(std::abs(support::chi_square_excess(redrawn)), tolerance);
  EXPECT_GT(support::chi_square_excess(unrejected), 100); // the check sees a missing rejection
}

/// The largest of the first four moments' and the pair product's deviations from those of the
/// standard normal, in standard errors.
template <typename Pair>
double deviation_from_normal(Pair&& pair) {
  constexpr int pairs = 100000;
  const double truth[] = {0, 1, 0, 3, 0}, variance[] = {1, 2, 15, 96, 1};
  double sums[5] = {};
  for (int i = 0; i < pairs; ++i) {
    const std::array<double, 2> z = pair(static_cast<std::uint64_t>(i));
    for (const double x : z) {
      sums[0] += x;
      sums[1] += x * x;
      sums[2] += x * x * x;
      sums[3] += x * x * x * x;
    }
    sums[4] += z[0] * z[1];
  }
  double worst = 0;
  for (int m = 0; m < 5; ++m) {
    const double count = m < 4 ? 2 * pairs : pairs;
    worst = std::max(worst, std::abs(sums[m] / count - truth[m]) / std::sqrt(variance[m] / count));
  }
  return worst;
}

TEST(NormalPair, HasTheMomentsOfTwoIndependentStandardNormals) {
  const Philox philox(5);
  EXPECT_LT(deviation_from_normal(
                [&](std::uint64_t i) { return normal_pair(philox(Stream::user, 0, i)); }),
            tolerance);
}

TEST(NormalPair, WouldBeRejectedIfItWereUniformOfTheSameMeanAndVariance) {
  const Philox philox(5);
  EXPECT_GT(deviation_from_normal([&](std::uint64_t i) {
              const Block bits = philox(Stream::user, 0, i);
              const double width = std::sqrt(12.0);
              return std::array{width * (uniform(bits, 0) - 0.5), width * (uniform(bits, 1) - 0.5)};
            }),
            20);
}

} // namespace
} // namespace starling
