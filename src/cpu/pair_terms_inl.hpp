// What every layout of the pair drift is made of: the terms of one pair, in vectors. See lanes.hpp
// for how it is compiled.
#pragma once

#include "cpu/lane_functions.hpp"
#include "cpu/pair_work.hpp"

namespace starling::cpu::STARLING_LEVEL {

/// r2 for kernels of the distance, x.y for dot kernels.
template <typename K, typename L>
HWY_INLINE PairWeights<L> ask(const K& kernel, const L& argument) {
  if constexpr (RadialKernel<K, L>)
    return kernel.at_distance(argument);
  else
    return kernel.at_product(argument);
}

/// F_ij's coefficient beside the weight: of (x_i - x_j) for radial kernels, of x_i for dot kernels.
template <Nature nature, typename L>
HWY_INLINE const L& slope(const PairWeights<L>& w) {
  if constexpr (radial(nature))
    return w.repulsion;
  else
    return w.lift;
}

/// Adds coordinate a of pair (i, j) to r2 or x.y.
template <Nature nature, typename L>
HWY_INLINE L gather_argument(const L& xi, const L& xj, const L& sum) {
  if constexpr (radial(nature)) {
    const L delta = xi - xj;
    return mul_add(delta, delta, sum);
  } else {
    return mul_add(xi, xj, sum);
  }
}

/// The force of j on i and of i on j in coordinate a, added to both sums: one kernel value for
/// both.
template <Nature nature, typename L>
HWY_INLINE void add_both(const L& weight, const L& slope, const L& xi, const L& xj, const L& si,
                         const L& sj, L& sum_i, L& sum_j) {
  if constexpr (radial(nature)) {
    const L push = slope * (xi - xj);
    sum_i = mul_add(weight, sj, sum_i + push);
    sum_j = mul_add(weight, si, sum_j - push);
  } else {
    sum_i = mul_add(slope, xi, mul_add(weight, sj, sum_i));
    sum_j = mul_add(slope, xj, mul_add(weight, si, sum_j));
  }
}

/// Weights and slopes of n pairs. The weight may replace its argument.
template <typename Real, typename K>
HWY_FLATTEN void weights(const K& given, const Real* argument, Real* weight, Real* push,
                         std::size_t n) {
  const K kernel = given;
  constexpr Nature nature = nature_of<Real, K>();
  using Four = Lanes<Real, 4>;
  using One = Lanes<Real>;
  std::size_t i = 0;
  const auto next = [&](const auto& in) STARLING_INLINE {
    const auto w = ask(kernel, in);
    w.weight.store(weight + i);
    if (push)
      slope<nature>(w).store(push + i);
  };
  for (; i + Four::count <= n; i += Four::count)
    next(Four::load(argument + i));
  for (; i + One::count <= n; i += One::count)
    next(One::load(argument + i));
  if (i < n) {
    const auto w = ask(kernel, One::load_some(argument + i, n - i));
    w.weight.store_some(weight + i, n - i);
    if (push)
      slope<nature>(w).store_some(push + i, n - i);
  }
}

} // namespace starling::cpu::STARLING_LEVEL
