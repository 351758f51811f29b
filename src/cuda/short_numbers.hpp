// Numbers as the card's matrix units read them, and where they lie.
#pragma once

#include <starling/device.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace starling::cuda {

/// The upper sixteen bits of a float, rounded to the nearest, and back.
STARLING_DEVICE inline std::uint32_t short_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
STARLING_DEVICE inline float from_short(std::uint32_t half) {
  return std::bit_cast<float>(half << 16);
}

/// Rounded to eleven bits of mantissa, the first of them not written. A card's own NaN would come
/// out as zero.
STARLING_DEVICE inline float eleven_bits(float value) {
  return value != value
             ? value
             : std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) + 0x1000) & 0xffffe000);
}

/// At least the value afterwards, which is not negative: whoever comes first.
STARLING_DEVICE inline void raise(float* to, float value) {
#ifdef __CUDA_ARCH__
  atomicMax(reinterpret_cast<std::uint32_t*>(to),
            std::bit_cast<std::uint32_t>(value)); // NaN is above all numbers
#else
  if (*to == *to && !(value <= *to))
    *to = value;
#endif
}

/// The cloud by places, made for products.
struct Products {
  /// Squares of positions, from the center, that products can be trusted with: in bandwidths.
  static constexpr float trusted = 64;

  std::uint32_t width =
      0; ///< numbers of a row: the dimension, filled up with zeros to a multiple of eight
  std::uint32_t shares = 0; ///< in which the others of a batch are taken; 0: no products
  std::uint32_t *high = nullptr, *low = nullptr; ///< two short numbers a word
  float* pull = nullptr;                         ///< u = s - v/h
  float *norm = nullptr, *center = nullptr, *parts = nullptr, *largest = nullptr;

  STARLING_DEVICE std::uint32_t words() const { return (width + 15) / 16 * 8; }
  STARLING_DEVICE bool fit(float inverse) const { return *largest * inverse <= trusted; }
};

} // namespace starling::cuda
