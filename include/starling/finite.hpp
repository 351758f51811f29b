// Whether a column holds nothing but numbers.
#pragma once

#include <starling/threads.hpp>

#include <algorithm>
#include <atomic>
#include <span>

namespace starling {

/// v * 0 is 0 for numbers and NaN for the rest, so that a block needs one branch; several sums side by
/// side, since one would wait for itself. One pass, shared out.
template <typename Real>
bool all_finite(std::span<const Real> values, Threads& threads) {
  std::atomic<bool> sound{true};
  threads.for_pieces(values.size(), 32768, [&](std::size_t begin, std::size_t end) {
    Real sums[8] = {};
    std::size_t n = begin;
    for (; n + 8 <= end; n += 8)
      for (std::size_t lane = 0; lane < 8; ++lane)
        sums[lane] += values[n + lane] * 0;
    for (; n < end; ++n)
      sums[0] += values[n] * 0;
    if (std::any_of(sums, sums + 8, [](Real sum) { return sum != 0; }))
      sound.store(false, std::memory_order_relaxed);
  });
  return sound;
}

} // namespace starling
