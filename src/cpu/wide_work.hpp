// What batches in very many dimensions need in vectors: a block of columns of one batch, as plain
// numbers and pointers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace starling::cpu {

/// Some columns of the members of one batch: column a of member k is x[members[k] * dim + a].
template <typename Real>
struct WideBlock {
  const Real* x; ///< where the first of these columns begins; s and phi likewise
  const Real* s;
  Real* phi;
  std::size_t dim; ///< from one row to the next
  std::size_t columns;
  const std::uint32_t* members;
  std::size_t size;
};

/// Pairs are packed: row i holds the columns i .. size - 1. Weights are size x size.
template <typename Real>
struct BlockWork {
  /// The parts of r2, or of x.y, that these columns make.
  void (*distances)(const WideBlock<Real>&, Real* to);
  void (*products)(const WideBlock<Real>&, Real* to);
  /// phi_i = sum_j w_ij s_j + p_ij (x_i - x_j), or + p_ij x_i, added to what is there or written
  /// over it.
  void (*push)(const WideBlock<Real>&, const Real* w, const Real* p, bool added);
  void (*lift)(const WideBlock<Real>&, const Real* w, const Real* p, bool added);
};

} // namespace starling::cpu
