// SIMD levels: which ones this build has, which the machine can run, and which is in use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace starling::cpu {

/// The levels of this build that this machine can run, narrowest first: "scalar" is always one of
/// them; "neon" on ARM; "avx2" and "avx512" on x86-64.
std::vector<std::string> levels();

/// The level in use: the widest, unless another was forced.
std::string level();

/// Uses that level from now on, in the whole process. Throws invalid_argument if it is not there.
/// Not to be called while a sweep is under way.
void force_level(std::string_view name);

} // namespace starling::cpu
