// Philox4x32-10: random bits as a pure function of an address (seed, stream, step, index).
//
// Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3" (SC 2011). There is no
// generator state, so results do not depend on who draws first, on threads or on ranks.
#pragma once

#include <starling/device.hpp>
#include <starling/error.hpp>
#include <starling/random/stream.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace starling {

/// 128 random bits.
using Block = std::array<std::uint32_t, 4>;

/// The bare bijection: ten rounds on a 128-bit counter under a 64-bit key.
STARLING_DEVICE constexpr Block philox4x32_10(Block counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

/// 64 bits, for a seed.
constexpr std::uint64_t whole_word(const Block& bits) {
  return std::uint64_t{bits[0]} << 32 | bits[1];
}

/// Uniform on (0, 1), never 0 or 1, from 52 of the bits; `half` is 0 or 1.
STARLING_DEVICE constexpr double uniform(const Block& bits, int half = 0) {
  const auto at = static_cast<std::size_t>(2 * half);
  const std::uint64_t word = std::uint64_t{bits[at + 1]} << 32 | bits[at];
  return (static_cast<double>(word >> 12) + 0.5) * 0x1.0p-52;
}

/// Two independent standard normals (Box and Muller).
STARLING_DEVICE inline std::array<double, 2> normal_pair(const Block& bits) {
  const double radius = std::sqrt(-2.0 * std::log(uniform(bits, 0)));
  const double angle = 2.0 * std::numbers::pi * uniform(bits, 1);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

/// A seed, ready to be asked for the bits at any address.
class Philox {
public:
  STARLING_DEVICE explicit Philox(std::uint64_t seed)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)} {}

  STARLING_DEVICE const std::array<std::uint32_t, 2>& key() const { return key_; }

  /// The block at (stream, step, index); index below 2^48. `attempt` tells redraws apart.
  STARLING_DEVICE Block operator()(Stream stream, Step step, std::uint64_t index,
                                   std::uint8_t attempt = 0) const {
    return philox4x32_10({static_cast<std::uint32_t>(index),
                          static_cast<std::uint32_t>(index >> 32) << 16 |
                              std::uint32_t{attempt} << 8 | static_cast<std::uint32_t>(stream),
                          static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32)},
                         key_);
  }

  /// Uniform on 0 .. bound-1, exactly (Lemire's multiplication with rejection). Four consecutive
  /// indices share one block; a rejected word, of probability below bound / 2^32, is drawn anew
  /// from a block of its own.
  STARLING_DEVICE std::uint32_t below(std::uint32_t bound, Stream stream, Step step,
                                      std::uint64_t index) const {
    const Block bits = (*this)(stream, step, index / 4);
    return below(bound, bits[index % 4], stream, step, index);
  }

  /// The same, with the word at that index already at hand.
  STARLING_DEVICE std::uint32_t below(std::uint32_t bound, std::uint32_t word, Stream stream,
                                      Step step, std::uint64_t index) const {
    std::uint64_t product = std::uint64_t{word} * bound;
    if (static_cast<std::uint32_t>(product) < bound) [[unlikely]] {
      const std::uint32_t threshold = (0u - bound) % bound;
      for (std::uint8_t attempt = 1; static_cast<std::uint32_t>(product) < threshold; ++attempt)
        product = std::uint64_t{(*this)(stream, step, index, attempt)[0]} * bound;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  /// The same from 16 bits, for bounds up to 2^16; a rejected word is replaced by 32 bits.
  STARLING_DEVICE std::uint32_t below_16(std::uint32_t bound, std::uint32_t word, Stream stream,
                                         Step step, std::uint64_t index) const {
    const std::uint32_t product = word * bound, low = product & 0xffff;
    if (low < bound) [[unlikely]]
      if (low < (0x10000 - bound) % bound) // the last 2^16 mod bound words would be one too many
        return below(bound, (*this)(stream, step, index, 0xff)[0], stream, step, index);
    return product >> 16;
  }

private:
  std::array<std::uint32_t, 2> key_;
};

} // namespace starling
