// What a run needs of memory at the least, and a refusal before it is taken.
#pragma once

#include "plan/plan.hpp"

#include <cstddef>
#include <cstdint>

namespace starling::assemble {

/// Bytes that a run of this plan takes at the least in so many dimensions: measured on normals, and
/// rounded down, so that nothing is refused that would fit.
double least_memory(const plan::Plan& plan, std::size_t dim);

/// Throws DoesNotFit when that is more than the memory that is left here (--memory-limit, what is
/// free, control groups). `ranks` share the particles; those on a card are not counted.
void refuse_what_does_not_fit(const plan::Plan& plan, std::size_t dim, std::size_t ranks = 1);

/// The same where the dimension is a setting of the target and known before anything is made.
void refuse_early(const plan::Plan& plan, std::size_t ranks = 1);

} // namespace starling::assemble
