// Batches as a rank needs them: its share of each step, and where rows travel.
#pragma once

#include "mpi/order_share.hpp"

#include <starling/deal/orders.hpp>

#include <cstdint>
#include <vector>

namespace starling::mpi {

/// Some batches of an order, by their numbers: [begin, end).
struct Slice {
  std::size_t begin = 0, end = 0;
  Order order;

  std::size_t size(std::size_t batch) const {
    return order.size(static_cast<std::uint32_t>(batch));
  }
  std::size_t members() const {
    return order.begin(static_cast<std::uint32_t>(end)) -
           order.begin(static_cast<std::uint32_t>(begin));
  }
};

/// How one process would deal, by the same orders.
class Dealing {
public:
  explicit Dealing(Orders orders) : orders_(std::move(orders)) {}

  /// All batches, as one process has them.
  const Batches& everyone(Step k, Threads& threads = Threads::alone());
  /// What that rank has to do with them.
  void share(Step k, const Blocks& blocks, std::size_t rank, Share& share);
  /// What it has to do where every rank sees all rows: its part of the batches, by their numbers;
  /// then their members.
  const Slice& slice(Step k, std::size_t rank, std::size_t ranks);
  void fill(std::uint32_t* to, Threads& threads) const {
    slice_.order.fill(slice_.begin, slice_.end, to, threads);
  }

  /// Whether rows travel before step k, and from where the row of each place in [first, last)
  /// comes.
  bool travels(Step k) const { return orders_.travel().due(k, orders_.rows()); }
  std::vector<std::uint32_t> sources(Step k, std::size_t first, std::size_t last) const {
    return orders_.travel().sources(k, orders_.rows(), first, last);
  }

private:
  Orders orders_;
  OrderShare by_order_;
  Slice slice_;
  Batches everyone_;
};

} // namespace starling::mpi
