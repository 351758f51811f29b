// The pieces of work of the SIMD pair drift, as plain numbers and pointers: what crosses from the
// code compiled for every machine to the code compiled once per SIMD level.
#pragma once

#include "cpu/layouts.hpp"

#include <cstddef>
#include <cstdint>

namespace starling::cpu {

/// Batches of equal size, in row-major columns: row order[q * size + k] is member k of batch q.
template <typename Real>
struct BatchWork {
  const Real* x;
  const Real* s;
  Real* phi;
  std::size_t dim;
  const std::uint32_t* order;
  std::size_t size;  ///< members of each batch
  std::size_t count; ///< batches
  Real pair, self;   ///< the weights of the paper for this size
  bool added;        ///< to what phi holds, or written over it (small: always written)
  Real* room;        ///< for wide_batches: wide_room numbers
};

/// One batch laid out coordinate by coordinate: coordinate a of member i is x[a * stride + i].
/// Rows past `size`, up to the stride, may be read but mean nothing.
template <typename Real>
struct PanelWork {
  const Real* x;
  const Real* s;
  Real* sum; ///< sum over the others of F(x_i, x_j), added to
  std::size_t dim, stride, size;
  Real* scratch; ///< room for panel_columns * dim vectors
};

/// Numbers that wide_batches needs: positions, mixed scores, weights and slopes of all pairs,
/// and drifts that are added.
constexpr std::size_t wide_room(std::size_t size, std::size_t dim) {
  return (3 * size + 1) * (dim + 4 * widest) + 2 * size * size + 3 * size * (size + 1) / 2 + size;
}

/// What one level offers for one kernel and precision.
template <typename Real, typename K>
struct PairWork {
  std::size_t lanes;
  /// Small batches in few dimensions: one batch per lane, every pair computed once.
  void (*small)(const K&, const BatchWork<Real>&);
  /// A few members in many dimensions: lanes along the coordinates, rows taken where they lie.
  void (*wide_rows)(const K&, const BatchWork<Real>&);
  /// More of them: small matrix products.
  void (*wide_batches)(const K&, const BatchWork<Real>&);
  /// All pairs i < j inside rows [begin, end) of a panel, begin a multiple of `lanes`.
  void (*triangle)(const K&, const PanelWork<Real>&, std::size_t begin, std::size_t end);
  /// All pairs of rows [begin, end) with rows [column, column_end), begin a multiple of `lanes`.
  void (*rectangle)(const K&, const PanelWork<Real>&, std::size_t begin, std::size_t end,
                    std::size_t column, std::size_t column_end);
  /// Weight and slope (repulsion, or lift) of n pairs from r2 (radial) or x.y (dot kernels). The weight
  /// may replace its argument; without room for slopes they are not stored.
  void (*weights)(const K&, const Real* argument, Real* weight, Real* slope, std::size_t n);
};

} // namespace starling::cpu
