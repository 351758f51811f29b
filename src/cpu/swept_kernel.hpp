// A kernel as a sweep asks for it, its type left behind: layouts are compiled once for all kernels.
#pragma once

#include "cpu/levels.hpp"

#include <starling/batches.hpp>
#include <starling/drift/part.hpp>
#include <starling/ensemble.hpp>
#include <starling/kernel/concepts.hpp>
#include <starling/threads.hpp>

#include <span>

namespace starling::cpu {

/// It refers to the kernel, and belongs to the level in use when it was made.
template <typename Real>
struct SweptKernel {
  const PairTable<Real>* table;
  void (*wide_rows)(const Weights<Real>&, const BatchWork<Real>&);
  void (*wide_batches)(const Weights<Real>&, const BatchWork<Real>&);
  Nature nature;
  Weights<Real> weights;
  PairWeights<Real> (*self_of)(const void* kernel, Real product);

  const void* kernel() const { return weights.kernel; }
  /// At distance zero, from x.x.
  PairWeights<Real> self_weights(Real product) const { return self_of(kernel(), product); }
  /// h times a constant: the r2 over which a kernel of the distance changes, K / (-2 f') at zero.
  Real squared_length() const {
    const PairWeights<Real> top = self_weights(Real(0));
    return top.weight / top.repulsion;
  }
};

template <typename Real, typename K>
SweptKernel<Real> swept(const K& kernel) {
  constexpr Nature nature = nature_of<Real, K>();
  const PairTable<Real>& table = work_in_use<PairWork<Real, K>>();
  const auto& wide = work_in_use<WideWork<Real, nature>>();
  Real ratio = 0;
  if constexpr (nature == Nature::proportional)
    ratio = kernel.repulsion_per_weight();
  return {&table,
          wide.rows,
          wide.batches,
          nature,
          {&kernel, table.weights, ratio},
          [](const void* one, Real product) {
            return pair_weights(*static_cast<const K*>(one), Real(0), product);
          }};
}

template <typename Real>
struct SweptTerm {
  SweptKernel<Real> kernel;
  Part<Real> part;
};

/// Adds the terms up in their order; each but the first is added. Defined for double and float.
template <typename Real>
void sweep_terms(std::span<const SweptTerm<Real>> terms, Ensemble<Real>& particles,
                 const Batches& batches, Threads& threads);

} // namespace starling::cpu
