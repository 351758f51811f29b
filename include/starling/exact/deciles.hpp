// Deciles of a set of values.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace starling::exact {

inline constexpr std::size_t deciles = 9;
using Deciles = std::array<double, deciles>;

/// Of all these values; puts them into another order.
inline Deciles deciles_of(std::span<double> values) {
  Deciles found{};
  auto from = values.begin();
  for (std::size_t q = 0; q < deciles; ++q) {
    const auto place = values.begin() + std::ptrdiff_t((q + 1) * values.size() / (deciles + 1));
    if (place >= from) { // few values: two deciles may be the same one
      std::nth_element(from, place, values.end());
      from = place + 1;
    }
    found[q] = *place;
  }
  return found;
}

} // namespace starling::exact
