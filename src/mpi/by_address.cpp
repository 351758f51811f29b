// Shares of pairs, cosets and Moebius maps.
#include "mpi/by_address.hpp"

#include <starling/deal/cosets.hpp>
#include <starling/deal/matching.hpp>
#include <starling/deal/moebius.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace starling::mpi {

/// The two runs of a round, and its last pair, as Matching lays them out.
void PairsByAddress::operator()(Step k, const Blocks& blocks, std::size_t rank,
                                Share& share) const {
  using Whole = std::int64_t;
  const std::size_t n = particles_;
  const std::uint32_t cycle = Matching::rounds(n), c = philox_.below(cycle, Stream::matching, k, 0);
  const auto first = static_cast<Whole>(blocks.first(rank)),
             last = first + static_cast<Whole>(blocks.rows_of(rank));
  share.clear(blocks.ranks());
  share.largest = 2;
  share.total = n / 2;
  // Pairs m, sum - m for m in [begin, end), while neither leaves its rank.
  const auto together = [&](Whole begin, Whole end, Whole sum, std::size_t low, std::size_t high) {
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
      together(begin, until, sum, low, high);
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
  const Whole alone = Matching::left_over(c, n), outside = cycle;
  const std::size_t low = blocks.rank_of(static_cast<std::uint32_t>(alone)),
                    high = blocks.rank_of(cycle);
  if (low == rank || high == rank)
    together(alone, alone + 1, alone + outside, low, high);
}

namespace {
constexpr std::size_t a_piece = 16384; // members that a thread takes at a time
}

void PairsByAddress::some(Step k, const Slice& slice, std::uint32_t* to, Threads& threads) const {
  const std::uint32_t cycle = Matching::rounds(particles_),
                      c = philox_.below(cycle, Stream::matching, k, 0);
  const std::size_t begin = slice.begin,
                    inside = std::min<std::size_t>(slice.end, (cycle - 1) / 2) - begin;
  threads.for_pieces(inside, a_piece / 2, [&](std::size_t from, std::size_t until) {
    Matching::fill(particles_, c, begin + from, begin + until, to + 2 * from);
  });
  if (begin + inside < slice.end) { // the last of all
    to[2 * inside] = Matching::left_over(c, particles_);
    to[2 * inside + 1] = cycle;
  }
}

std::uint32_t CosetsByAddress::draw(Step k) {
  basis_.clear();
  std::uint64_t drawn = 0; // as Cosets draws
  while (std::size_t{1} << basis_.size() < size_)
    Cosets::join(
        basis_,
        philox_.below(static_cast<std::uint32_t>(particles_ - 1), Stream::deal, k, drawn++) + 1);
  vectors_.assign(1, 0);
  std::uint32_t pivots = 0;
  for (const std::uint32_t b : basis_) {
    pivots |= std::bit_floor(b);
    for (std::size_t v = 0, count = vectors_.size(); v < count; ++v)
      vectors_.push_back(vectors_[v] ^ b);
  }
  return pivots;
}

void CosetsByAddress::some(Step k, const Slice& slice, std::uint32_t* to, Threads& threads) {
  const std::uint32_t pivots = draw(k);
  threads.for_pieces(slice.end - slice.begin, std::max<std::size_t>(1, a_piece / size_),
                     [&](std::size_t from, std::size_t until) {
                       Cosets::fill(slice.begin + from, slice.begin + until, vectors_, pivots,
                                    to + from * size_);
                     });
}

void CosetsByAddress::operator()(Step k, const Blocks& blocks, std::size_t rank, Share& share) {
  const std::uint32_t pivots = draw(k);
  share.clear(blocks.ranks());
  share.largest = size_;
  share.total = particles_ / size_;
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
    for (const std::uint32_t b : basis_)
      if (std::bit_floor(b) > low && (least & std::bit_floor(b)))
        least ^= b;
    for (const std::uint32_t v : vectors_)
      if (((v ^ least ^ begin) & ~low) == 0)
        here_.push_back(v);
    const auto middle = static_cast<std::ptrdiff_t>(leasts_.size());
    const std::uint32_t fixed = pivots & low;
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
    const std::size_t home = blocks.rank_of(least ^ vectors_[host_of(least, size_)]);
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

namespace {

constexpr std::uint32_t filter = 4095; // last bits of a number

} // namespace

MoebiusByAddress::MoebiusByAddress(std::uint64_t seed, std::size_t particles, BatchSize batch_size)
    : philox_(seed), particles_(particles), batch_size_(std::move(batch_size)),
      q_(Moebius::prime_below(std::max<std::size_t>(particles, 3))), inverse_(q_),
      maybe_place_(filter + 1), maybe_row_(filter + 1), mine_((particles + 63) / 64) {
  inverse_[1] = 1; // 1/x = -(q div x) / (q mod x), modulo q
  for (std::uint32_t x = 2; x < q_; ++x)
    inverse_[x] = static_cast<std::uint32_t>(q_ - std::uint64_t{q_ / x} * inverse_[q_ % x] % q_);
}

/// The map of step k, as Moebius draws it, and the rows above q, each put at a place whose row goes
/// to the end.
void MoebiusByAddress::draw(Step k) {
  a_ = philox_.below(q_, Stream::deal, k, 0);
  b_ = 1 + philox_.below(q_ - 1, Stream::deal, k, 1);
  c_ = philox_.below(q_ + 1, Stream::deal, k, 2);
  share_of_b_ = static_cast<std::uint32_t>((std::uint64_t{b_} << 32) / q_);
  moved_.clear();
  const auto at = [&](std::uint32_t place) -> Moved& {
    const auto found = std::ranges::find(moved_, place, &Moved::place);
    return found != moved_.end()
               ? *found
               : moved_.emplace_back(Moved{place, place <= q_ ? plain_row_at(place) : place});
  };
  for (std::uint32_t row = q_ + 1; row < particles_; ++row) {
    const std::uint32_t place = philox_.below(row + 1, Stream::deal, k, 4 + row - q_),
                        there = at(place).row;
    at(row).row = there;
    at(place).row = row;
  }
  std::fill(maybe_place_.begin(), maybe_place_.end(), false);
  std::fill(maybe_row_.begin(), maybe_row_.end(), false);
  for (const Moved& one : moved_) {
    maybe_place_[one.place & filter] = true;
    maybe_row_[one.row & filter] = true;
  }
}

std::uint32_t MoebiusByAddress::times_b(std::uint32_t v) const { // as Moebius multiplies
  const auto quotient = static_cast<std::uint32_t>(std::uint64_t{share_of_b_} * v >> 32);
  std::uint32_t r = b_ * v - quotient * q_;
  return std::min(r, r - q_);
}

std::uint32_t MoebiusByAddress::plain_row_at(std::uint32_t place) const {
  if (place == q_)
    return c_ == q_ ? q_ : a_;
  std::uint32_t v = place;
  if (c_ != q_) {
    v = place + c_ < q_ ? place + c_ : place + c_ - q_;
    if (v == 0)
      return q_;
    v = inverse_[v];
  }
  const std::uint32_t row = times_b(v) + a_;
  return std::min(row, row - q_);
}

std::uint32_t MoebiusByAddress::plain_place_of(std::uint32_t row) const {
  if (row == q_)
    return c_ == q_ ? q_ : (q_ - c_) % q_;
  const std::uint32_t off = row >= a_ ? row - a_ : row + q_ - a_;
  if (c_ == q_)
    return static_cast<std::uint32_t>(std::uint64_t{off} * inverse_[b_] % q_);
  if (off == 0)
    return q_;
  const std::uint32_t place = times_b(inverse_[off]) + q_ - c_;
  return std::min(place, place - q_);
}

std::uint32_t MoebiusByAddress::row_at(std::uint32_t place) const {
  if (maybe_place_[place & filter])
    if (const auto found = std::ranges::find(moved_, place, &Moved::place); found != moved_.end())
      return found->row;
  return plain_row_at(place);
}

std::uint32_t MoebiusByAddress::place_of(std::uint32_t row) const {
  if (maybe_row_[row & filter])
    if (const auto found = std::ranges::find(moved_, row, &Moved::row); found != moved_.end())
      return found->place;
  return plain_place_of(row);
}

bool MoebiusByAddress::operator()(Step k, const Blocks& blocks, std::size_t rank, Share& share) {
  const std::size_t pieces = Batches::pieces(particles_, batch_size_(k, particles_));
  if (pieces == 1 || particles_ < 3)
    return false;
  draw(k);
  const std::size_t size = particles_ / pieces, larger = particles_ % pieces,
                    edge = larger * (size + 1); // as Batches cuts
  const std::size_t first = blocks.first(rank), last = first + blocks.rows_of(rank);
  share.clear(blocks.ranks());
  share.largest = size + (larger > 0 ? 1 : 0);
  share.total = pieces;
  std::ranges::fill(mine_, std::uint64_t{0});
  for (std::size_t row = first; row < last; ++row) {
    const std::uint32_t place = place_of(static_cast<std::uint32_t>(row));
    mine_[place / 64] |= std::uint64_t{1} << place % 64;
  }
  std::size_t end = 0, home = 0; // of the batch that the last place was in
  for (std::size_t word = 0; word < mine_.size(); ++word)
    for (std::uint64_t bits = mine_[word]; bits != 0; bits &= bits - 1) {
      const std::size_t place = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      if (place >= end) {
        const std::size_t begin =
            place < edge ? place - place % (size + 1) : place - (place - edge) % size;
        end = begin + size + (place < edge ? 1 : 0);
        const std::uint32_t leader = row_at(static_cast<std::uint32_t>(begin));
        home = blocks.rank_of(
            row_at(static_cast<std::uint32_t>(begin + host_of(leader, end - begin))));
        if (home == rank) {
          for (std::size_t x = begin; x < end; ++x)
            share.members.push_back(row_at(static_cast<std::uint32_t>(x)));
          share.close();
        }
      }
      if (home != rank)
        share.away[home].push_back(
            static_cast<std::uint32_t>(row_at(static_cast<std::uint32_t>(place)) - first));
    }
  return true;
}

void MoebiusByAddress::some(Step k, const Slice& slice, std::uint32_t* to, Threads& threads) {
  draw(k);
  const std::size_t first = slice.place(slice.begin);
  threads.for_pieces(slice.members(), a_piece, [&](std::size_t from, std::size_t until) {
    for (std::size_t n = from; n < until; ++n)
      to[n] = row_at(static_cast<std::uint32_t>(first + n));
  });
}

} // namespace starling::mpi
