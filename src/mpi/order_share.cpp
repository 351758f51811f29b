// Shares of pairs, cosets and Moebius maps.
#include "mpi/order_share.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace starling::mpi {

namespace {

/// The two runs of a round, and its last pair, as Matching lays them out.
void share_of_pairs(const MatchingOrder& order, const Blocks& blocks, std::size_t rank,
                    Share& share) {
  using Whole = std::int64_t;
  const std::uint32_t n = order.count, c = order.c, cycle = MatchingOrder::rounds(n);
  const auto first = static_cast<Whole>(blocks.first(rank)),
             last = first + static_cast<Whole>(blocks.rows_of(rank));
  // Pairs m, sum - m for m in [begin, end), while neither leaves its rank.
  const auto put = [&](Whole begin, Whole end, Whole sum, std::size_t low, std::size_t high) {
    const std::size_t before = share.away[low].size();
    for (Whole until; begin < end; begin = until) { // neighbours have one home
      until = std::min(end, begin / neighbours * neighbours + neighbours);
      const std::size_t home = host_of(static_cast<std::uint32_t>(begin), 2) == 0 ? low : high;
      if (home == rank) {
        std::uint32_t* pair = share.add(static_cast<std::size_t>(until - begin), 2);
        for (Whole m = begin; m < until; ++m) {
          *pair++ = static_cast<std::uint32_t>(m);
          *pair++ = static_cast<std::uint32_t>(sum - m);
        }
      } else {
        std::vector<std::uint32_t>& away = share.away[home];
        const std::size_t at = away.size();
        away.resize(at + static_cast<std::size_t>(until - begin));
        for (Whole m = begin; m < until; ++m)
          away[at + static_cast<std::size_t>(m - begin)] =
              static_cast<std::uint32_t>((low == rank ? m : sum - m) - first);
      }
    }
    std::reverse(share.away[low].begin() + static_cast<std::ptrdiff_t>(before),
                 share.away[low].end());
    share.stretches.push_back(
        {share.count(), static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high)});
  };
  const auto stretch = [&](Whole begin, Whole end, Whole sum) {
    while (begin < end) {
      const std::size_t low = blocks.rank_of(static_cast<std::uint32_t>(begin)),
                        high = blocks.rank_of(static_cast<std::uint32_t>(sum - begin));
      const Whole until =
          std::min({end, static_cast<Whole>(blocks.first(low) + blocks.rows_of(low)),
                    sum - static_cast<Whole>(blocks.first(high)) + 1});
      put(begin, until, sum, low, high);
      begin = until;
    }
  };
  const auto run = [&](Whole low, Whole high, Whole sum) {
    // m itself in [first, last), or sum - m there: m in (sum - last, sum - first]. In order, and
    // none twice.
    std::pair<Whole, Whole> one(first, last), two(sum - last + 1, sum - first + 1);
    if (two.first < one.first)
      std::swap(one, two);
    stretch(std::max(low, one.first), std::min(high, one.second), sum);
    stretch(std::max({low, two.first, one.second}), std::min(high, two.second), sum);
  };
  run(0, (Whole(c) + 1) / 2, c);
  run(Whole(c) + 1, Whole(c) + 1 + (Whole(cycle) - 1 - c) / 2, Whole(c) + cycle);
  const Whole alone = MatchingOrder::left_over(c, n), outside = cycle;
  const std::size_t low = blocks.rank_of(static_cast<std::uint32_t>(alone)),
                    high = blocks.rank_of(cycle);
  if (low == rank || high == rank)
    put(alone, alone + 1, alone + outside, low, high);
}

} // namespace

