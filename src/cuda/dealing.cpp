// The numbers of each step, at the addresses where the host's dealers draw theirs.
#include "cuda/dealing.hpp"

#include <starling/batches.hpp>
#include <starling/deal/cosets.hpp>
#include <starling/deal/matching.hpp>
#include <starling/deal/moebius.hpp>

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace starling::cuda {

Dealing::Dealing(By by, std::uint64_t seed, std::optional<BatchSize> batch, std::size_t particles)
    : by_(by), philox_(seed), batch_(std::move(batch)),
      count_(static_cast<std::uint32_t>(particles)) {
  if (by_ == By::moebius && count_ >= 3) {
    q_ = Moebius::prime_below(count_);
    inverse_.resize(q_);
    inverse_[1] = 1; // as Moebius has it
    for (std::uint32_t x = 2; x < q_; ++x)
      inverse_[x] = static_cast<std::uint32_t>(q_ - std::uint64_t{q_ / x} * inverse_[q_ % x] % q_);
  }
}

Order Dealing::at(Step k, std::vector<std::uint32_t>& lists) const {
  Order order;
  order.count = count_;
  if (by_ == By::everyone)
    return order;
  if (by_ == By::matching)
    matching(k, order);
  else if (by_ == By::moebius)
    moebius(k, order, lists);
  else
    cosets(k, order);
  return order;
}

void Dealing::matching(Step k, Order& order) const {
  const std::uint32_t rounds = Matching::rounds(count_);
  order.kind = Order::Kind::matching;
  order.pieces = count_ / 2;
  order.c = philox_.below(rounds, Stream::matching, k, 0);
  order.b = count_ % 2 ? philox_.below(rounds / 2, Stream::matching, k, 1) : 0;
}

void Dealing::moebius(Step k, Order& order, std::vector<std::uint32_t>& lists) const {
  order.pieces = static_cast<std::uint32_t>(Batches::pieces(count_, (*batch_)(k, count_)));
  if (order.pieces == 1 || count_ < 3) // in one batch of all, the order says nothing
    return;
  order.kind = Order::Kind::moebius;
  order.q = q_;
  order.a = philox_.below(q_, Stream::deal, k, 0);
  order.b = 1 + philox_.below(q_ - 1, Stream::deal, k, 1);
  order.c = philox_.below(q_ + 1, Stream::deal, k, 2);
  order.quotient = static_cast<std::uint32_t>((std::uint64_t{order.b} << 32) / q_);

  // Rows above q go in one by one, each at a place whose row goes to the end.
  const Order rule = order;
  const OrderTables tables{inverse_.data(), nullptr};
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      changed; // places up to q, rows: few, as primes are dense
  std::vector<std::uint32_t> tail;
  for (std::uint32_t row = q_ + 1; row < count_; ++row) {
    const std::uint32_t place = philox_.below(row + 1, Stream::deal, k, 4 + row - q_);
    tail.push_back(row);
    if (place > q_) {
      std::swap(tail.back(), tail[place - q_ - 1]);
    } else {
      const auto found =
          std::ranges::find_if(changed, [&](const auto& one) { return one.first == place; });
      if (found == changed.end()) {
        tail.back() = rule.row(place, tables);
        changed.emplace_back(place, row);
      } else {
        tail.back() = std::exchange(found->second, row);
      }
    }
  }
  std::ranges::sort(changed);
  order.tail = static_cast<std::uint32_t>(lists.size());
  lists.insert(lists.end(), tail.begin(), tail.end());
  order.changed = static_cast<std::uint32_t>(lists.size());
  order.changes = static_cast<std::uint32_t>(changed.size());
  for (const auto& [place, row] : changed)
    lists.push_back(place);
  for (const auto& [place, row] : changed)
    lists.push_back(row);
}

void Dealing::cosets(Step k, Order& order) const {
  const std::size_t size = batch_->first();
  order.kind = Order::Kind::cosets;
  order.pieces = static_cast<std::uint32_t>(count_ / size);
  std::vector<std::uint32_t> basis;
  for (std::uint64_t drawn = 0; std::size_t{1} << basis.size() < size;)
    Cosets::join(basis, philox_.below(count_ - 1, Stream::deal, k, drawn++) + 1);
  std::ranges::copy(basis, order.basis);
  for (const std::uint32_t b : basis)
    order.pivots |= std::bit_floor(b);
}

bool Dealing::travels(Step k) const {
  return by_ != By::everyone && k != 0 && k % Travel::usually == 0 && count_ > 3;
}

bool Dealing::travels_by_list() const { return by_ == By::matching && count_ < Matching::many; }

std::vector<std::uint32_t> Dealing::list(Step k) const {
  std::vector<std::uint32_t> rows(count_);
  std::iota(rows.begin(), rows.end(), std::uint32_t{0});
  permute(rows, philox_, Stream::reshuffle, k);
  return rows;
}

} // namespace starling::cuda
