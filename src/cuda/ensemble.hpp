// The cloud on a device: the columns of starling::Ensemble, in memory that the host cannot read.
#pragma once

#include "cuda/machine.hpp"

#include <starling/ensemble.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <vector>

namespace starling::cuda {

/// An address on a machine, a size, and nothing to read by: what reads rows on the host does not
/// compile with it.
template <typename T>
struct DeviceColumn {
  T* address;
  std::size_t count, dim;
};

/// All particles, as rows on one machine, fewer than 2^32. Everyone moves in every step, so how
/// often they have moved is one number. Rows travel by way of the columns of scores and drifts,
/// which are made anew afterwards.
template <typename Number>
class Ensemble {
public:
  using Real = Number;

  Ensemble(Machine& machine, std::size_t count, std::size_t dim)
      : machine_(&machine), count_(count), dim_(dim), column_((count * dim + 63) / 64 * 64),
        lasting_(machine, column_), passing_(machine, 2 * column_), id_(machine, count) {
    std::vector<std::uint32_t> ids(count);
    std::iota(ids.begin(), ids.end(), std::uint32_t{0});
    id_.upload(ids.data(), count);
  }

  std::size_t count() const { return count_; }
  std::size_t population() const { return count_; }
  std::size_t dim() const { return dim_; }

  DeviceColumn<Real> position() { return {lasting_.data(), count_, dim_}; }
  DeviceColumn<Real> score() { return {passing_.data(), count_, dim_}; }
  DeviceColumn<Real> drift() { return {passing_.data() + column_, count_, dim_}; }
  DeviceColumn<const Real> position() const { return {lasting_.data(), count_, dim_}; }
  DeviceColumn<const Real> score() const { return {passing_.data(), count_, dim_}; }
  DeviceColumn<const Real> drift() const { return {passing_.data() + column_, count_, dim_}; }
  DeviceColumn<std::uint32_t> id() { return {id_.data(), count_, 1}; }

  std::size_t memories() const { return memories_; }
  DeviceColumn<Real> memory(std::size_t column) {
    return {column == 0 ? lasting_.data() + column_ : more_[column - 1].data(), count_, dim_};
  }
  void remember(std::size_t columns) {
    if (memories_ == 0 && columns > 0) {
      DeviceBuffer<Real> both(*machine_, 2 * column_);
      machine_->copy(both.data(), lasting_.data(), lasting_.bytes());
      std::swap(lasting_, both);
    }
    while (more_.size() + 1 < columns)
      more_.emplace_back(*machine_, column_);
    memories_ = std::max(memories_, columns);
  }

  /// How often each has moved: written out for whoever asks.
  DeviceColumn<std::uint32_t> moves() {
    if (moves_.size() == 0)
      moves_ = DeviceBuffer<std::uint32_t>(*machine_, count_);
    const std::vector<std::uint32_t> all(count_, moved);
    moves_.upload(all.data(), count_);
    return {moves_.data(), count_, 1};
  }
  std::uint32_t moved = 0; ///< the same as one number

  /// Rows travel, in all that outlives a step.
  void reorder(std::span<const std::uint32_t> order) {
    if (order_.size() == 0)
      order_ = DeviceBuffer<std::uint32_t>(*machine_, count_);
    order_.upload(order.data(), order.size());
    travel_by(static_cast<const std::uint32_t*>(order_.data()));
  }
  void travel(const Scramble& order) { travel_by(order); }

  /// DeviceBuffer for both columns that outlive a step, where those of scores and drifts are.
  Real* side_by_side() const { return passing_.data(); }
  void put_side_by_side() {
    machine_->put_side_by_side(passing_.data(), columns(), count_, dim_ * sizeof(Real));
  }
  void take_apart() {
    machine_->take_apart(columns(), passing_.data(), count_, dim_ * sizeof(Real));
  }
  void make_room_to_travel() {
    if (spare_id_.size() == 0)
      spare_id_ = DeviceBuffer<std::uint32_t>(*machine_, count_);
  }

  std::vector<std::uint32_t> ids() const {
    std::vector<std::uint32_t> ids(count_);
    id_.download(ids.data(), count_);
    return ids;
  }

  /// To the host and back, all that outlives a step.
  void download(starling::Ensemble<Real>& to) const {
    to.remember(memories());
    const auto bring = [&](Real* there, Real* here) {
      machine_->download(there, here, count_ * dim_ * sizeof(Real));
    };
    bring(to.position().data, lasting_.data());
    for (std::size_t c = 0; c < memories(); ++c)
      bring(to.memory(c).data, const_cast<Ensemble*>(this)->memory(c).address);
    const std::vector<std::uint32_t> ids = this->ids();
    std::ranges::copy(ids, to.id().begin());
    std::ranges::fill(to.moves(), moved);
  }
  void upload(const starling::Ensemble<Real>& from) {
    remember(from.memories());
    const auto put = [&](Real* there, const Real* here) {
      machine_->upload(there, here, count_ * dim_ * sizeof(Real));
    };
    put(lasting_.data(), from.position().data);
    // Before the first step it has none, and here they are zero.
    for (std::size_t c = 0; c < from.memories(); ++c)
      put(memory(c).address, from.memory(c).data);
    const std::vector<std::uint32_t> ids(from.id().begin(), from.id().end());
    id_.upload(ids.data(), count_);
    moved = from.moves()[0];
  }

private:
  std::array<void*, 2> columns() const { return {lasting_.data(), lasting_.data() + column_}; }
  template <typename Order>
  void travel_by(const Order& order) {
    make_room_to_travel();
    const auto rows = static_cast<std::uint32_t>(count_);
    const std::size_t bytes = dim_ * sizeof(Real);
    const auto there_and_back = [&](Real* column) {
      machine_->travel(passing_.data(), column, rows, bytes, order);
      machine_->copy(column, passing_.data(), rows * bytes);
    };
    if (memories_ == 0) {
      there_and_back(lasting_.data());
    } else {
      machine_->travel(passing_.data(), lasting_.data(), rows, bytes, order);
      machine_->travel(passing_.data() + column_, lasting_.data() + column_, rows, bytes, order);
      std::swap(lasting_, passing_);
    }
    for (DeviceBuffer<Real>& column : more_)
      there_and_back(column.data());
    machine_->travel(spare_id_.data(), id_.data(), rows, sizeof(std::uint32_t), order);
    std::swap(id_, spare_id_);
  }

  Machine* machine_;
  std::size_t count_, dim_;
  std::size_t column_; ///< numbers from one column's begin to the next one's
  std::size_t memories_ = 0;
  DeviceBuffer<Real> lasting_;           ///< positions, and the first memory
  DeviceBuffer<Real> passing_;           ///< scores and drifts
  std::vector<DeviceBuffer<Real>> more_; ///< other memories
  DeviceBuffer<std::uint32_t> id_, moves_, order_, spare_id_;
};
static_assert(Particles<Ensemble<float>> && !HostParticles<Ensemble<float>>);

} // namespace starling::cuda
