// Which rows cross the wire in a step, and what comes back.
#pragma once

#include "mpi/dealing.hpp"
#include "mpi/wire.hpp"

#include <starling/batches.hpp>
#include <starling/ensemble.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace starling::mpi {

/// Members of a batch that is at home elsewhere send position and score there, the home computes the drift of all of them
/// at once, and d numbers go back: 3 d (1 - 1/p) numbers a row at most. Where nothing crosses, rows stay where they are.
template <typename Real>
class Crossing {
public:
  Crossing(const Blocks& blocks, Wire& wire);

  /// For the batches of a step. The share must outlive it.
  void plan(const Share& share, std::size_t population, double time, std::size_t dim);

  /// Brings the members of this rank's batches onto its floor, calls drift(floor, batches), and takes every drift home.
  template <typename Drift>
  void operator()(Ensemble<Real>& here, Drift&& drift) {
    if (in_place_)
      return drift(here, batches_);
    gather(here);
    if (batches_.count() > 0)
      drift(*floor_, batches_);
    scatter(here);
  }

private:
  void gather(const Ensemble<Real>& here);
  void scatter(Ensemble<Real>& here);
  std::span<const std::vector<std::uint32_t>> out() const { return share_->away; } // rows that go to each other rank

  const Blocks& blocks_;
  Wire& wire_;
  const Share* share_ = nullptr;
  bool in_place_ = false;                        // the rows here are swept as they lie
  std::vector<std::vector<std::uint32_t>> in_;   // rows of the floor that come from each other rank
  std::vector<std::uint32_t> own_, own_at_;      // rows that stay, and where on the floor
  std::size_t rows_ = 0, padded_ = 0;            // of the floor; with those that fill it up
  std::size_t lead_ = 0;                         // rows of a batch that stands before all others
  Batches batches_;
  std::unique_ptr<Ensemble<Real>> floor_;
  std::vector<Real> outward_, inward_;
  std::vector<std::size_t> sent_, received_;
};

} // namespace starling::mpi
