// What a dealer deals: an order of particles cut into batches, and the weights that go with it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace starling {

/// Batches C_1 .. C_n of one step. Each dealt particle is in exactly one of them; with replacement
/// (Algorithm 2) only the particles of one batch are dealt at all.
class Batches {
public:
  std::size_t population = 0; ///< N, all there are, here or not: the weights are made for them
  std::size_t here = 0;       ///< rows that are here; 0: the whole population
  double time = 0; ///< sweeps since the start: k, or the pseudo-time k p/N of Algorithm 2

  std::size_t count() const { return bounds_.empty() ? 0 : bounds_.size() - 1; }
  std::span<const std::uint32_t> operator[](std::size_t q) const {
    return std::span(order_).subspan(bounds_[q], bounds_[q + 1] - bounds_[q]);
  }
  /// All dealt particles, batch after batch.
  std::span<const std::uint32_t> order() const { return order_; }
  /// Where batch q begins in the order; bounds()[count()] is its end.
  std::span<const std::uint32_t> bounds() const { return bounds_; }
  /// True when all that are here are dealt: particle columns can then be swept as they lie.
  bool whole() const { return order_.size() == (here == 0 ? population : here); }

  /// Weight of each other member in a batch of that size: (1 - 1/N)/(p - 1), which makes the batch
  /// force unbiased (Lemma 1). A batch of one has no others.
  double pair_weight(std::size_t size) const {
    const auto n = static_cast<double>(population);
    return size > 1 ? (n - 1) / (n * static_cast<double>(size - 1)) : 0.0;
  }
  /// Weight of F(x_i, x_i): 1/N, and not 1/p, which makes the cloud collapse.
  double self_weight() const { return 1.0 / static_cast<double>(population); }

  /// Lays out the particles 0 .. count-1 in order, as `pieces` batches whose sizes differ by at
  /// most one. Returns the order, for the dealer to rearrange.
  std::span<std::uint32_t> lay_out(std::size_t count, std::size_t pieces) {
    cut(count, pieces);
    std::iota(order_.begin(), order_.end(), std::uint32_t{0});
    return order_;
  }

  /// The same for a dealer that writes the whole order itself: what it holds so far means nothing.
  std::span<std::uint32_t> cut(std::size_t count, std::size_t pieces) {
    if (order_.size() == count && bounds_.size() == pieces + 1 && evenly_) // as in the step before
      return order_;
    order_.resize(count);
    bounds_.resize(pieces + 1);
    for (std::size_t q = 0; q <= pieces; ++q) // the first count % pieces batches are larger by one
      bounds_[q] = static_cast<std::uint32_t>(q * (count / pieces) + std::min(q, count % pieces));
    evenly_ = true;
    return order_;
  }

  /// Lays out batches of the sizes of every `stride`-th of `other`, and as many of the rows that
  /// are here as those have members, spread evenly. Returns the order, as above.
  std::span<std::uint32_t> lay_out_like(const Batches& other, std::size_t stride) {
    population = other.population;
    here = other.here;
    time = other.time;
    evenly_ = false;
    bounds_.assign(1, 0);
    for (std::size_t q = 0; q < other.count(); q += stride)
      bounds_.push_back(bounds_.back() + static_cast<std::uint32_t>(other[q].size()));
    const std::uint64_t members = bounds_.back(), rows = here == 0 ? population : here;
    order_.resize(members);
    if (members == 0)
      return order_;
    const std::uint64_t whole = rows / members,
                        rest = rows % members; // row m rows / members, without a division for each
    for (std::uint64_t m = 0, row = 0, parts = 0; m < members; ++m, row += whole) {
      order_[m] = static_cast<std::uint32_t>(row);
      if ((parts += rest) >= members) {
        parts -= members;
        ++row;
      }
    }
    return order_;
  }

  /// How many batches N particles make when each should have about p: the nearest number for which
  /// every batch still has two members.
  static std::size_t pieces(std::size_t n, std::size_t p) {
    return std::max<std::size_t>(1, std::min((n + p / 2) / p, n / 2));
  }

private:
  std::vector<std::uint32_t> order_, bounds_;
  bool evenly_ = false; // cut by `cut`
};

} // namespace starling
