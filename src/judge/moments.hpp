// Sums over a column, in the order of its values.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace starling::judge {

inline constexpr double most_kurtosis = 30; // more, and mean and sd say little
inline constexpr double far_away = 6;       // robust sds: there is a far tail, or a stray

struct Moments {
  double mean = 0, squares = 0; ///< squares: the sum of the squared distances from the mean
  bool heavy = false;           ///< see heavy_tailed
};

/// Two passes. What does not wait for the values before is computed a few hundred at a time, in
/// vectors; the sums then wait each for itself alone.
inline Moments moments_of(std::span<const double> values) {
  constexpr std::size_t together = 256;
  const auto n = static_cast<double>(values.size());
  std::array<double, together> value{}, square{}, second{}, fourth{};
  const auto in_blocks = [&](auto&& work) {
    for (std::size_t from = 0; from < values.size(); from += together) {
      const std::size_t some = std::min(together, values.size() - from);
      std::copy_n(values.data() + from, some, value.begin());
      work(some);
    }
  };
  Moments all;
  in_blocks([&](std::size_t some) {
    for (std::size_t k = 0; k < together; ++k)
      value[k] /= n;
    for (std::size_t k = 0; k < some; ++k)
      all.mean += value[k];
  });
  double seconds = 0, fourths = 0;
  in_blocks([&, mean = all.mean](std::size_t some) {
    for (std::size_t k = 0; k < together; ++k) {
      square[k] = (value[k] - mean) * (value[k] - mean);
      second[k] = square[k] / n;
      fourth[k] = square[k] * square[k] / n;
    }
    for (std::size_t k = 0; k < some; ++k) {
      all.squares += square[k];
      seconds += second[k];
      fourths += fourth[k];
    }
  });
  all.heavy = fourths > most_kurtosis * seconds * seconds;
  return all;
}

} // namespace starling::judge
