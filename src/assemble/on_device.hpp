// What a plan asks of a card, where the card can do it.
#pragma once

#include "cuda/cloud.hpp"
#include "plan/plan.hpp"

namespace starling::assemble {

/// Throws invalid_argument that says what a card can do, where it cannot do what the plan asks for. `guest` says that
/// the program brought the target.
template <typename Real>
cuda::Charge<Real> make_charge(const plan::Plan& plan, std::uint64_t seed, const std::vector<std::string>& names,
                               bool guest);

} // namespace starling::assemble
