// Rows that lie side by side are read in vectors: bit for bit what they are when taken one by one.
#include "drift/twins.hpp"
#include "simd/every_level.hpp"

#include <starling/cpu/pairwise_drift.hpp>
#include <starling/deal/cosets.hpp>
#include <starling/deal/matching.hpp>
#include <starling/deal/moebius.hpp>
#include <starling/deal/shuffle.hpp>

namespace drift_tests {
namespace {

using simd_tests::at_every_level;

/// The same batches one after another in another order, in which no two neighbours were neighbours:
/// lanes compute apart from each other, so every batch comes to the same.
Batches mixed(const Batches& batches) {
  Batches other;
  other.population = batches.population;
  other.here = batches.here;
  const std::size_t count = batches.count(), size = batches[0].size();
  const auto order = other.cut(count * size, count);
  for (std::size_t q = 0; q < count; ++q)
    std::ranges::copy(batches[(q % 2 == 0 ? q / 2 : count - 1 - q / 2)],
                      order.begin() + std::ptrdiff_t(q * size));
  return other;
}

template <typename Real>
void expect_same_bits(std::size_t count, std::size_t dim, const Batches& batches) {
  using Gauss = kernel::Gaussian<Real>;
  auto streams = cloud<Real>(count, dim), one_by_one = cloud<Real>(count, dim);
  cpu::PairwiseDrift<Real, Gauss> drift(Gauss(1));
  drift(0, streams, batches);
  drift(0, one_by_one, mixed(batches));
  const auto seen = streams.drift(), wanted = one_by_one.drift();
  for (std::size_t n = 0; n < count * dim; ++n)
    ASSERT_EQ(seen.data[n], wanted.data[n])
        << "number " << n << " of N " << count << ", d " << dim << ", p " << batches[0].size();
}

template <typename Deal>
void expect_same_bits(std::size_t count, Deal&& deal) {
  at_every_level([&] {
    for (const std::size_t dim : {1u, 2u, 3u})
      for (Step k = 0; k < 3; ++k) {
        expect_same_bits<double>(count, dim, deal.deal(k, count));
        expect_same_bits<float>(count, dim, deal.deal(k, count));
      }
  });
}

TEST(Streams, OfMatchingsAreReadAsTheyLie) {
  for (const std::size_t count : {64u, 254u, 256u, 4096u})
    expect_same_bits(count, Matching(3));
}
TEST(Streams, OfCosetsAreReadAsTheyLie) {
  for (const std::size_t size : {4u, 8u, 16u, 32u, 64u})
    for (const std::size_t count : {256u, 4096u})
      expect_same_bits(count, Cosets(3, size));
}
TEST(Streams, OfOthersAreNotTakenForSuch) {
  for (const std::size_t size : {2u, 4u, 16u})
    expect_same_bits(256, Moebius(3, size));
}

/// The same batches, the first `by` of them last.
Batches turned(const Batches& batches, std::size_t by) {
  Batches other;
  other.population = batches.population;
  other.here = batches.here;
  const auto from = batches.order();
  const auto order = other.cut(from.size(), batches.count());
  std::ranges::rotate_copy(from, from.begin() + std::ptrdiff_t(by * batches[0].size()),
                           order.begin());
  return other;
}

/// Batches that fill no vector any more are brought together number by number, those before them by
/// the machine's own gathering where it has one. Turned so that every batch is once among the last,
/// each comes to the same.
TEST(Streams, RowsThatLieAnyhowAreGatheredBitForBit) {
  for (const std::size_t size : {2u, 3u, 4u, 9u})
    at_every_level([&] {
      for (const std::size_t dim : {1u, 2u}) {
        const std::size_t count = 23 * size; // 7 more than fill two vectors of eight
        const auto batches = Shuffle(3, size).deal(2, count);
        std::vector<double> wanted;
        for (const std::size_t by : {0u, 7u, 14u, 21u}) {
          auto particles = cloud<double>(count, dim);
          cpu::PairwiseDrift<double, kernel::Gaussian<double>> drift(kernel::Gaussian<double>(1));
          drift(0, particles, turned(batches, by));
          const std::vector<double> seen(particles.drift().begin(), particles.drift().end());
          if (by == 0)
            wanted = seen;
          ASSERT_EQ(seen, wanted) << "p " << size << ", d " << dim << ", turned by " << by;
        }
      }
    });
}

/// All but one pair lie as in a matching, all but one batch as cosets: wherever that one is, it is
/// not overlooked.
TEST(Streams, OneOutOfLineIsNotOverlooked) {
  for (const std::size_t size : {2u, 4u, 16u})
    at_every_level([&] {
      Batches batches;
      const std::size_t count = 64 * size;
      batches.population = batches.here = count;
      for (std::size_t at = 0; at < count; ++at) {
        const auto order = batches.cut(count, 64);
        for (std::uint32_t q = 0; q < 64; ++q)
          for (std::uint32_t m = 0; m < size; ++m)
            order[q * size + m] = size == 2 ? (m == 0 ? q : 127 - q) : m * 64 + (q ^ (5 * m % 64));
        std::swap(order[at], order[(at + 3 * size + 1) % count]);
        expect_same_bits<double>(count, 1, batches);
      }
    });
}

} // namespace
} // namespace drift_tests
