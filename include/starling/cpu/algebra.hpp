// Matrix products of the BLAS library and sigmoids in vectors, for the logistic likelihood.
#pragma once

#include <cstddef>

namespace starling::cpu {

/// The operations of starling::PlainAlgebra, equal to it up to rounding. Each call is on one
/// thread: the caller shares out the work.
template <typename Real>
struct Algebra {
  static void logits(const Real* w, std::size_t stride, std::size_t n, const Real* features,
                     std::size_t rows, std::size_t inner, Real* logits);
  static void residuals(Real* logits, std::size_t n, const Real* labels, std::size_t rows,
                        Real scale);
  static void gradients(const Real* residuals, std::size_t n, const Real* features,
                        std::size_t rows, std::size_t inner, Real* score, std::size_t stride);
  static void exponentials(Real* z, std::size_t count);
};

} // namespace starling::cpu
