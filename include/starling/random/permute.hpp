// Random order by address.
#pragma once

#include <starling/random/philox.hpp>

#include <span>
#include <utility>

namespace starling {

/// Brings the elements into an order drawn at (stream, step): every order is equally likely.
/// Fisher and Yates from the back; four places share a block of random bits.
inline void permute(std::span<std::uint32_t> order, const Philox& philox, Stream stream, Step step) {
  Block bits{};
  std::size_t drawn = 0;
  for (std::size_t i = order.size(); i > 1; --i, ++drawn) {
    if (drawn % 4 == 0)
      bits = philox(stream, step, drawn / 4);
    const auto bound = static_cast<std::uint32_t>(i);
    std::swap(order[i - 1], order[philox.below(bound, bits[drawn % 4], stream, step, drawn)]);
  }
}

} // namespace starling
