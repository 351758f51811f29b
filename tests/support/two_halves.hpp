// A second kind of particles, for tests: rows in two halves, the numbers of each coordinate
// together, and perhaps only some of all there are.
#pragma once

#include <starling/particles.hpp>

#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace starling::support {

/// A row whose numbers lie `stride` apart.
template <typename T>
struct SpreadRow {
  T* first;
  std::size_t stride, dim;
  T& operator[](std::size_t a) const { return first[a * stride]; }
  std::size_t size() const { return dim; }
};

/// Rows below `cut` in one block, the others in another; in both, coordinate after coordinate.
template <typename T>
struct SpreadRows {
  T *low, *high;
  std::size_t cut, count, dim;
  SpreadRow<T> operator[](std::size_t i) const {
    return i < cut ? SpreadRow<T>{low + i, cut, dim}
                   : SpreadRow<T>{high + (i - cut), count - cut, dim};
  }
};

template <typename Number>
class TwoHalves {
public:
  using Real = Number;

  /// `count` rows here, whose ids begin at `first`, of `population` in all; 0: no others.
  TwoHalves(std::size_t count, std::size_t dim, std::size_t population = 0, std::uint64_t first = 0)
      : count_(count), dim_(dim), population_(population == 0 ? count : population),
        position_(blank()), score_(blank()), drift_(blank()), moves_(count), id_(count) {
    std::iota(id_.begin(), id_.end(), first);
  }

  std::size_t count() const { return count_; }
  std::size_t population() const { return population_; }
  std::size_t dim() const { return dim_; }

  SpreadRows<Real> position() { return view<Real>(position_); }
  SpreadRows<Real> score() { return view<Real>(score_); }
  SpreadRows<Real> drift() { return view<Real>(drift_); }
  SpreadRows<Real> memory(std::size_t c) { return view<Real>(memory_[c]); }
  SpreadRows<const Real> position() const { return view<const Real>(position_); }
  SpreadRows<const Real> score() const { return view<const Real>(score_); }
  SpreadRows<const Real> drift() const { return view<const Real>(drift_); }
  SpreadRows<const Real> memory(std::size_t c) const { return view<const Real>(memory_[c]); }
  std::span<std::uint32_t> moves() { return moves_; }
  std::span<const std::uint32_t> moves() const { return moves_; }
  std::span<std::uint64_t> id() { return id_; }
  std::span<const std::uint64_t> id() const { return id_; }

  void remember(std::size_t columns) {
    while (memory_.size() < columns)
      memory_.push_back(blank());
  }
  std::size_t memories() const { return memory_.size(); }

  void make_room_to_travel() {}
  void reorder(std::span<const std::uint32_t> order) {
    const TwoHalves before = *this;
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t a = 0; a < dim_; ++a) {
        position()[i][a] = before.position()[order[i]][a];
        for (std::size_t c = 0; c < memories(); ++c)
          memory(c)[i][a] = before.memory(c)[order[i]][a];
      }
      moves_[i] = before.moves_[order[i]];
      id_[i] = before.id_[order[i]];
    }
  }

private:
  using Halves = std::pair<std::vector<Real>, std::vector<Real>>;

  std::size_t cut() const { return count_ / 2; }
  Halves blank() const {
    return {std::vector<Real>(cut() * dim_), std::vector<Real>((count_ - cut()) * dim_)};
  }
  template <typename T, typename H>
  SpreadRows<T> view(H& halves) const {
    return {halves.first.data(), halves.second.data(), cut(), count_, dim_};
  }

  std::size_t count_, dim_, population_;
  Halves position_, score_, drift_;
  std::vector<Halves> memory_;
  std::vector<std::uint32_t> moves_;
  std::vector<std::uint64_t> id_;
};

} // namespace starling::support
