// A run whose rows are spread over ranks, behind the interface of any run.
#pragma once

#include "mpi/dealing.hpp"
#include "mpi/wire.hpp"

#include <starling/run/flight.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace starling::mpi {

/// What the ranks do instead of the roles of one process.
template <typename Real>
struct RunSpec {
  std::shared_ptr<Wire> wire;
  std::size_t blocks = 1;
  Dealing dealing;
  /// Of rows that are here alone.
  std::function<void(Step, Rows<const Real>, Rows<Real>)> score;
  /// Of batches that are here, at the bandwidth that `bandwidth` holds, if it is taken from the
  /// cloud.
  run::AnyDrift<Real> drift;
  std::shared_ptr<Real> bandwidth = {};
  /// The places whose rows the bandwidth of a step is taken from; and how. Empty: from none.
  std::function<std::vector<std::uint32_t>(Step)> drawn = {};
  std::function<Real(Step, Rows<const Real>)> from_drawn = {};
  std::size_t largest_batch = 0; ///< of all steps
};

/// Every rank calls this, and whatever it answers, alike. `roles` are those of one process: looks
/// and outcomes are made by them, the looks on rank 0 alone; their target is shared out
/// (shared_target.hpp). Each step of the flight gives the bits of one process. `start(rows, first)`
/// fills in the rows of this rank, of which `first` is the first.
template <typename Real>
std::unique_ptr<run::Flight> begin(RunSpec<Real> spec, run::Roles<Real> roles,
                                   const run::Settings& settings,
                                   const std::function<void(Rows<Real>, std::size_t)>& start);

/// Where a checkpoint left it, on however many ranks that was. Throws io::BadData that names
/// `where`.
template <typename Real>
std::unique_ptr<run::Flight> resume(RunSpec<Real> spec, run::Roles<Real> roles,
                                    const run::Settings& settings,
                                    const run::Checkpoint& checkpoint, const std::string& where);

} // namespace starling::mpi
