// Compiled once per SIMD level, with that level's flags: exports its scores, its steps, its work on
// coordinates and in many dimensions. Its pair work for each kernel is in level_work_pairs.cpp.
#include "cpu/bend_work_inl.hpp"
#include "cpu/coordinate_work_inl.hpp"
#include "cpu/exp_work.hpp"
#include "cpu/made.hpp"
#include "cpu/pick_work_inl.hpp"
#include "cpu/product_work_inl.hpp"
#include "cpu/score_work_inl.hpp"
#include "cpu/step_work_inl.hpp"
#include "cpu/wide_batches_inl.hpp"
#include "cpu/wide_work_inl.hpp"

namespace starling::cpu::STARLING_LEVEL {

template <typename Real>
inline constexpr MixtureWork<Real> made<MixtureWork<Real>> = {mixture_score<Real>};
template <typename Real>
inline constexpr SigmoidWork<Real> made<SigmoidWork<Real>> = {sigmoid_residuals<Real>};
template <typename Real>
inline constexpr ExpWork<Real> made<ExpWork<Real>> = {exponentials<Real>};
template <typename Real, typename OneStep, std::size_t Memories>
inline constexpr StepWork<Real, OneStep, Memories> made<StepWork<Real, OneStep, Memories>> = {
    move_run<Real, OneStep, Memories>};

template <typename Real, typename K>
inline constexpr CoordinateWork<Real, K> made<CoordinateWork<Real, K>> = {
    coordinate_pairs<Real, K>};

template <typename Real, Nature nature>
inline constexpr WideWork<Real, nature> made<WideWork<Real, nature>> = {wide_rows<Real, nature>,
                                                                        wide_batches<Real, nature>};

template const WideWork<double, Nature::distance>& work_for();
template const WideWork<double, Nature::proportional>& work_for();
template const WideWork<double, Nature::product>& work_for();
template const WideWork<float, Nature::distance>& work_for();
template const WideWork<float, Nature::proportional>& work_for();
template const WideWork<float, Nature::product>& work_for();

template <typename Real>
inline constexpr BlockWork<Real> made<BlockWork<Real>> = {
    wide_pairs<true, Real>, wide_pairs<false, Real>, wide_forces<true, Real>,
    wide_forces<false, Real>};

template <typename Real>
inline constexpr ProductWork<Real> made<ProductWork<Real>> = {block_distances<Real>,
                                                              block_sums<Real>};
template const ProductWork<double>& work_for();
template const ProductWork<float>& work_for();

template <>
inline constexpr PickWork made<PickWork> = pick_work;
template const PickWork& work_for();

template <>
inline constexpr BendWork made<BendWork> = bend_work;
template const BendWork& work_for();

template const BlockWork<double>& work_for();
template const BlockWork<float>& work_for();
template const MixtureWork<double>& work_for();
template const MixtureWork<float>& work_for();
template const SigmoidWork<double>& work_for();
template const SigmoidWork<float>& work_for();
template const ExpWork<double>& work_for();
template const ExpWork<float>& work_for();

#define STARLING_EXPORT(Step, memories)                                                            \
  template const StepWork<double, Step<double>, memories>& work_for();                             \
  template const StepWork<float, Step<float>, memories>& work_for();
STARLING_STEPS(STARLING_EXPORT)
#undef STARLING_EXPORT

#define STARLING_EXPORT(K)                                                                         \
  template const CoordinateWork<double, kernel::K<double>>& work_for();                            \
  template const CoordinateWork<float, kernel::K<float>>& work_for();
STARLING_COORDINATE_KERNELS(STARLING_EXPORT)
#undef STARLING_EXPORT

} // namespace starling::cpu::STARLING_LEVEL
