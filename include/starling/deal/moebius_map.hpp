// A Moebius map of the projective line over F_q, its inverse, and the inverses modulo q.
#pragma once

#include <starling/device.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace starling {

/// x -> a + b/(x + c), or, when c is q, x -> a + b x; q is prime, a and c are below it, b is
/// between 1 and q - 1. Points are 0 .. q; q is infinity. `inverse` is the table of 1/x modulo q.
struct MoebiusMap {
  std::uint32_t q = 2, a = 0, b = 1, c = 0;
  std::uint32_t quotient = 0; ///< b 2^32 / q, by which products are reduced

  MoebiusMap() = default;
  MoebiusMap(std::uint32_t prime, std::uint32_t shift, std::uint32_t factor, std::uint32_t pole)
      : q(prime), a(shift), b(factor), c(pole),
        quotient(static_cast<std::uint32_t>((std::uint64_t{factor} << 32) / prime)) {}

  STARLING_DEVICE std::uint32_t operator()(std::uint32_t x, const std::uint32_t* inverse) const {
    if (x == q)
      return c == q ? q : a;
    if (c == q)
      return times(x);
    const std::uint32_t left = q - c; // x + c passes q here
    if (x == left || (c == 0 && x == 0))
      return q;
    return times(inverse[x < left ? x + c : x - left]);
  }

  /// The map that takes every point back.
  MoebiusMap backward(const std::uint32_t* inverse) const {
    if (c != q) // y = a + b/(x + c): x = -c + b/(y - a)
      return {q, (q - c) % q, b, (q - a) % q};
    const std::uint64_t share = inverse[b];
    return {q, static_cast<std::uint32_t>((q - a * share % q) % q), inverse[b], q};
  }

  /// The images of points [begin, end), all below q: a table read as it lies, and one product each.
  void fill(std::size_t begin, std::size_t end, const std::uint32_t* inverse,
            std::uint32_t* to) const {
    if (c == q)
      return multiply(
          begin, end, [](std::size_t x) { return static_cast<std::uint32_t>(x); }, to);
    const std::size_t turn = std::clamp<std::size_t>(q - c, begin, end);
    multiply(
        begin, turn, [from = inverse + c](std::size_t x) { return from[x]; }, to);
    multiply(
        turn, end, [inverse, less = q - c](std::size_t x) { return inverse[x - less]; },
        to + (turn - begin));
    if (const std::size_t pole = (q - c) % q; pole >= begin && pole < end)
      to[pole - begin] = q;
  }

  /// The largest prime below n, for n of at least 3.
  static std::uint32_t prime_below(std::size_t n) {
    auto q = static_cast<std::uint32_t>(n - 1);
    const auto is_prime = [](std::uint32_t m) {
      for (std::uint64_t f = 2; f * f <= m; ++f)
        if (m % f == 0)
          return false;
      return true;
    };
    while (!is_prime(q))
      --q;
    return q;
  }

  /// 1/x modulo q for every x; at 0 it is 0.
  static void put_inverses(std::uint32_t q, std::vector<std::uint32_t>& inverse) {
    inverse.resize(q);
    inverse[1] = 1; // 1/x = -(q div x) / (q mod x), modulo q
    for (std::uint32_t x = 2; x < q; ++x)
      inverse[x] = static_cast<std::uint32_t>(q - std::uint64_t{q / x} * inverse[q % x] % q);
  }

private:
  /// a + b v modulo q. The quotient by q is estimated from b / q, computed once (Shoup), and is at
  /// most one too small; the smaller of r and r - q, unsigned, is the remainder.
  STARLING_DEVICE std::uint32_t times(std::uint32_t v) const {
    const auto whole = static_cast<std::uint32_t>(std::uint64_t{quotient} * v >> 32);
    std::uint32_t r = b * v - whole * q;
    r = r - q < r ? r - q : r;
    r += a;
    return r - q < r ? r - q : r;
  }

  template <typename Value>
  void multiply(std::size_t begin, std::size_t end, Value value, std::uint32_t* to) const {
    const MoebiusMap own = *this; // a copy that the rows cannot overlap
    for (std::size_t x = begin; x < end; ++x)
      to[x - begin] = own.times(value(x));
  }
};

} // namespace starling
