// From a plan to the parts of a run.
#pragma once

#include "plan/plan.hpp"

#include <starling/run/roles.hpp>

namespace starling::assemble {

/// Threads must outlive what is made. `seed` is that of one run of the plan; what of the target is
/// random and the same in all runs, as the split of the data, comes from the plan's own. A plan
/// without a target needs a guest.
template <typename Real>
run::AnyTarget<Real> make_target(const plan::Plan& plan, std::uint64_t seed, Threads& threads,
                                 const run::Guest* guest = nullptr);
template <typename Real>
run::AnyDealer<Real> make_dealer(const plan::Plan& plan, std::uint64_t seed);
template <typename Real>
run::AnyDrift<Real> make_drift(const plan::Plan& plan, std::uint64_t seed, std::size_t dim, Threads& threads);
template <typename Real>
run::AnyAdvance<Real> make_advance(const plan::Plan& plan, Threads& threads);

/// Fills in the initial positions. Throws io::BadData when a start file has the wrong shape.
template <typename Real>
void start(const plan::Plan& plan, std::uint64_t seed, const run::AnyTarget<Real>& target, Rows<Real> position);

/// The positions that the caller brings. Throws invalid_argument when they are too many, too few or
/// not finite.
template <typename Real>
void place(std::span<const double> given, Rows<Real> position);

} // namespace starling::assemble
