// A new order of rows that every row can compute for itself.
#pragma once

#include <starling/device.hpp>
#include <starling/random/philox.hpp>

#include <array>
#include <cstdint>

namespace starling {

/// A one-to-one map of 0 .. n-1 onto itself, drawn at (stream, step): a Feistel network of six
/// rounds on the least even number of bits that n needs, walked until it ends below n, which takes
/// fewer than four turns on average. It mixes well, but not every order can come up: for rows that
/// travel, not for batches, whose law must be exact.
class Scramble {
public:
  STARLING_DEVICE Scramble(std::uint32_t n, const Philox& philox, Stream stream, Step step)
      : n_(n) {
    while (std::uint64_t{1} << 2 * half_ < n)
      ++half_;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const Block bits = philox(stream, step, round);
      factor_[round] = (std::uint64_t{bits[1]} << 32 | bits[0]) | 1;
      shift_[round] = std::uint64_t{bits[3]} << 32 | bits[2];
    }
  }

  STARLING_DEVICE std::uint32_t operator()(std::uint32_t i) const {
    do
      i = turn(i);
    while (i >= n_);
    return i;
  }

private:
  static constexpr std::uint32_t rounds = 6;

  STARLING_DEVICE std::uint32_t turn(std::uint32_t i) const {
    const std::uint32_t low = static_cast<std::uint32_t>((std::uint64_t{1} << half_) - 1);
    std::uint32_t left = i >> half_, right = i & low;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      std::uint64_t mixed = (right + shift_[round]) * factor_[round];
      mixed ^= mixed >> 32;
      mixed *= 0x9E3779B97F4A7C15;
      const std::uint32_t next = left ^ (static_cast<std::uint32_t>(mixed >> 40) & low);
      left = right;
      right = next;
    }
    return left << half_ | right;
  }

  std::uint32_t n_, half_ = 1;
  std::array<std::uint64_t, rounds> factor_, shift_;
};

} // namespace starling
