// What a step rule needs in vectors: a function per rule, as one SIMD level has it.
#pragma once

#include <starling/advance/explicit_step.hpp>

namespace starling::cpu {

template <typename Real, typename OneStep, std::size_t Memories>
struct StepWork {
  void (*move)(const OneStep& step, const Moving<Real>& run);
};

// STARLING_STEPS(X) calls X for every kind of move of the rules that is compiled for vectors, and how
// many numbers it remembers.
#define STARLING_STEPS(X) X(Proportional, 0) X(Scaled, 1) X(Corrected, 2)

} // namespace starling::cpu
