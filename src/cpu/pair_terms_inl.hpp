// What every layout of the pair drift is made of: the terms of one pair, in vectors. See lanes.hpp for how it is compiled.
#pragma once

#include "cpu/lanes.hpp"
#include "cpu/pair_work.hpp"

#include <starling/kernel/concepts.hpp>

namespace starling::cpu::STARLING_LEVEL {

/// What one pair needs to know of the other: r2 for kernels of the distance, x.y for dot kernels.
template <typename K, typename Real>
inline constexpr bool radial = RadialKernel<K, Lanes<Real>>;

template <typename Real, typename K>
HWY_INLINE PairWeights<Lanes<Real>> ask(const K& kernel, Lanes<Real> argument) {
  if constexpr (radial<K, Real>)
    return kernel.at_distance(argument);
  else
    return kernel.at_product(argument);
}

/// F_ij's coefficient beside the weight: of (x_i - x_j) for radial kernels, of x_i for dot kernels.
template <typename K, typename Real>
HWY_INLINE Lanes<Real> slope(const PairWeights<Lanes<Real>>& w) {
  if constexpr (radial<K, Real>)
    return w.repulsion;
  else
    return w.lift;
}

/// Adds coordinate a of pair (i, j) to r2 or x.y.
template <typename K, typename Real>
HWY_INLINE Lanes<Real> gather_argument(Lanes<Real> xi, Lanes<Real> xj, Lanes<Real> sum) {
  if constexpr (radial<K, Real>) {
    const Lanes<Real> delta = xi - xj;
    return mul_add(delta, delta, sum);
  } else {
    return mul_add(xi, xj, sum);
  }
}

/// The force of j on i and of i on j in coordinate a, added to both sums: one kernel value for both.
template <typename K, typename Real>
HWY_INLINE void add_both(Lanes<Real> weight, Lanes<Real> slope, Lanes<Real> xi, Lanes<Real> xj,
                         Lanes<Real> si, Lanes<Real> sj, Lanes<Real>& sum_i, Lanes<Real>& sum_j) {
  if constexpr (radial<K, Real>) {
    const Lanes<Real> push = slope * (xi - xj);
    sum_i = mul_add(weight, sj, sum_i + push);
    sum_j = mul_add(weight, si, sum_j - push);
  } else {
    sum_i = mul_add(slope, xi, mul_add(weight, sj, sum_i));
    sum_j = mul_add(slope, xj, mul_add(weight, si, sum_j));
  }
}

template <typename Real, typename K>
void weights(const K& given, const Real* argument, Real* weight, Real* push, std::size_t n) {
  using L = Lanes<Real>;
  const K kernel = given;
  constexpr std::size_t lanes = L::count;
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto w = ask<Real>(kernel, L::load(argument + i));
    w.weight.store(weight + i);
    if (push)
      slope<K, Real>(w).store(push + i);
  }
  if (i < n) { // the rest, by way of a full vector
    Real in[lanes] = {}, out[lanes], out_push[lanes];
    for (std::size_t k = i; k < n; ++k)
      in[k - i] = argument[k];
    const auto w = ask<Real>(kernel, L::load(in));
    w.weight.store(out);
    slope<K, Real>(w).store(out_push);
    for (std::size_t k = i; k < n; ++k) {
      weight[k] = out[k - i];
      if (push)
        push[k] = out_push[k - i];
    }
  }
}

} // namespace starling::cpu::STARLING_LEVEL
