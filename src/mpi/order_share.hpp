// A rank's share of a step, from the step's order: it computes the batches of its own rows, and of
// no others.
#pragma once

#include "mpi/share.hpp"

#include <starling/deal/order.hpp>

#include <cstdint>
#include <vector>

namespace starling::mpi {

/// Keeps its memory from step to step.
class OrderShare {
public:
  /// False where the batches of a rank can be told only from all of them: of a shuffle, of an odd
  /// number of pairs, and of one batch. Then it has done nothing.
  bool operator()(const Order& order, const Blocks& blocks, std::size_t rank, Share& share);

private:
  void moebius(const Order& order, const Blocks& blocks, std::size_t rank, Share& share);
  void cosets(const Order& order, const Blocks& blocks, std::size_t rank, Share& share);

  std::vector<std::uint32_t> vectors_, leasts_, here_; // of cosets
  std::vector<std::uint32_t> places_;                  // of the rows of this rank
  std::vector<std::uint64_t> mine_; // a bit for each place that holds a row of this rank
};

} // namespace starling::mpi
