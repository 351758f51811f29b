// Compiled once per SIMD level and kernel, with that level's flags: exports its pair work. Without
// STARLING_KERNEL: that of all kernels.
#include "cpu/made.hpp"
#include "cpu/pair_work_inl.hpp"

#include <starling/kernel/all.hpp>

namespace starling::cpu::STARLING_LEVEL {

template <typename Real, typename K>
inline constexpr PairWork<Real, K> made<PairWork<Real, K>> = pair_work<Real, K>;

#define STARLING_EXPORT(K)                                                                         \
  template const PairWork<double, kernel::K<double>>& work_for();                                  \
  template const PairWork<float, kernel::K<float>>& work_for();
#ifdef STARLING_KERNEL
STARLING_EXPORT(STARLING_KERNEL)
#else
STARLING_VECTOR_KERNELS(STARLING_EXPORT)
#endif
#undef STARLING_EXPORT

} // namespace starling::cpu::STARLING_LEVEL
