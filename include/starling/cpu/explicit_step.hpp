// The explicit step with the rules of advance/rules.hpp in vectors, at the SIMD level in use.
#pragma once

#include <starling/advance/explicit_step.hpp>

namespace starling::cpu {

/// Defined for the rules of advance/rules.hpp, in double and float. Equal to OneByOne up to the
/// rounding of quotients and roots.
template <std::size_t memories, typename Real, typename OneStep>
void move(const OneStep& step, const Moving<Real>& run);

struct InVectors {
  template <std::size_t memories, typename Real, typename OneStep>
  static void move(const OneStep& step, const Moving<Real>& run, const Euclid<Real>&) {
    cpu::move<memories>(step, run);
  }
};

template <typename Real, StepRule<Real> Rule>
using ExplicitStep = starling::ExplicitStep<Real, Rule, Euclid<Real>, InVectors>;

} // namespace starling::cpu
