// Matrix products at the machine's rate. Threads are ours, never the library's.
#pragma once

#include <cblas.h>

#include <cstddef>

namespace starling::cpu {

/// A row-major matrix where it lies.
template <typename Real>
struct Matrix {
  Real* data;
  std::size_t stride;
};

enum class Turn { none, transpose };

inline void one_thread_per_product() {
  static const bool done = (openblas_set_num_threads(1), true);
  (void)done;
}

/// C = alpha op(A) op(B) + beta C, with C of rows x columns and `inner` terms in each sum.
template <typename Real>
void multiply(Turn turn_a, Turn turn_b, std::size_t rows, std::size_t columns, std::size_t inner,
              Real alpha, Matrix<const Real> a, Matrix<const Real> b, Real beta, Matrix<Real> c) {
  one_thread_per_product();
  const auto turned = [](Turn turn) { return turn == Turn::none ? CblasNoTrans : CblasTrans; };
  const auto whole = [](std::size_t n) { return static_cast<blasint>(n); };
  if constexpr (sizeof(Real) == 8)
    cblas_dgemm(CblasRowMajor, turned(turn_a), turned(turn_b), whole(rows), whole(columns),
                whole(inner), alpha, a.data, whole(a.stride), b.data, whole(b.stride), beta, c.data,
                whole(c.stride));
  else
    cblas_sgemm(CblasRowMajor, turned(turn_a), turned(turn_b), whole(rows), whole(columns),
                whole(inner), alpha, a.data, whole(a.stride), b.data, whole(b.stride), beta, c.data,
                whole(c.stride));
}

} // namespace starling::cpu
