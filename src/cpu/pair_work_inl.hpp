// The tables of pair work of one SIMD level. See lanes.hpp for how it is compiled.
#pragma once

#include "cpu/panel_inl.hpp"
#include "cpu/small_batches_inl.hpp"

namespace starling::cpu::STARLING_LEVEL {

/// A function of a kernel and what else there is, as one of a kernel without its type.
template <typename K, auto work>
struct Untyped;
template <typename K, typename... Rest, void (*work)(const K&, Rest...)>
struct Untyped<K, work> {
  static void call(const void* kernel, Rest... rest) {
    work(*static_cast<const K*>(kernel), rest...);
  }
};

template <typename Real, typename K>
inline constexpr PairWork<Real, K> pair_work = {
    {Lanes<Real>::count, Untyped<K, small<Real, K>>::call, Untyped<K, triangle<Real, K>>::call,
     Untyped<K, rectangle<Real, K>>::call, Untyped<K, weights<Real, K>>::call}};

} // namespace starling::cpu::STARLING_LEVEL
