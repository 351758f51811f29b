// Batches as a rank needs them: those that touch its rows, and where rows travel.
#pragma once

#include "mpi/blocks.hpp"

#include <starling/batches.hpp>
#include <starling/deal/in_blocks.hpp>
#include <starling/random/philox.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace starling::mpi {

/// Batches of places, some of all. The order is that of all, so that two ranks list what they share alike.
struct Touched {
  std::vector<std::uint32_t> members, bounds; ///< bounds: where each begins, and the end
  std::size_t largest = 0, total = 0;         ///< members of the first batch of all; batches in all

  std::size_t count() const { return bounds.size() - 1; }
  std::span<const std::uint32_t> operator[](std::size_t q) const {
    return std::span(members).subspan(bounds[q], bounds[q + 1] - bounds[q]);
  }
  void clear() {
    members.clear();
    bounds.assign(1, 0);
  }
  void add(std::span<const std::uint32_t> batch) {
    members.insert(members.end(), batch.begin(), batch.end());
    bounds.push_back(static_cast<std::uint32_t>(members.size()));
  }
};

/// How one process would deal, by the same numbers.
class Dealing {
public:
  /// Over all rows. `travels`: every that many steps, 0 never. `pairs`: they are those of Matching, which are known by
  /// address, and whose rows travel in an order that a shuffle makes while they are few.
  Dealing(std::uint64_t seed, std::size_t particles, DealRows deal, Step travels, bool pairs);
  /// Inside blocks.
  Dealing(std::uint64_t seed, std::size_t particles, InBlocks inside, Step redeal);

  /// All batches, as one process has them.
  const Batches& everyone(Step k);
  /// Those with a member on that rank.
  void touching(Step k, const Blocks& blocks, std::size_t rank, Touched& touched);

  /// Whether rows travel before step k, and from where the row of each place in [first, last) comes.
  bool travels(Step k) const { return travels_ > 0 && k > 0 && k % travels_ == 0 && particles_ > 3; }
  std::vector<std::uint32_t> sources(Step k, std::size_t first, std::size_t last) const;

private:
  void pairs_touching(Step k, std::uint32_t first, std::uint32_t last, Touched& touched) const;

  Philox philox_;
  std::size_t particles_;
  DealRows deal_;
  std::optional<InBlocks> inside_;
  Step travels_;
  bool pairs_ = false;
};

} // namespace starling::mpi
