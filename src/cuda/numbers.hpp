// Numbers that a thread takes at once.
#pragma once

#include <starling/device.hpp>

#include <cstdint>

namespace starling::cuda {

/// Numbers that lie together, read and written at once, as far as they fit into 16 bytes: 1, 2
/// or 4.
template <typename Real, std::uint32_t n>
struct alignas(n * sizeof(Real) < 16 ? n * sizeof(Real) : 16) Numbers {
  Real of[n];
};
template <std::uint32_t n, typename Real>
STARLING_DEVICE Numbers<Real, n>& numbers(Real* at) {
  return *reinterpret_cast<Numbers<Real, n>*>(at);
}

} // namespace starling::cuda
