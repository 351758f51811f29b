// Uniformity: every order and every set equally likely, and dealers that are not get caught.
#include <starling/deal/draw.hpp>
#include <starling/deal/shuffle.hpp>

#include "support/chi_square.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

namespace starling {
namespace {

constexpr double tolerance = 4.5; // in standard errors; the seeds are fixed
constexpr Step steps = 60000;

using Order = std::vector<std::uint32_t>;

/// Which place each outcome of n members has among all there can be: `cells` of them.
template <typename Deal>
double excess(std::size_t n, std::size_t cells, bool as_sets, Deal&& deal) {
  std::map<Order, std::size_t> seen;
  for (Step k = 0; k < steps; ++k) {
    const auto dealt = deal(k, n).order();
    Order order(dealt.begin(), dealt.end());
    if (as_sets)
      std::sort(order.begin(), order.end());
    ++seen[order];
  }
  std::vector<std::size_t> counts;
  for (const auto& entry : seen)
    counts.push_back(entry.second);
  EXPECT_LE(counts.size(), cells);
  counts.resize(cells); // what never came up counts as well
  return support::chi_square_excess(counts);
}

/// The largest deviation, over all pairs, of how often they meet from (p-1)/(N-1), in standard
/// errors.
template <typename Deal>
double worst_pair(std::size_t n, std::size_t p, Deal&& deal) {
  std::vector<double> met(n * n);
  for (Step k = 0; k < steps; ++k) {
    const Batches& batches = deal(k, n);
    for (std::size_t q = 0; q < batches.count(); ++q)
      for (const std::uint32_t i : batches[q])
        for (const std::uint32_t j : batches[q])
          ++met[i * n + j];
  }
  const double chance = static_cast<double>(p - 1) / static_cast<double>(n - 1);
  const double error = std::sqrt(static_cast<double>(steps) * chance * (1 - chance));
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      worst = std::max(worst, std::abs(met[i * n + j] - static_cast<double>(steps) * chance));
  return worst / error;
}

/// Swaps every place with any other, instead of those before it: n^n equally likely ways onto n!
/// orders, which does not come out even.
class NaiveShuffle {
public:
  explicit NaiveShuffle(std::size_t p) : p_(p) {}
  const Batches& operator()(Step k, std::size_t n) {
    batches_.population = n;
    auto order = batches_.lay_out(n, Batches::pieces(n, p_));
    for (std::size_t i = 0; i < n; ++i)
      std::swap(order[i], order[philox_.below(static_cast<std::uint32_t>(n), Stream::user, k, i)]);
    return batches_;
  }

private:
  std::size_t p_;
  Philox philox_{1};
  Batches batches_;
};

/// Pairs neighbours on a ring: everyone is paired, and equally often, but never with a stranger.
class Neighbours {
public:
  const Batches& operator()(Step k, std::size_t n) {
    batches_.population = n;
    auto order = batches_.lay_out(n, n / 2);
    std::rotate(order.begin(), order.begin() + philox_.below(2, Stream::user, k, 0), order.end());
    return batches_;
  }

private:
  Philox philox_{1};
  Batches batches_;
};

TEST(Shuffle, MakesAllOrdersOfFourAndFiveEquallyLikely) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Shuffle shuffle(seed, 2);
    const auto deal = [&](Step k, std::size_t n) -> const Batches& { return shuffle.deal(k, n); };
    EXPECT_LT(std::abs(excess(4, 24, false, deal)), tolerance) << "seed " << seed;
    EXPECT_LT(std::abs(excess(5, 120, false, deal)), tolerance) << "seed " << seed;
  }
}

TEST(Shuffle, WouldBeRejectedIfItSwappedWithAnyPlace) {
  EXPECT_GT(excess(4, 24, false, NaiveShuffle(2)), 20);
  EXPECT_GT(excess(5, 120, false, NaiveShuffle(2)), 20);
}

TEST(Shuffle, LetsEachPairMeetEquallyOften) {
  for (const std::size_t p : {2u, 4u, 5u}) {
    Shuffle shuffle(4, p);
    EXPECT_LT(
        worst_pair(p == 5 ? 10 : 8, p,
                   [&](Step k, std::size_t n) -> const Batches& { return shuffle.deal(k, n); }),
        tolerance)
        << "p " << p;
  }
}

TEST(Shuffle, WouldBeRejectedIfItAlwaysPairedNeighbours) {
  EXPECT_GT(worst_pair(8, 2, Neighbours()), 20);
}

TEST(Draw, MakesAllSetsEquallyLikely) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Draw two(seed, 2), three(seed, 3);
    EXPECT_LT(
        std::abs(excess(5, 10, true,
                        [&](Step k, std::size_t n) -> const Batches& { return two.deal(k, n); })),
        tolerance)
        << "seed " << seed;
    EXPECT_LT(
        std::abs(excess(6, 20, true,
                        [&](Step k, std::size_t n) -> const Batches& { return three.deal(k, n); })),
        tolerance)
        << "seed " << seed;
  }
}

TEST(Draw, WouldBeRejectedIfOneDrawInTenFavouredNeighbours) {
  const Philox philox(1);
  Batches batches;
  EXPECT_GT(excess(5, 10, true,
                   [&](Step k, std::size_t n) -> const Batches& {
                     batches.population = n;
                     auto pair = batches.lay_out(2, 1);
                     // One or two places on, round the ring of five: all ten pairs alike ...
                     const std::uint32_t on = 1 + philox.below(2, Stream::user, k, 1);
                     const bool next_door = philox.below(10, Stream::user, k, 2) == 0; // ... but
                     pair[0] = philox.below(5, Stream::user, k, 0);
                     pair[1] = (pair[0] + (next_door ? 1 : on)) % 5;
                     return batches;
                   }),
            20);
}

} // namespace
} // namespace starling
