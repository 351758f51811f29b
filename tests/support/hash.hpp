// A 64-bit hash of numbers by their bits (FNV-1a): two runs agree bit for bit, or they do not.
#pragma once

#include <starling/rows.hpp>

#include <cstdint>
#include <cstring>

namespace starling::support {

template <typename Real>
std::uint64_t hash_of(Rows<const Real> x) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const Real value : x) {
    unsigned char bytes[sizeof(Real)];
    std::memcpy(bytes, &value, sizeof value);
    for (const unsigned char byte : bytes)
      hash = (hash ^ byte) * 0x100000001b3;
  }
  return hash;
}

template <typename Real>
std::uint64_t hash_of(Rows<Real> x) {
  return hash_of(Rows<const Real>(x));
}

} // namespace starling::support
