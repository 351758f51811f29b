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

namespace starling::cpu::STARLING_LEVEL {

namespace hn = hwy::HWY_NAMESPACE;

template <typename Real>
struct Lanes {
  using Tag = hn::ScalableTag<Real>;
  using Vec = hn::Vec<Tag>;
  static constexpr std::size_t count = hn::MaxLanes(Tag());

  Vec v;

  Lanes() = default;
  HWY_INLINE Lanes(Real number) : v(hn::Set(Tag(), number)) {}
  HWY_INLINE explicit Lanes(Vec vector, int) : v(vector) {}

  static HWY_INLINE Lanes load(const Real* from) { return Lanes(hn::LoadU(Tag(), from), 0); }
  HWY_INLINE void store(Real* to) const { hn::StoreU(v, Tag(), to); }
  HWY_INLINE Real sum() const { return hn::GetLane(hn::SumOfLanes(Tag(), v)); }

  friend HWY_INLINE Lanes operator+(Lanes a, Lanes b) { return Lanes(hn::Add(a.v, b.v), 0); }
  friend HWY_INLINE Lanes operator-(Lanes a, Lanes b) { return Lanes(hn::Sub(a.v, b.v), 0); }
  friend HWY_INLINE Lanes operator*(Lanes a, Lanes b) { return Lanes(hn::Mul(a.v, b.v), 0); }
  friend HWY_INLINE Lanes operator/(Lanes a, Lanes b) { return Lanes(hn::Div(a.v, b.v), 0); }
  friend HWY_INLINE Lanes operator-(Lanes a) { return Lanes(hn::Neg(a.v), 0); }
  friend HWY_INLINE Lanes sqrt(Lanes a) { return Lanes(hn::Sqrt(a.v), 0); }
};

/// a * b + c, fused where the machine can.
template <typename Real>
HWY_INLINE Lanes<Real> mul_add(Lanes<Real> a, Lanes<Real> b, Lanes<Real> c) {
  return Lanes<Real>(hn::MulAdd(a.v, b.v, c.v), 0);
}
/// c - a * b.
template <typename Real>
HWY_INLINE Lanes<Real> mul_sub_from(Lanes<Real> a, Lanes<Real> b, Lanes<Real> c) {
  return Lanes<Real>(hn::NegMulAdd(a.v, b.v, c.v), 0);
}

template <typename Real>
struct ExpTable;

// exp(r) = 1 + r + r^2 q(r) on |r| <= ln(2)/2. The coefficients of q minimise the largest relative
// error: 3.7e-18 in double, 3.1e-9 in float.
template <>
struct ExpTable<double> {
  static constexpr int terms = 10;
  static constexpr double q[terms] = {
      0x1.000000000000ap-1,  0x1.55555555554fap-3,  0x1.555555555087cp-5,  0x1.1111111127be5p-7,
      0x1.6c16c1842a11dp-10, 0x1.a01a012a57b51p-13, 0x1.a0199a0c677acp-16, 0x1.71df2552390c2p-19,
      0x1.28ad72cc30daap-22, 0x1.ad7f6f0799ee2p-26};
  static constexpr double per_ln2 = 0x1.71547652b82fep0;
  static constexpr double ln2_high = 0x1.62e42fefa3800p-1, ln2_low = 0x1.ef35793c76730p-45;
  static constexpr double lowest = -708.0, highest = 709.0;
  static constexpr double shifter = 0x1.8p52; // adding it leaves the nearest integer in the low bits
  static constexpr int mantissa = 52;
};
template <>
struct ExpTable<float> {
  static constexpr int terms = 5;
  static constexpr float q[terms] = {0.499999934478f, 0.166665206317f, 0.0416683880453f,
                                     0.00836871687973f, 0.00138145986467f};
  static constexpr float per_ln2 = 0x1.715476p0f;
  static constexpr float ln2_high = 0x1.62e400p-1f, ln2_low = 0x1.7f7d1cp-20f;
  static constexpr float lowest = -87.0f, highest = 88.0f;
  static constexpr float shifter = 0x1.8p23f;
  static constexpr int mantissa = 23;
};

/// q(r) in pairs of terms (Estrin): half as deep as one after the other, so that a vector does not
/// wait for itself.
HWY_INLINE Lanes<double> exp_polynomial(Lanes<double> r, Lanes<double> r2) {
  using L = Lanes<double>;
  constexpr const double* q = ExpTable<double>::q;
  const L r4 = r2 * r2;
  const L q01 = mul_add(L(q[1]), r, L(q[0])), q23 = mul_add(L(q[3]), r, L(q[2]));
  const L q45 = mul_add(L(q[5]), r, L(q[4])), q67 = mul_add(L(q[7]), r, L(q[6]));
  const L q89 = mul_add(L(q[9]), r, L(q[8]));
  const L low = mul_add(q23, r2, q01), middle = mul_add(q67, r2, q45);
  return mul_add(mul_add(q89, r4, middle), r4, low);
}
HWY_INLINE Lanes<float> exp_polynomial(Lanes<float> r, Lanes<float> r2) {
  using L = Lanes<float>;
  constexpr const float* q = ExpTable<float>::q;
  const L q01 = mul_add(L(q[1]), r, L(q[0])), q23 = mul_add(L(q[3]), r, L(q[2]));
  return mul_add(mul_add(L(q[4]), r2, q23), r2, q01);
}

/// The smaller of a and a limit; NaN stays NaN.
template <typename Real>
HWY_INLINE Lanes<Real> at_most(Lanes<Real> a, Real limit) {
  const Lanes<Real> most(limit);
  return Lanes<Real>(hn::IfThenElse(hn::Lt(most.v, a.v), most.v, a.v), 0);
}

/// e^a to 2 ulp for a <= 709 (double), 88 (float), which the caller sees to; zero below -708 (-87),
/// NaN for NaN.
template <typename Real>
HWY_INLINE Lanes<Real> exp(Lanes<Real> x) {
  using T = ExpTable<Real>;
  using L = Lanes<Real>;
  const hn::RebindToSigned<typename L::Tag> bits;
  // x = n ln 2 + r, with n the nearest integer, kept in the low bits of `shifted` as well.
  const L shifted = mul_add(x, L(T::per_ln2), L(T::shifter));
  const L n = shifted - L(T::shifter);
  const L r = mul_sub_from(n, L(T::ln2_low), mul_sub_from(n, L(T::ln2_high), x));
  const L r2 = r * r;
  const L p = mul_add(r2, exp_polynomial(r, r2), r) + L(Real(1));
  // times 2^n: n goes into the exponent
  const auto scaled = hn::Add(hn::BitCast(bits, p.v),
                              hn::ShiftLeft<T::mantissa>(hn::BitCast(bits, shifted.v)));
  const auto value = hn::BitCast(typename L::Tag(), scaled);
  return L(hn::IfThenZeroElse(hn::Lt(x.v, L(T::lowest).v), value), 0);
}

} // namespace starling::cpu::STARLING_LEVEL
