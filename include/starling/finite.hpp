// Whether a column holds nothing but numbers.
#pragma once

#include <starling/threads.hpp>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

namespace starling {

/// Infinities and NaN are the numbers whose exponent is all ones: one more in its lowest place
/// carries into the sign, and the signs of a block are gathered in one word. No branch and no sum
/// that waits for itself, so that any compiler makes vectors of it. One pass, shared out.
template <typename Real>
bool all_finite(std::span<const Real> values, Threads& threads) {
  using Bits = std::conditional_t<sizeof(Real) == 8, std::uint64_t, std::uint32_t>;
  constexpr Bits one = Bits{1} << (std::numeric_limits<Real>::digits - 1),
                 sign = Bits{1} << (8 * sizeof(Bits) - 1);
  constexpr Bits exponent = sign - one;
  static_assert(std::numeric_limits<Real>::is_iec559);
  std::atomic<bool> sound{true};
  threads.for_pieces(values.size(), 32768, [&](std::size_t begin, std::size_t end) {
    Bits carried = 0;
    for (std::size_t n = begin; n < end; ++n) {
      Bits bits;
      std::memcpy(
          &bits, &values[n],
          sizeof bits); // not every library has std::bit_cast: that of the live page has not
      carried |= (bits & exponent) + one;
    }
    if (carried & sign)
      sound.store(false, std::memory_order_relaxed);
  });
  return sound;
}

} // namespace starling
