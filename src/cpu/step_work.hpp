// What a step rule needs in vectors: a function per rule, as one SIMD level has it.
#pragma once

#include <starling/advance/explicit_step.hpp>

namespace starling::cpu {

template <typename Real, typename OneStep, std::size_t Memories>
struct StepWork {
  bool (*move)(const OneStep& step, const Moving<Real>& run); ///< whether all came to be numbers
};

} // namespace starling::cpu
