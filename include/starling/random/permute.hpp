// Random order by address.
#pragma once

#include <starling/random/philox.hpp>

#include <algorithm>
#include <span>
#include <utility>

namespace starling {

/// Brings the elements into an order drawn at (stream, step): every order is equally likely.
/// Fisher and Yates from the back. A place needs a number below at most n, so up to 4096 elements
/// half a word will do, and eight places share a block of random bits instead of four. Blocks are
/// drawn sixteen at a time: they do not depend on each other, so the processor overlaps them.
inline void permute(std::span<std::uint32_t> order, const Philox& philox, Stream stream,
                    Step step) {
  constexpr std::size_t blocks = 16;
  const bool halves = order.size() <= 4096;
  std::uint32_t words[4 * blocks];
  std::uint64_t drawn = 0, next = 0;
  for (std::size_t i = order.size(); i > 1;) {
    const std::size_t wanted = std::min(blocks, (i - 2) / (halves ? 8 : 4) + 1);
    for (std::size_t b = 0; b < wanted; ++b) {
      const Block bits = philox(stream, step, next++);
      std::copy(bits.begin(), bits.end(), words + 4 * b);
    }
    for (std::size_t w = 0; w < 4 * wanted && i > 1; ++w) {
      const auto take = [&](std::uint32_t pick) {
        --i;
        ++drawn;
        std::swap(order[i], order[pick]);
      };
      if (halves) {
        take(
            philox.below_16(static_cast<std::uint32_t>(i), words[w] & 0xffff, stream, step, drawn));
        if (i > 1)
          take(philox.below_16(static_cast<std::uint32_t>(i), words[w] >> 16, stream, step, drawn));
      } else {
        take(philox.below(static_cast<std::uint32_t>(i), words[w], stream, step, drawn));
      }
    }
  }
}

} // namespace starling
