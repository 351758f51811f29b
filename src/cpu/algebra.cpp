// The logistic likelihood's operations, by BLAS and at the SIMD level in use.
#include <starling/cpu/algebra.hpp>

#include "cpu/blas.hpp"
#include "cpu/exp_work.hpp"
#include "cpu/levels.hpp"

namespace starling::cpu {

template <typename Real>
void Algebra<Real>::logits(const Real* w, std::size_t stride, std::size_t n, const Real* features,
                           std::size_t rows, std::size_t inner, Real* logits) {
  multiply<Real>(Turn::none, Turn::transpose, n, rows, inner, Real(1), {w, stride},
                 {features, inner}, Real(0), {logits, rows});
}

template <typename Real>
void Algebra<Real>::residuals(Real* logits, std::size_t n, const Real* labels, std::size_t rows,
                              Real scale) {
  work_in_use<SigmoidWork<Real>>().residuals({logits, n, labels, rows, scale});
}

template <typename Real>
void Algebra<Real>::gradients(const Real* residuals, std::size_t n, const Real* features,
                              std::size_t rows, std::size_t inner, Real* score,
                              std::size_t stride) {
  multiply<Real>(Turn::none, Turn::none, n, inner, rows, Real(1), {residuals, rows},
                 {features, inner}, Real(1), {score, stride});
}

template <typename Real>
void Algebra<Real>::exponentials(Real* z, std::size_t count) {
  work_in_use<ExpWork<Real>>().exponentials(z, count);
}

template struct Algebra<double>;
template struct Algebra<float>;

} // namespace starling::cpu
