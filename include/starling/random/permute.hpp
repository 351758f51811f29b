// Random order by address.
#pragma once

#include <starling/random/philox.hpp>

#include <span>
#include <utility>

namespace starling {

/// Brings the elements into an order drawn at (stream, step): every order is equally likely.
/// Fisher and Yates from the back. A place needs a number below at most n, so up to 4096 elements
/// half a word will do, and eight places share a block of random bits instead of four.
inline void permute(std::span<std::uint32_t> order, const Philox& philox, Stream stream, Step step) {
  const bool halves = order.size() <= 4096;
  const std::size_t shared = halves ? 8 : 4;
  std::uint64_t drawn = 0;
  for (std::size_t i = order.size(); i > 1;) {
    const Block bits = philox(stream, step, drawn / shared);
    for (std::size_t k = 0; k < shared && i > 1; ++k, --i, ++drawn) {
      const auto bound = static_cast<std::uint32_t>(i);
      const std::uint32_t pick =
          halves ? philox.below_16(bound, bits[k / 2] >> 16 * (k % 2) & 0xffff, stream, step, drawn)
                 : philox.below(bound, bits[k], stream, step, drawn);
      std::swap(order[i - 1], order[pick]);
    }
  }
}

} // namespace starling
