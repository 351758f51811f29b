// What a plan asks of a card, where the card can do it.
#pragma once

#include "assemble/roles.hpp"
#include "cuda/cloud.hpp"
#include "mpi/wire.hpp"
#include "plan/plan.hpp"

namespace starling::assemble {

/// Throws invalid_argument that says what a card can do, where it cannot do what the plan asks for.
/// `target` is what the host would score.
template <typename Real>
cuda::RunSpec<Real> card_run_spec(const plan::Plan& plan, std::uint64_t seed,
                                  const run::AnyTarget<Real>& target);

/// The target of a run in stages, whose scores and log densities this rank's card computes from
/// now on; `user_target` is where it came from, or null. Refuses in the same way.
void put_density_on_card(const plan::Plan& plan, const UserTarget* user_target,
                         const mpi::Wire& wire, run::AnyTarget<double>& target);

/// The card of this rank, for a plan that has one: that of the plan, or those of a machine in turn.
std::size_t card_of(const plan::Plan& plan, const mpi::Wire& wire,
                    std::size_t (*cards)() = cuda::cards);

} // namespace starling::assemble
