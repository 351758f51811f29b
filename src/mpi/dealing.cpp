// Which batches touch a rank.
#include "mpi/dealing.hpp"

#include <starling/deal/matching.hpp>
#include <starling/random/permute.hpp>
#include <starling/random/scramble.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace starling::mpi {

Dealing::Dealing(std::uint64_t seed, std::size_t particles, DealRows deal, Step travels, bool pairs)
    : philox_(seed), particles_(particles), deal_(std::move(deal)), travels_(travels), pairs_(pairs) {}

Dealing::Dealing(std::uint64_t seed, std::size_t particles, InBlocks inside, Step redeal)
    : philox_(seed), particles_(particles), inside_(std::move(inside)), travels_(redeal) {}

const Batches& Dealing::everyone(Step k) { return inside_ ? inside_->deal(k, particles_) : deal_(k, particles_, particles_); }

void Dealing::touching(Step k, const Blocks& blocks, std::size_t rank, Touched& touched) {
  const std::size_t first = blocks.first(rank), last = first + blocks.rows_of(rank);
  touched.clear();
  if (inside_) { // each block by itself; those of this rank, in the order of all
    const std::size_t rows = particles_ / blocks.count(), b0 = blocks.first_block(rank), b1 = blocks.first_block(rank + 1);
    std::vector<Batches> own;
    for (std::size_t b = b0; b < b1; ++b)
      own.push_back(inside_->of_block(k, b, particles_));
    touched.largest = own[0][0].size();
    touched.total = own[0].count() * blocks.count();
    for (std::size_t q = 0; q < own[0].count(); ++q)
      for (std::size_t b = b0; b < b1; ++b) {
        for (const std::uint32_t i : own[b - b0][q])
          touched.members.push_back(i + static_cast<std::uint32_t>(b * rows));
        touched.bounds.push_back(static_cast<std::uint32_t>(touched.members.size()));
      }
    return;
  }
  if (pairs_ && particles_ % 2 == 0)
    return pairs_touching(k, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last), touched);
  const Batches& all = everyone(k);
  touched.largest = all[0].size();
  touched.total = all.count();
  for (std::size_t q = 0; q < all.count(); ++q)
    if (std::ranges::any_of(all[q], [=](std::uint32_t i) { return i >= first && i < last; }))
      touched.add(all[q]);
}

/// The two runs of a round, and its last pair, as Matching lays them out.
void Dealing::pairs_touching(Step k, std::uint32_t first, std::uint32_t last, Touched& touched) const {
  using Whole = std::int64_t;
  const std::size_t n = particles_;
  const std::uint32_t c = philox_.below(Matching::rounds(n), Stream::matching, k, 0), cycle = Matching::rounds(n);
  touched.largest = 2;
  touched.total = n / 2;
  const auto run = [&](Whole low, Whole high, Whole sum) {
    const auto stretch = [&](Whole begin, Whole end) {
      for (Whole m = std::max(low, begin); m < std::min(high, end); ++m)
        touched.add(std::array{static_cast<std::uint32_t>(m), static_cast<std::uint32_t>(sum - m)});
    };
    // m itself in [first, last), or sum - m there: m in (sum - last, sum - first]. In order, and none twice.
    std::pair<Whole, Whole> one(first, last), two(sum - Whole(last) + 1, sum - Whole(first) + 1);
    if (two.first < one.first)
      std::swap(one, two);
    stretch(one.first, one.second);
    stretch(std::max(two.first, one.second), two.second);
  };
  const Whole short_run = (Whole(c) + 1) / 2;
  run(0, short_run, c);
  run(Whole(c) + 1, Whole(c) + 1 + (Whole(cycle) - 1 - c) / 2, Whole(c) + cycle);
  const std::uint32_t alone = Matching::left_over(c, n);
  if ((alone >= first && alone < last) || (cycle >= first && cycle < last))
    touched.add(std::array{alone, cycle});
}

std::vector<std::uint32_t> Dealing::sources(Step k, std::size_t first, std::size_t last) const {
  const auto n = static_cast<std::uint32_t>(particles_);
  std::vector<std::uint32_t> from(last - first);
  if (pairs_ && particles_ < Matching::many) {
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), std::uint32_t{0});
    permute(order, philox_, Stream::reshuffle, k);
    std::copy(order.begin() + std::ptrdiff_t(first), order.begin() + std::ptrdiff_t(last), from.begin());
    return from;
  }
  const Scramble order(n, philox_, Stream::reshuffle, k);
  for (std::size_t i = first; i < last; ++i)
    from[i - first] = order(static_cast<std::uint32_t>(i));
  return from;
}

} // namespace starling::mpi
