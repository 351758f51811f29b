// Pearson's chi-square of counts that should all be equal, in standard errors.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace starling::support {

/// (X2 - f) / sqrt(2 f), f = cells - 1: about standard normal when every cell is equally likely,
/// with a somewhat heavier upper tail for few cells. Large: not uniform. Below -4: too good to be
/// random.
inline double chi_square_excess(const std::vector<std::size_t>& counts) {
  double total = 0, sum = 0;
  for (const std::size_t count : counts)
    total += static_cast<double>(count);
  const double expected = total / static_cast<double>(counts.size());
  for (const std::size_t count : counts) {
    const double off = static_cast<double>(count) - expected;
    sum += off * off / expected;
  }
  const auto freedom = static_cast<double>(counts.size() - 1);
  return (sum - freedom) / std::sqrt(2 * freedom);
}

} // namespace starling::support
