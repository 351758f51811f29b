// A rank's share of a step by address: it computes the batches of its own rows, and of no others;
// or some by their numbers.
#pragma once

#include "mpi/share.hpp"

#include <starling/deal/batch_size.hpp>
#include <starling/random/philox.hpp>
#include <starling/threads.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace starling::mpi {

/// Some batches, by their numbers: [begin, end) of `total`, of all rows, cut as Batches cuts.
struct Slice {
  std::size_t begin, end, total, rows;

  std::size_t smaller() const { return rows / total; }
  std::size_t larger() const { return rows % total; } ///< so many, the first, have one member more
  std::size_t largest() const { return smaller() + (larger() > 0 ? 1 : 0); }
  std::size_t place(std::size_t batch) const {
    return batch * smaller() + std::min(batch, larger());
  } ///< its first
  std::size_t size(std::size_t batch) const { return place(batch + 1) - place(batch); }
  std::size_t members() const { return place(end) - place(begin); }
};

/// Each has `total` batches at step k, and `some` puts the members of a slice one after another.

/// Of Matching, over an even number of rows.
class PairsByAddress {
public:
  PairsByAddress(std::uint64_t seed, std::size_t particles)
      : philox_(seed), particles_(particles) {}
  void operator()(Step k, const Blocks& blocks, std::size_t rank, Share& share) const;
  std::size_t total(Step) const { return particles_ / 2; }
  void some(Step k, const Slice& slice, std::uint32_t* to, Threads& threads) const;

private:
  Philox philox_;
  std::size_t particles_;
};

/// Of Cosets. The rows of a rank are a few aligned stretches, and the batches that touch one of
/// those are a stretch too.
class CosetsByAddress {
public:
  CosetsByAddress(std::uint64_t seed, std::size_t particles, std::size_t batch_size)
      : philox_(seed), particles_(particles), size_(batch_size) {}
  void operator()(Step k, const Blocks& blocks, std::size_t rank, Share& share);
  std::size_t total(Step) const { return particles_ / size_; }
  void some(Step k, const Slice& slice, std::uint32_t* to, Threads& threads);

private:
  std::uint32_t draw(Step k); // basis and vectors; answers the pivots

  Philox philox_;
  std::size_t particles_, size_;
  std::vector<std::uint32_t> basis_, vectors_, leasts_, here_;
};

/// Of Moebius, where there is more than one batch: each row is asked for its place, and places are
/// gone through in order.
class MoebiusByAddress {
public:
  MoebiusByAddress(std::uint64_t seed, std::size_t particles, BatchSize batch_size);
  /// False where all rows are one batch: then it has done nothing.
  bool operator()(Step k, const Blocks& blocks, std::size_t rank, Share& share);
  std::size_t total(Step k) const {
    return Batches::pieces(particles_, batch_size_(k, particles_));
  }
  void some(Step k, const Slice& slice, std::uint32_t* to, Threads& threads);

private:
  void draw(Step k);
  std::uint32_t times_b(std::uint32_t v) const; // modulo q, plus a
  std::uint32_t row_at(std::uint32_t place) const;
  std::uint32_t plain_row_at(std::uint32_t place) const;
  std::uint32_t plain_place_of(std::uint32_t row) const;
  std::uint32_t place_of(std::uint32_t row) const;

  struct Moved {
    std::uint32_t place, row;
  };
  Philox philox_;
  std::size_t particles_;
  BatchSize batch_size_;
  std::uint32_t q_, a_ = 0, b_ = 1, c_ = 0, share_of_b_ = 0;
  std::vector<std::uint32_t> inverse_;        // 1/x modulo q
  std::vector<Moved> moved_;                  // places whose row the map does not say: few
  std::vector<bool> maybe_place_, maybe_row_; // by the last bits, whether one of them is moved
  std::vector<std::uint64_t> mine_;           // a bit for each place that holds a row of this rank
};

} // namespace starling::mpi
