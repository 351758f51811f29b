// What a plan asks of ranks, where their rows can be spread.
#pragma once

#include "assemble/roles.hpp"
#include "mpi/flight.hpp"

#include <memory>

namespace starling::assemble {

/// Whether the rows of such a run can live on one rank each: batches without replacement, kernels
/// that see pairs alone, steps that see rows alone. Else every rank holds all rows, and their
/// scores are shared out.
bool can_spread(const plan::Plan& plan, std::size_t ranks);

/// For a plan that can. `score` is the target's own.
template <typename Real>
mpi::RunSpec<Real> spread_run_spec(const plan::Plan& plan, std::uint64_t seed,
                                   const run::Roles<Real>& roles, std::shared_ptr<mpi::Wire> wire,
                                   std::function<void(Step, Rows<const Real>, Rows<Real>)> score);

} // namespace starling::assemble
