// What a rank has to do with the batches of a step.
#pragma once

#include "mpi/blocks.hpp"

#include <starling/batches.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace starling::mpi {

/// Every batch has a home among the ranks of its members, where its drift is computed. Batches are
/// listed in the order of all, and their members in the batch's own, so that two ranks list what
/// they share alike.
struct Share {
  /// Pairs up to the batch `end` whose first members are all of one rank, and the second ones too.
  struct Stretch {
    std::size_t end;
    std::uint32_t low, high;
  };
  std::vector<std::uint32_t> members,
      bounds; ///< places of the batches at home here; where each begins, and the end
  std::vector<std::vector<std::uint32_t>>
      away; ///< of each rank: rows here, from its first on, of batches at home there
  /// Where all batches are such pairs: rows that are second members then go in the reverse order,
  /// stretch by stretch, so that they lie as the pairs of one process do, which read them towards
  /// each other.
  std::vector<Stretch> stretches;
  std::size_t largest = 0, total = 0; ///< members of the first batch of all; batches in all

  std::size_t count() const { return bounds.size() - 1; }
  std::span<const std::uint32_t> operator[](std::size_t q) const {
    return std::span(members).subspan(bounds[q], bounds[q + 1] - bounds[q]);
  }
  void clear(std::size_t ranks) {
    stretches.clear();
    members.clear();
    bounds.assign(1, 0);
    away.resize(ranks);
    for (auto& rows : away)
      rows.clear();
  }
  /// Ends the batch whose members were put last.
  void close() { bounds.push_back(static_cast<std::uint32_t>(members.size())); }
  /// Room for so many more batches of one size, whose members are still to be put. Returns where.
  std::uint32_t* add(std::size_t batches, std::size_t size) {
    const std::size_t begin = members.size(), first = bounds.size();
    members.resize(begin + batches * size);
    bounds.resize(first + batches);
    for (std::size_t q = 0; q < batches; ++q)
      bounds[first + q] = static_cast<std::uint32_t>(begin + (q + 1) * size);
    return members.data() + begin;
  }
};

constexpr std::uint32_t neighbours = 16;
/// Which member's rank is the home of a batch, by its first member: any of them alike, and the same
/// for neighbours, whose rows then go the same way.
inline std::size_t host_of(std::uint32_t first, std::size_t size) {
  return (std::uint32_t((first / neighbours) * 0x9E3779B1u) >> 16) % size;
}

/// From all batches, one after another.
inline void share_of(const Batches& all, const Blocks& blocks, std::size_t rank, Share& share) {
  const std::size_t first = blocks.first(rank), last = first + blocks.rows_of(rank);
  share.clear(blocks.ranks());
  share.largest = all[0].size();
  share.total = all.count();
  for (std::size_t q = 0; q < all.count(); ++q) {
    const std::size_t home = blocks.rank_of(all[q][host_of(all[q][0], all[q].size())]);
    if (home == rank) {
      share.members.insert(share.members.end(), all[q].begin(), all[q].end());
      share.close();
      continue;
    }
    for (const std::uint32_t place : all[q])
      if (place >= first && place < last)
        share.away[home].push_back(static_cast<std::uint32_t>(place - first));
  }
}

} // namespace starling::mpi
