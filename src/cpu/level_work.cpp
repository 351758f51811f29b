// Compiled once per SIMD level, with that level's flags: exports its table of pair work.
#include "cpu/pair_work_inl.hpp"
#include "cpu/score_work_inl.hpp"

#include "cpu/levels.hpp"

namespace starling::cpu::STARLING_LEVEL {

template <typename Real, typename K>
const PairWork<Real, K>& work_for() {
  return pair_work<Real, K>;
}

template <typename Real>
MixtureScore<Real> mixture_score_for() {
  return mixture_score<Real>;
}
template MixtureScore<double> mixture_score_for();
template MixtureScore<float> mixture_score_for();

template <typename Real>
SigmoidResiduals<Real> sigmoid_work_for() {
  return sigmoid_residuals<Real>;
}
template SigmoidResiduals<double> sigmoid_work_for();
template SigmoidResiduals<float> sigmoid_work_for();

#define STARLING_EXPORT(K)                                                                         \
  template const PairWork<double, kernel::K<double>>& work_for();                                  \
  template const PairWork<float, kernel::K<float>>& work_for();
STARLING_EXPORT(Gaussian)
STARLING_EXPORT(InverseMultiquadric)
STARLING_EXPORT(Matern32)
STARLING_EXPORT(Matern52)
STARLING_EXPORT(Polynomial)

} // namespace starling::cpu::STARLING_LEVEL
