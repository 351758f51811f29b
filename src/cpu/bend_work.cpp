// Fits and curves of bends at the SIMD level in use.
#include "cpu/bend_work.hpp"

#include "cpu/levels.hpp"

namespace starling::cpu {

const BendWork& bend_work_in_use() { return work_in_use<BendWork>(); }

} // namespace starling::cpu
