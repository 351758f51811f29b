// Compiled once per SIMD level and kernel, with that level's flags: exports its pair work.
#include "cpu/made.hpp"
#include "cpu/pair_work_inl.hpp"

#include <starling/kernel/all.hpp>

namespace starling::cpu::STARLING_LEVEL {

template <typename Real, typename K>
inline constexpr PairWork<Real, K> made<PairWork<Real, K>> = pair_work<Real, K>;

template const PairWork<double, kernel::STARLING_KERNEL<double>>& work_for();
template const PairWork<float, kernel::STARLING_KERNEL<float>>& work_for();

} // namespace starling::cpu::STARLING_LEVEL
