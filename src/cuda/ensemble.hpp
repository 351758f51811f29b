// The cloud on a device: the columns of starling::Ensemble, in memory that the host cannot read.
#pragma once

#include "cuda/machine.hpp"

#include <starling/ensemble.hpp>

#include <algorithm>
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
/// often they have moved is one number. Rows travel by way of the drift's column, which is made
/// anew afterwards.
template <typename Number>
class Ensemble {
public:
  using Real = Number;

  Ensemble(Machine& machine, std::size_t count, std::size_t dim)
      : machine_(&machine), count_(count), dim_(dim), position_(machine, count * dim),
        score_(machine, count * dim), drift_(machine, count * dim), id_(machine, count) {
    std::vector<std::uint32_t> ids(count);
    std::iota(ids.begin(), ids.end(), std::uint32_t{0});
    id_.upload(ids.data(), count);
  }

  std::size_t count() const { return count_; }
  std::size_t population() const { return count_; }
  std::size_t dim() const { return dim_; }

  DeviceColumn<Real> position() { return {position_.data(), count_, dim_}; }
  DeviceColumn<Real> score() { return {score_.data(), count_, dim_}; }
  DeviceColumn<Real> drift() { return {drift_.data(), count_, dim_}; }
  DeviceColumn<const Real> position() const { return {position_.data(), count_, dim_}; }
  DeviceColumn<const Real> score() const { return {score_.data(), count_, dim_}; }
  DeviceColumn<const Real> drift() const { return {drift_.data(), count_, dim_}; }
  DeviceColumn<std::uint32_t> id() { return {id_.data(), count_, 1}; }

  std::size_t memories() const { return memory_.size(); }
  DeviceColumn<Real> memory(std::size_t column) { return {memory_[column].data(), count_, dim_}; }
  void remember(std::size_t columns) {
    while (memory_.size() < columns)
      memory_.emplace_back(*machine_, count_ * dim_);
  }

  /// How often each has moved: written out for whoever asks.
  DeviceColumn<std::uint32_t> moves() {
    if (moves_.size() == 0)
      moves_ = Room<std::uint32_t>(*machine_, count_);
    const std::vector<std::uint32_t> all(count_, moved);
    moves_.upload(all.data(), count_);
    return {moves_.data(), count_, 1};
  }
  std::uint32_t moved = 0; ///< the same as one number

  /// Rows travel, in all that outlives a step.
  void reorder(std::span<const std::uint32_t> order) {
    if (order_.size() == 0)
      order_ = Room<std::uint32_t>(*machine_, count_);
    order_.upload(order.data(), order.size());
    travel_by(static_cast<const std::uint32_t*>(order_.data()));
  }
  void travel(const Scramble& order) { travel_by(order); }
  void make_room_to_travel() {
    if (spare_id_.size() == 0)
      spare_id_ = Room<std::uint32_t>(*machine_, count_);
  }

  std::vector<std::uint32_t> ids() const {
    std::vector<std::uint32_t> ids(count_);
    id_.download(ids.data(), count_);
    return ids;
  }

  /// To the host and back, all that outlives a step.
  void download(starling::Ensemble<Real>& to) const {
    to.remember(memories());
    position_.download(to.position().data, position_.size());
    for (std::size_t c = 0; c < memories(); ++c)
      memory_[c].download(to.memory(c).data, memory_[c].size());
    const std::vector<std::uint32_t> ids = this->ids();
    std::ranges::copy(ids, to.id().begin());
    std::ranges::fill(to.moves(), moved);
  }
  void upload(const starling::Ensemble<Real>& from) {
    remember(from.memories());
    position_.upload(from.position().data, position_.size());
    // Before the first step it has none, and here they are zero.
    for (std::size_t c = 0; c < from.memories(); ++c)
      memory_[c].upload(from.memory(c).data, memory_[c].size());
    const std::vector<std::uint32_t> ids(from.id().begin(), from.id().end());
    id_.upload(ids.data(), count_);
    moved = from.moves()[0];
  }

private:
  template <typename Order>
  void travel_by(const Order& order) {
    make_room_to_travel();
    const auto rows = static_cast<std::uint32_t>(count_);
    const auto travel = [&](auto& column, auto& spare, std::size_t bytes) {
      machine_->travel(spare.data(), column.data(), rows, bytes, order);
      std::swap(column, spare);
    };
    travel(position_, drift_, dim_ * sizeof(Real));
    for (Room<Real>& column : memory_)
      travel(column, drift_, dim_ * sizeof(Real));
    travel(id_, spare_id_, sizeof(std::uint32_t));
  }

  Machine* machine_;
  std::size_t count_, dim_;
  Room<Real> position_, score_, drift_;
  std::vector<Room<Real>> memory_;
  Room<std::uint32_t> id_, moves_, order_, spare_id_;
};
static_assert(Particles<Ensemble<float>> && !HostParticles<Ensemble<float>>);

} // namespace starling::cuda