/// The rows of a rank are a few aligned stretches, and the batches that touch one of those are a
/// stretch too.
void OrderShare::cosets(const Order& order, const Blocks& blocks, std::size_t rank, Share& share) {
  const CosetsOrder& space = order.cosets;
  vectors_.resize(space.size());
  space.fill(0, 1, vectors_.data()); // the subspace itself
  const std::size_t first = blocks.first(rank), last = first + blocks.rows_of(rank);
  leasts_.clear();
  here_.clear();
  std::size_t stretches = 0;
  for (std::size_t begin = first; begin < last; ++stretches) {
    // The longest stretch of rows from here that agree in all bits but the lowest.
    std::size_t length = begin == 0 ? std::bit_floor(last) : begin & (0 - begin);
    while (begin + length > last)
      length /= 2;
    // Vectors with higher pivots act on all of it alike; the others stay within. So what is left
    // without pivots has the same high bits for all, and any low ones.
    const auto low = static_cast<std::uint32_t>(length - 1);
    auto least = static_cast<std::uint32_t>(begin);
    for (std::uint32_t j = 0; j < space.dim; ++j)
      if (const std::uint32_t b = space.basis[j], pivot = b & space.pivots;
          pivot > low && (least & pivot))
        least ^= b;
    for (const std::uint32_t v : vectors_)
      if (((v ^ least ^ begin) & ~low) == 0)
        here_.push_back(v);
    const auto middle = static_cast<std::ptrdiff_t>(leasts_.size());
    const std::uint32_t fixed = space.pivots & low;
    for (std::uint64_t bits = 0; bits < length; bits = ((bits | fixed) + 1) & ~std::uint64_t{fixed})
      leasts_.push_back((least & ~low) | static_cast<std::uint32_t>(bits));
    std::inplace_merge(leasts_.begin(), leasts_.begin() + middle, leasts_.end());
    begin += length;
  }
  if (stretches > 1) { // a batch may touch several
    leasts_.erase(std::unique(leasts_.begin(), leasts_.end()), leasts_.end());
    here_ = vectors_;
  }
  for (const std::uint32_t least : leasts_) {
    const std::size_t home = blocks.rank_of(least ^ vectors_[host_of(least, space.size())]);
    if (home == rank) {
      for (const std::uint32_t v : vectors_)
        share.members.push_back(least ^ v);
      share.close();
      continue;
    }
    for (const std::uint32_t v : here_)
      if (const std::uint32_t place = least ^ v; place >= first && place < last)
        share.away[home].push_back(static_cast<std::uint32_t>(place - first));
  }
}

/// Each row is asked for its place, and places are gone through in order.
void OrderShare::moebius(const Order& order, const Blocks& blocks, std::size_t rank, Share& share) {
  const std::size_t first = blocks.first(rank), rows = blocks.rows_of(rank);
  places_.resize(rows);
  order.moebius.fill_places(first, first + rows, places_.data());
  mine_.assign((order.count + std::size_t{63}) / 64, 0);
  for (const std::uint32_t place : places_)
    mine_[place / 64] |= std::uint64_t{1} << place % 64;
  std::size_t end = 0, home = 0; // of the batch that the last place was in
  for (std::size_t word = 0; word < mine_.size(); ++word)
    for (std::uint64_t bits = mine_[word]; bits != 0; bits &= bits - 1) {
      const auto place = static_cast<std::uint32_t>(word * 64) +
                         static_cast<std::uint32_t>(std::countr_zero(bits));
      if (place >= end) {
        const std::uint32_t batch = order.batch_of(place), begin = order.begin(batch);
        const std::size_t size = order.size(batch);
        end = begin + size;
        const std::size_t host = host_of(order.row(begin), size);
        home = blocks.rank_of(order.row(begin + static_cast<std::uint32_t>(host)));
        if (home == rank) {
          order.fill(batch, batch + std::size_t{1}, share.add(1, size));
          continue;
        }
      }
      if (home != rank)
        share.away[home].push_back(static_cast<std::uint32_t>(order.row(place) - first));
    }
}

bool OrderShare::operator()(const Order& order, const Blocks& blocks, std::size_t rank,
                            Share& share) {
  using Kind = Order::Kind;
  const bool pairs = order.kind == Kind::matching && order.count % 2 == 0;
  if (!pairs && order.kind != Kind::cosets && order.kind != Kind::moebius)
    return false;
  share.clear(blocks.ranks());
  share.largest = order.largest();
  share.total = order.pieces;
  if (pairs)
    share_of_pairs(order.matching, blocks, rank, share);
  else if (order.kind == Kind::cosets)
    cosets(order, blocks, rank, share);
  else
    moebius(order, blocks, rank, share);
  return true;
}

} // namespace starling::mpi
