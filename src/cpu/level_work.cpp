// Compiled once per SIMD level, with that level's flags: exports its work.
#include "cpu/pair_work_inl.hpp"
#include "cpu/score_work_inl.hpp"
#include "cpu/step_work_inl.hpp"

#include "cpu/levels.hpp"

#include <starling/cpu/pairwise_drift.hpp>

namespace starling::cpu::STARLING_LEVEL {

/// The functions of this level that make up W.
template <typename W>
inline constexpr W made = {};
template <typename Real, typename K>
inline constexpr PairWork<Real, K> made<PairWork<Real, K>> = pair_work<Real, K>;
template <typename Real>
inline constexpr MixtureWork<Real> made<MixtureWork<Real>> = {mixture_score<Real>};
template <typename Real>
inline constexpr SigmoidWork<Real> made<SigmoidWork<Real>> = {sigmoid_residuals<Real>};
template <typename Real, typename OneStep, std::size_t Memories>
inline constexpr StepWork<Real, OneStep, Memories> made<StepWork<Real, OneStep, Memories>> = {
    move_run<Real, OneStep, Memories>};

template <typename W>
const W& work_for() {
  return made<W>;
}

#define STARLING_EXPORT(K)                                                                         \
  template const PairWork<double, kernel::K<double>>& work_for();                                  \
  template const PairWork<float, kernel::K<float>>& work_for();
STARLING_EXPORT(Gaussian)
STARLING_EXPORT(InverseMultiquadric)
STARLING_EXPORT(Matern32)
STARLING_EXPORT(Matern52)
STARLING_EXPORT(Polynomial)
#undef STARLING_EXPORT

template const MixtureWork<double>& work_for();
template const MixtureWork<float>& work_for();
template const SigmoidWork<double>& work_for();
template const SigmoidWork<float>& work_for();

#define STARLING_EXPORT(Step, memories)                                                            \
  template const StepWork<double, Step<double>, memories>& work_for();                             \
  template const StepWork<float, Step<float>, memories>& work_for();
STARLING_STEPS(STARLING_EXPORT)
#undef STARLING_EXPORT

} // namespace starling::cpu::STARLING_LEVEL
