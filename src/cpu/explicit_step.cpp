// Step rules in vectors, at the SIMD level in use.
#include <starling/cpu/explicit_step.hpp>

#include "cpu/levels.hpp"

namespace starling::cpu {

template <std::size_t memories, typename Real, typename OneStep>
bool move(const OneStep& step, const Moving<Real>& run) {
  return work_in_use<StepWork<Real, OneStep, memories>>().move(step, run);
}

#define STARLING_MOVE(Step, memories)                                                              \
  template bool move<memories>(const Step<double>&, const Moving<double>&);                        \
  template bool move<memories>(const Step<float>&, const Moving<float>&);
STARLING_STEPS(STARLING_MOVE)
#undef STARLING_MOVE

} // namespace starling::cpu
