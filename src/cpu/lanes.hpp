// A vector of numbers that reads like a number, so that a kernel's formula serves both.
//
// This header and all that include it are compiled once per SIMD level, each time with that level's
// compiler flags and in a namespace of its own, STARLING_LEVEL. Nothing here may end up as a shared
// inline function of the standard library: the linker could keep the copy of the widest level.
#pragma once

#ifdef STARLING_SCALAR
#define HWY_COMPILE_ONLY_SCALAR
#else
#define HWY_COMPILE_ONLY_STATIC
#endif
#include <hwy/highway.h>

#include <cstddef>

/// After the parameters of a lambda: it is compiled into its caller, where vectors stay in
/// registers.
#define STARLING_INLINE HWY_ATTR __attribute__((always_inline))

namespace starling::cpu::STARLING_LEVEL {

namespace hn = hwy::HWY_NAMESPACE;

/// `Vectors` vectors side by side: what is done to one is done to the next before the first has to
/// be ready, so that none waits for itself.
template <typename Real, std::size_t Vectors = 1>
struct Lanes {
  using Number = Real;
  using Tag = hn::ScalableTag<Real>;
  using Vec = hn::Vec<Tag>;
  static constexpr std::size_t width = hn::MaxLanes(Tag()), count = Vectors * width;

  Vec v[Vectors];

  Lanes() = default;
  HWY_INLINE Lanes(Real number) {
    for (std::size_t k = 0; k < Vectors; ++k)
      v[k] = hn::Set(Tag(), number);
  }

  static HWY_INLINE Lanes load(const Real* from) {
    return made([&](std::size_t k) STARLING_INLINE { return hn::LoadU(Tag(), from + k * width); });
  }
  HWY_INLINE void store(Real* to) const {
    for (std::size_t k = 0; k < Vectors; ++k)
      hn::StoreU(v[k], Tag(), to + k * width);
  }
  /// The same for the first n numbers of one vector; the others are zero, and not stored.
  static HWY_INLINE Lanes load_some(const Real* from, std::size_t n) {
    static_assert(Vectors == 1);
    Real all[width] = {};
    for (std::size_t k = 0; k < width && k < n; ++k)
      all[k] = from[k];
    return load(all);
  }
  HWY_INLINE void store_some(Real* to, std::size_t n) const {
    static_assert(Vectors == 1);
    Real all[width];
    store(all);
    for (std::size_t k = 0; k < width && k < n; ++k)
      to[k] = all[k];
  }
  HWY_INLINE Real sum() const { return hn::GetLane(hn::SumOfLanes(Tag(), folded().v[0])); }
  /// The vectors added up to one.
  HWY_INLINE Lanes<Real> folded() const {
    Lanes<Real> all;
    all.v[0] = v[0];
    for (std::size_t k = 1; k < Vectors; ++k)
      all.v[0] = hn::Add(all.v[0], v[k]);
    return all;
  }
  /// Ones in the first n lanes, or in one lane alone; zeros elsewhere.
  static HWY_INLINE Lanes first(std::size_t n) {
    return made([&](std::size_t k) STARLING_INLINE {
      const std::size_t here = n < k * width ? 0 : n - k * width;
      return hn::IfThenElseZero(hn::FirstN(Tag(), here), hn::Set(Tag(), Real(1)));
    });
  }
  static HWY_INLINE Lanes only(std::size_t n) { return first(n + 1) - first(n); }
  /// The vectors that `one(k)` gives.
  template <typename One>
  static HWY_INLINE Lanes made(One one) {
    Lanes out;
    for (std::size_t k = 0; k < Vectors; ++k)
      out.v[k] = one(k);
    return out;
  }

  friend HWY_INLINE Lanes operator+(const Lanes& a, const Lanes& b) {
    return made([&](std::size_t k) STARLING_INLINE { return hn::Add(a.v[k], b.v[k]); });
  }
  friend HWY_INLINE Lanes operator-(const Lanes& a, const Lanes& b) {
    return made([&](std::size_t k) STARLING_INLINE { return hn::Sub(a.v[k], b.v[k]); });
  }
  friend HWY_INLINE Lanes operator*(const Lanes& a, const Lanes& b) {
    return made([&](std::size_t k) STARLING_INLINE { return hn::Mul(a.v[k], b.v[k]); });
  }
  friend HWY_INLINE Lanes operator-(const Lanes& a) {
    return made([&](std::size_t k) STARLING_INLINE { return hn::Neg(a.v[k]); });
  }
  friend HWY_INLINE Lanes operator/(const Lanes& a, const Lanes& b) {
    return made([&](std::size_t k) STARLING_INLINE { return hn::Div(a.v[k], b.v[k]); });
  }
  friend HWY_INLINE Lanes sqrt(const Lanes& a) {
    return made([&](std::size_t k) STARLING_INLINE { return hn::Sqrt(a.v[k]); });
  }
};

/// a * b + c, fused where the machine can.
template <typename Real, std::size_t V>
HWY_INLINE Lanes<Real, V> mul_add(const Lanes<Real, V>& a, const Lanes<Real, V>& b,
                                  const Lanes<Real, V>& c) {
  return Lanes<Real, V>::made([&](std::size_t k)
                                  STARLING_INLINE { return hn::MulAdd(a.v[k], b.v[k], c.v[k]); });
}
/// c - a * b.
template <typename Real, std::size_t V>
HWY_INLINE Lanes<Real, V> mul_sub_from(const Lanes<Real, V>& a, const Lanes<Real, V>& b,
                                       const Lanes<Real, V>& c) {
  return Lanes<Real, V>::made(
      [&](std::size_t k) STARLING_INLINE { return hn::NegMulAdd(a.v[k], b.v[k], c.v[k]); });
}

/// a held between two limits; NaN stays NaN.
template <typename Real, std::size_t V>
HWY_INLINE Lanes<Real, V> at_most(const Lanes<Real, V>& a, Real limit) {
  const auto most = hn::Set(hn::ScalableTag<Real>(), limit);
  return Lanes<Real, V>::made([&](std::size_t k) STARLING_INLINE {
    return hn::IfThenElse(hn::Lt(most, a.v[k]), most, a.v[k]);
  });
}

template <typename Real, std::size_t V>
HWY_INLINE Lanes<Real, V> at_least(const Lanes<Real, V>& a, Real limit) {
  const auto least = hn::Set(hn::ScalableTag<Real>(), limit);
  return Lanes<Real, V>::made([&](std::size_t k) STARLING_INLINE {
    return hn::IfThenElse(hn::Lt(a.v[k], least), least, a.v[k]);
  });
}

template <typename Real, std::size_t V>
HWY_INLINE Lanes<Real, V> larger(const Lanes<Real, V>& a, const Lanes<Real, V>& b) {
  return Lanes<Real, V>::made([&](std::size_t k)
                                  STARLING_INLINE { return hn::Max(a.v[k], b.v[k]); });
}

/// out[i] = f(in[i] ...), several vectors at a time; the rest one by one, the last by way of a full
/// one.
template <std::size_t Vectors, typename Real, typename F, typename... In>
HWY_INLINE void map(Real* out, std::size_t count, const F& f, const In*... in) {
  using Many = Lanes<Real, Vectors>;
  using One = Lanes<Real>;
  std::size_t i = 0;
  for (; i + Many::count <= count; i += Many::count)
    f(Many::load(in + i)...).store(out + i);
  for (; i + One::count <= count; i += One::count)
    f(One::load(in + i)...).store(out + i);
  if (i < count)
    f(One::load_some(in + i, count - i)...).store_some(out + i, count - i);
}

} // namespace starling::cpu::STARLING_LEVEL
