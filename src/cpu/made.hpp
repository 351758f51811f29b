// The functions of one SIMD level that make up a struct of work. See lanes.hpp for how it is
// compiled.
#pragma once

#include "cpu/levels.hpp"

namespace starling::cpu::STARLING_LEVEL {

/// Specialised where the functions are; see levels.hpp for who asks.
template <typename W>
inline constexpr W made = {};

template <typename W>
const W& work_for() {
  return made<W>;
}

} // namespace starling::cpu::STARLING_LEVEL
