// Exponentials in vectors, as plain numbers and pointers.
#pragma once

#include <cstddef>

namespace starling::cpu {

template <typename Real>
struct ExpWork {
  void (*exponentials)(Real* z, std::size_t count); ///< in place; arguments up to 709, in float 88
};

} // namespace starling::cpu
