// Batches as a rank needs them: its share of each step, and where rows travel.
#pragma once

#include "mpi/by_address.hpp"

#include <starling/deal/in_blocks.hpp>

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace starling::mpi {

/// How one process would deal, by the same numbers.
class Dealing {
public:
  /// Where batches over all rows are known by address, who knows them.
  using ByAddress = std::variant<std::monostate, PairsByAddress, CosetsByAddress, MoebiusByAddress>;

  /// Over all rows. `travels`: every that many steps, 0 never. Rows of pairs travel in an order
  /// that a shuffle makes while they are few.
  Dealing(std::uint64_t seed, std::size_t particles, DealRows deal, Step travels, bool pairs,
          ByAddress by_address = {});
  /// Inside blocks.
  Dealing(std::uint64_t seed, std::size_t particles, InBlocks inside, Step redeal);

  /// All batches, as one process has them.
  const Batches& everyone(Step k);
  /// What that rank has to do with them.
  void share(Step k, const Blocks& blocks, std::size_t rank, Share& share);
  /// What it has to do where every rank sees all rows: its part of the batches, by their numbers;
  /// then their members.
  const Slice& slice(Step k, std::size_t rank, std::size_t ranks);
  void fill(Step k, std::uint32_t* to, Threads& threads);
  /// Whether batches stay inside blocks.
  bool inside() const { return inside_.has_value(); }

  /// Whether rows travel before step k, and from where the row of each place in [first, last)
  /// comes.
  bool travels(Step k) const {
    return travels_ > 0 && k > 0 && k % travels_ == 0 && particles_ > 3;
  }
  std::vector<std::uint32_t> sources(Step k, std::size_t first, std::size_t last) const;

private:
  void share_inside(Step k, const Blocks& blocks, std::size_t rank, Share& share);

  Philox philox_;
  std::size_t particles_;
  DealRows deal_;
  std::optional<InBlocks> inside_;
  Step travels_;
  bool pairs_ = false;
  ByAddress by_address_;
  Slice slice_{};
  const Batches* everyone_ = nullptr; // of the slice's step, where only all batches are known
};

} // namespace starling::mpi
