// A rank's share of each step.
#include "mpi/dealing.hpp"

#include <starling/deal/matching.hpp>
#include <starling/random/permute.hpp>
#include <starling/random/scramble.hpp>

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <utility>

namespace starling::mpi {

Dealing::Dealing(std::uint64_t seed, std::size_t particles, DealRows deal, Step travels, bool pairs,
                 ByAddress by_address)
    : philox_(seed), particles_(particles), deal_(std::move(deal)), travels_(travels),
      pairs_(pairs), by_address_(std::move(by_address)) {}

Dealing::Dealing(std::uint64_t seed, std::size_t particles, InBlocks inside, Step redeal)
    : philox_(seed), particles_(particles), inside_(std::move(inside)), travels_(redeal) {}

const Batches& Dealing::everyone(Step k) {
  return inside_ ? inside_->deal(k, particles_) : deal_(k, particles_, particles_);
}

void Dealing::share(Step k, const Blocks& blocks, std::size_t rank, Share& share) {
  if (inside_)
    return share_inside(k, blocks, rank, share);
  if (const auto* pairs = std::get_if<PairsByAddress>(&by_address_); pairs && particles_ % 2 == 0)
    return (*pairs)(k, blocks, rank, share);
  if (auto* cosets = std::get_if<CosetsByAddress>(&by_address_))
    return (*cosets)(k, blocks, rank, share);
  if (auto* moebius = std::get_if<MoebiusByAddress>(&by_address_);
      moebius && (*moebius)(k, blocks, rank, share))
    return;
  share_of(everyone(k), blocks, rank, share);
}

const Slice& Dealing::slice(Step k, std::size_t rank, std::size_t ranks) {
  everyone_ = nullptr;
  std::size_t total = std::visit(
      [&](const auto& dealer) -> std::size_t {
        if constexpr (std::is_same_v<std::decay_t<decltype(dealer)>, std::monostate>)
          return 1;
        else
          return dealer.total(k);
      },
      by_address_);
  if (total == 1 ||
      (pairs_ && particles_ % 2 == 1)) { // nobody knows the batches by their addresses
    everyone_ = &everyone(k);
    total = everyone_->count();
  }
  const auto first = [&](std::size_t r) {
    return r == ranks ? total : r * total / ranks / neighbours * neighbours;
  };
  return slice_ = {first(rank), first(rank + 1), total, particles_};
}

void Dealing::fill(Step k, std::uint32_t* to, Threads& threads) {
  if (everyone_)
    std::ranges::copy(everyone_->order().subspan(slice_.place(slice_.begin), slice_.members()), to);
  else if (slice_.begin < slice_.end)
    std::visit(
        [&](auto& dealer) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(dealer)>, std::monostate>)
            dealer.some(k, slice_, to, threads);
        },
        by_address_);
}

/// Each block by itself; those of this rank.
void Dealing::share_inside(Step k, const Blocks& blocks, std::size_t rank, Share& share) {
  const std::size_t rows = particles_ / blocks.count(), b0 = blocks.first_block(rank),
                    b1 = blocks.first_block(rank + 1);
  std::vector<const Batches*> own;
  for (std::size_t b = b0; b < b1; ++b)
    own.push_back(&inside_->of_block(k, b, particles_));
  share.clear(blocks.ranks());
  share.inside = true;
  share.largest = (*own[0])[0].size();
  share.total = own[0]->count() * blocks.count();
  const std::size_t count = own[0]->count(),
                    larger =
                        rows % count; // the first of each block have one more: before all others
  for (const bool first : {true, false})
    for (std::size_t b = b0; b < b1; ++b) {
      const std::size_t edge = larger * (rows / count + 1),
                        batches = first ? larger : count - larger;
      const std::span<const std::uint32_t> order = own[b - b0]->order(),
                                           part = first ? order.first(edge) : order.subspan(edge);
      std::ranges::transform(
          part, share.add(batches, part.size() / std::max<std::size_t>(1, batches)),
          [before = static_cast<std::uint32_t>(b * rows)](std::uint32_t i) { return i + before; });
    }
}

std::vector<std::uint32_t> Dealing::sources(Step k, std::size_t first, std::size_t last) const {
  const auto n = static_cast<std::uint32_t>(particles_);
  std::vector<std::uint32_t> from(last - first);
  if (pairs_ && particles_ < Matching::many) {
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), std::uint32_t{0});
    permute(order, philox_, Stream::reshuffle, k);
    std::copy(order.begin() + std::ptrdiff_t(first), order.begin() + std::ptrdiff_t(last),
              from.begin());
    return from;
  }
  const Scramble order(n, philox_, Stream::reshuffle, k);
  for (std::size_t i = first; i < last; ++i)
    from[i - first] = order(static_cast<std::uint32_t>(i));
  return from;
}

} // namespace starling::mpi
