// The pieces of work of the SIMD pair drift, as plain numbers and pointers: what crosses from the
// code compiled for every machine to the code compiled once per SIMD level.
#pragma once

#include "cpu/layouts.hpp"

#include <starling/kernel/concepts.hpp>

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

/// What a kernel looks at, and how its slope (repulsion, or lift) stands to its weight.
enum class Nature {
  distance,     ///< r2
  proportional, ///< r2, and the slope is a constant times the weight (the Gaussian)
  product       ///< x.y
};
constexpr bool radial(Nature nature) { return nature != Nature::product; }

template <typename Real, typename K>
constexpr Nature nature_of() {
  if (!RadialKernel<K, Real>)
    return Nature::product;
  return requires(const K& kernel) { kernel.repulsion_per_weight(); }
  ? Nature::proportional : Nature::distance;
}

/// What one level offers for one kernel and precision. The kernel comes without its type, so that
/// all who call these are compiled once and not for each kernel.
template <typename Real>
struct PairTable {
  std::size_t lanes;
  /// Small batches in few dimensions: one batch per lane, every pair computed once.
  void (*small)(const void* kernel, const BatchWork<Real>&);
  /// All pairs i < j inside rows [begin, end) of a panel, begin a multiple of `lanes`.
  void (*triangle)(const void* kernel, const PanelWork<Real>&, std::size_t begin, std::size_t end);
  /// All pairs of rows [begin, end) with rows [column, column_end), begin a multiple of `lanes`.
  void (*rectangle)(const void* kernel, const PanelWork<Real>&, std::size_t begin, std::size_t end,
                    std::size_t column, std::size_t column_end);
  /// Weight and slope of n pairs from r2 or x.y. The weight may replace its argument; without room
  /// for slopes they are not stored.
  void (*weights)(const void* kernel, const Real* argument, Real* weight, Real* slope,
                  std::size_t n);
};

/// The table of kernel K.
template <typename Real, typename K>
struct PairWork : PairTable<Real> {};

/// A kernel's weights, and the slope for each weight where that is a constant: all that many
/// dimensions ask of it.
template <typename Real>
struct Weights {
  const void* kernel;
  void (*of)(const void* kernel, const Real* argument, Real* weight, Real* slope, std::size_t n);
  Real ratio;
};

/// What one level offers in many dimensions for the kernels of one nature.
template <typename Real, Nature nature>
struct WideWork {
  /// A few members: lanes along the coordinates, rows taken where they lie.
  void (*rows)(const Weights<Real>&, const BatchWork<Real>&);
  /// More of them: small matrix products.
  void (*batches)(const Weights<Real>&, const BatchWork<Real>&);
};

} // namespace starling::cpu
