// Lemma 1 through the distributed path, shares of orders against all batches, and what crosses
// against the formula.
#include "mpi/ranks_as_threads.hpp"
#include "mpi/row_exchange.hpp"
#include "support/lemma_1.hpp"

#include <starling/deal/cosets.hpp>
#include <starling/deal/matching.hpp>
#include <starling/deal/moebius.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/drift/reference.hpp>
#include <starling/kernel/gaussian.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace starling {
namespace {

constexpr double h = 0.7;

support::Vec force(const support::Vec& x, const support::Vec& y) {
  const double dx = x[0] - y[0], dy = x[1] - y[1], w = std::exp(-(dx * dx + dy * dy) / (2 * h));
  const support::Vec s = support::score_at(y);
  return {w * (s[0] + dx / h), w * (s[1] + dy / h)};
}

/// The drift of a deal, computed by ranks that hold only their own rows. `population` as the
/// weights take it.
auto by_ranks(std::size_t ranks, std::size_t population = 0) {
  return [=](Step, Ensemble<double>& all, const Batches& batches) {
    const Batches dealt = batches;
    mpi::on_ranks(ranks, [&](const std::shared_ptr<mpi::Wire>& wire) {
      const mpi::Blocks blocks(all.count(), 4, ranks);
      const std::size_t first = blocks.first(wire->rank()), count = blocks.rows_of(wire->rank());
      Ensemble<double> here(count, all.dim());
      std::copy_n(all.position().data + first * all.dim(), count * all.dim(), here.position().data);
      std::copy_n(all.score().data + first * all.dim(), count * all.dim(), here.score().data);
      mpi::Share share;
      mpi::share_of(dealt, blocks, wire->rank(), share);
      mpi::RowExchange<double> exchange(blocks, *wire);
      exchange.plan(share, population ? population : all.count(), 0, all.dim());
      ReferenceDrift<double, kernel::Gaussian<double>> drift{kernel::Gaussian<double>(h)};
      exchange(here, [&](Ensemble<double>& floor, const Batches& own) { drift(0, floor, own); });
      std::copy_n(here.drift().data, count * all.dim(),
                  all.drift().data + first * all.dim()); // rows of this rank alone
    });
  };
}

/// Every round of a tournament of eight.
const auto rounds = [](auto&& visit) {
  Batches batches;
  for (std::uint32_t c = 0; c < MatchingOrder::rounds(8); ++c) {
    Order(MatchingOrder{8, c, 0}).write(batches, Threads::alone());
    visit(batches);
  }
};
/// Every plane of F_2^3.
const auto planes = [](auto&& visit) {
  Batches batches;
  for (std::uint32_t normal = 1; normal < 8; ++normal) {
    CosetsOrder space;
    for (std::uint32_t v = 1; v < 8 && space.dim < 2; ++v)
      if (std::popcount(v & normal) % 2 == 0)
        space.join(v);
    Order(space, 8).write(batches, Threads::alone());
    visit(batches);
  }
};

TEST(Ranks, KeepLemma1) {
  for (const std::size_t ranks : {2, 4}) {
    const auto pairs = support::deviation_from_lemma_1(8, force, by_ranks(ranks), rounds);
    EXPECT_LT(pairs.mean, 1e-14);
    EXPECT_LT(pairs.square, 1e-14);
    const auto fours = support::deviation_from_lemma_1(8, force, by_ranks(ranks), planes);
    EXPECT_LT(fours.mean, 1e-14);
    EXPECT_LT(fours.square, 1e-14);
  }
}

TEST(Ranks, WouldNotKeepLemma1WithWeightsOfTheirOwnRows) {
  EXPECT_GT(support::deviation_from_lemma_1(8, force, by_ranks(2, 4), rounds).mean, 1e-3);
}

/// Every rank's share of an order against its part of all batches.
template <typename Dealer>
void expect_shares(std::size_t n, Dealer dealer) {
  for (const std::size_t ranks : {1, 2, 3, 4, 7, 8}) {
    mpi::Dealing dealing{Orders(dealer, n)};
    const mpi::Blocks blocks(n, 8, ranks);
    for (Step k = 0; k < 30; ++k)
      for (std::size_t r = 0; r < ranks; ++r) {
        mpi::Share found, twin;
        dealing.share(k, blocks, r, found);
        mpi::share_of(dealer.deal(k, n), blocks, r, twin);
        ASSERT_EQ(found.members, twin.members)
            << n << " rows, rank " << r << " of " << ranks << ", step " << k;
        ASSERT_EQ(found.bounds, twin.bounds);
        for (auto* away :
             {&found.away,
              &twin.away}) // pairs go in another order, which the bits of a run would not survive
          for (auto& list : *away)
            std::ranges::sort(list);
        ASSERT_EQ(found.away, twin.away);
        ASSERT_EQ(found.total, twin.total);
        ASSERT_EQ(found.largest, twin.largest);
      }
  }
}

TEST(Ranks, KnowTheirPairsFromTheOrder) {
  for (const std::size_t n : {8, 10, 64, 130, 131})
    expect_shares(n, Matching(9));
}

TEST(Ranks, KnowTheirCosetsFromTheOrder) {
  for (const auto& [n, p] :
       {std::pair(8, 2), std::pair(8, 8), std::pair(64, 4), std::pair(256, 8), std::pair(256, 128)})
    expect_shares(std::size_t(n), Cosets(9, std::size_t(p)));
}

TEST(Ranks, KnowTheirMoebiusMapsFromTheOrder) { // 212: twelve rows above the prime; 8: one batch
  for (const auto& [n, p] : {std::pair(8, 8), std::pair(9, 2), std::pair(61, 3), std::pair(128, 5),
                             std::pair(212, 4), std::pair(1000, 17)})
    expect_shares(std::size_t(n), Moebius(9, BatchSize(std::size_t(p))));
}

TEST(Ranks, TakeTheirShareOfAShuffleFromItsList) {
  expect_shares(61, Shuffle(9, 4));
  mpi::Share share;
  Shuffle shuffle(9, 4);
  EXPECT_FALSE(mpi::OrderShare()(shuffle.order(1, 61), mpi::Blocks(61, 8, 2), 0, share));
}

/// Numbers that cross, a row and step, over many steps of pairs.
double numbers_sent(std::size_t ranks, std::size_t n, std::size_t dim, Step steps) {
  std::vector<std::uint64_t> bytes(ranks);
  mpi::on_ranks(ranks, [&](const std::shared_ptr<mpi::Wire>& wire) {
    mpi::Dealing dealing{Orders(Matching(3), n)};
    const mpi::Blocks blocks(n, 64, ranks);
    Ensemble<double> here(blocks.rows_of(wire->rank()), dim);
    mpi::RowExchange<double> exchange(blocks, *wire);
    mpi::Share share;
    for (Step k = 0; k < steps; ++k) {
      dealing.share(k, blocks, wire->rank(), share);
      exchange.plan(share, n, double(k), dim);
      exchange(here, [](Ensemble<double>&, const Batches&) {});
    }
    bytes[wire->rank()] = wire->bytes_sent();
  });
  std::uint64_t sum = 0;
  for (const std::uint64_t one : bytes)
    sum += one;
  return double(sum) / 8 / double(n) / double(steps);
}

TEST(Ranks, SendThreeNumbersForEachOfHalfTheRowsOfPairs) {
  // A pair is split with probability 1 - (n/R - 1)/(n - 1); of a split pair one row sends 2 d and
  // is sent d.
  constexpr std::size_t n = 1024, dim = 3;
  for (const std::size_t ranks : {2, 4, 8}) {
    const double split = 1 - (double(n) / double(ranks) - 1) / (n - 1);
    const double formula = 3.0 * dim / 2 * split, sent = numbers_sent(ranks, n, dim, 100);
    EXPECT_LE(sent, 3.0 * dim / 2);
    EXPECT_NEAR(sent, formula, 0.05 * formula) << ranks << " ranks";
  }
}

} // namespace
} // namespace starling
