// The table of pair work of one SIMD level. See lanes.hpp for how it is compiled.
#pragma once

#include "cpu/panel_inl.hpp"
#include "cpu/small_batches_inl.hpp"
#include "cpu/wide_batches_inl.hpp"
#include "cpu/wide_rows_inl.hpp"

namespace starling::cpu::STARLING_LEVEL {

template <typename Real, typename K>
inline constexpr PairWork<Real, K> pair_work = {
    Lanes<Real>::count, small<Real, K>, wide_rows<Real, K>, wide_batches<Real, K>, triangle<Real, K>, rectangle<Real, K>,
    weights<Real, K>};

} // namespace starling::cpu::STARLING_LEVEL
