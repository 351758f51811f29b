// A rank's share of each step.
#include "mpi/dealing.hpp"

namespace starling::mpi {

const Batches& Dealing::everyone(Step k, Threads& threads) {
  orders_(k).write(everyone_, threads);
  everyone_.time = static_cast<double>(k);
  return everyone_;
}

void Dealing::share(Step k, const Blocks& blocks, std::size_t rank, Share& share) {
  const Order order = orders_(k);
  if (by_order_(order, blocks, rank, share))
    return;
  order.write(everyone_, Threads::alone());
  share_of(everyone_, blocks, rank, share);
}

const Slice& Dealing::slice(Step k, std::size_t rank, std::size_t ranks) {
  slice_.order = orders_(k);
  const std::size_t total = slice_.order.pieces;
  const auto first = [&](std::size_t r) {
    return r == ranks ? total : r * total / ranks / neighbours * neighbours;
  };
  slice_.begin = first(rank);
  slice_.end = first(rank + 1);
  return slice_;
}

} // namespace starling::mpi
