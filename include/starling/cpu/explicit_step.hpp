// The explicit step with the rules of advance/rules.hpp in vectors, at the SIMD level in use.
#pragma once

#include <starling/advance/explicit_step.hpp>

namespace starling::cpu {

/// Defined for the rules of advance/rules.hpp, in double and float. Equal to OneByOne up to the
/// rounding of quotients and roots. Answers whether all came to be numbers.
template <std::size_t memories, typename Real, typename OneStep>
bool move(const OneStep& step, const Moving<Real>& run);

struct InVectors {
  template <std::size_t memories, typename Real, typename OneStep>
  static bool move(const OneStep& step, const Moving<Real>& run, const Euclid<Real>&) {
    return cpu::move<memories>(step, run);
  }
};

template <typename Real, StepRule<Real> Rule>
using ExplicitStep = starling::ExplicitStep<Real, Rule, Euclid<Real>, InVectors>;

} // namespace starling::cpu
