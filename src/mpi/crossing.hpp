// Which rows cross the wire in a step, and what comes back.
#pragma once

#include "mpi/dealing.hpp"
#include "mpi/wire.hpp"

#include <starling/ensemble.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace starling::mpi {

/// Every batch has a home among the ranks of its members. Members elsewhere send position and score there, the home
/// computes the drift of all of them at once, and d numbers go back: 3 d (1 - 1/p) numbers a row at most.
template <typename Real>
class Crossing {
public:
  Crossing(const Blocks& blocks, Wire& wire);

  /// For the batches of a step.
  void plan(const Touched& touched, std::size_t population, double time, std::size_t dim);

  /// Brings the members of this rank's batches onto its floor, calls drift(floor, batches), and takes every drift home.
  template <typename Drift>
  void operator()(Ensemble<Real>& here, Drift&& drift) {
    gather(here);
    if (batches_.count() > 0)
      drift(*floor_, batches_);
    scatter(here);
  }

private:
  void gather(const Ensemble<Real>& here);
  void scatter(Ensemble<Real>& here);
  /// The rank that a batch's drift is computed on: that of one of its members, any of them alike.
  std::size_t home_of(std::span<const std::uint32_t> batch) const {
    const std::size_t n = std::uint32_t(batch[0] * 0x9E3779B1u) >> 16;
    return blocks_.rank_of(batch[n % batch.size()]);
  }

  const Blocks& blocks_;
  Wire& wire_;
  std::vector<std::vector<std::uint32_t>> out_;  // rows of this rank that go to each other rank
  std::vector<std::vector<std::uint32_t>> in_;   // rows of the floor that come from each
  std::vector<std::uint32_t> own_, own_at_;      // rows that stay, and where on the floor
  std::size_t rows_ = 0, padded_ = 0;            // of the floor; with those that fill it up
  std::size_t lead_ = 0;                         // rows of a batch that stands before all others
  Batches batches_;
  std::unique_ptr<Ensemble<Real>> floor_;
  std::vector<Real> outward_, inward_;
  std::vector<std::size_t> sent_, received_;
};

} // namespace starling::mpi
