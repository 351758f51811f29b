// Functions of vectors: root, exp and sigmoid. See lanes.hpp for how it is compiled.
#pragma once

#include "cpu/lanes.hpp"

namespace starling::cpu::STARLING_LEVEL {

#if HWY_TARGET == HWY_AVX3
/// sqrt(a) as the machine rounds it, from its estimate of 1/sqrt(a) (14 bits, doubled by each of
/// two Newton steps) and the exact remainder a - g^2. What that leaves is 2^-50 of the last place,
/// so of 10^15 roots one may be rounded the other way. Only for numbers between 1e-280 and 1e280.
HWY_INLINE hn::Vec<hn::ScalableTag<double>> root_by_steps(hn::Vec<hn::ScalableTag<double>> a) {
  const hn::ScalableTag<double> tag;
  const auto half = hn::Set(tag, 0.5), e = decltype(a){_mm512_rsqrt14_pd(a.raw)};
  auto g = hn::Mul(a, e), h = hn::Mul(half, e); // towards sqrt(a) and 1 / (2 sqrt(a))
  for (int n = 0; n < 2; ++n) {
    const auto off = hn::NegMulAdd(g, h, half);
    g = hn::MulAdd(g, off, g);
    h = hn::MulAdd(h, off, h);
  }
  return hn::MulAdd(hn::NegMulAdd(g, g, a), h, g);
}
#endif

/// sqrt(a) to 2 ulp for use beside a quotient: where one unit both divides and takes roots, a dozen
/// cycles a vector, this goes round it by Newton steps from the machine's estimate of 1/sqrt(a) (8
/// bits, doubled by each). Zero for 0.
template <typename Real, std::size_t V>
HWY_INLINE Lanes<Real, V> root(const Lanes<Real, V>& a) {
#if HWY_TARGET == HWY_NEON
  using L = Lanes<Real, V>;
  using Vec = typename L::Vec;
  constexpr bool wide = sizeof(Real) == 8;
  // A finite estimate that is not 0, so that infinity has its root.
  const L some = at_most(at_least(a, wide ? Real(1e-290) : Real(1e-36)),
                         wide ? Real(1.7976931348623157e308) : Real(3.4028234e38));
  L e = L::made([&](std::size_t k) STARLING_INLINE {
    if constexpr (wide)
      return Vec(vrsqrteq_f64(some.v[k].raw));
    else
      return Vec(vrsqrteq_f32(some.v[k].raw));
  });
  for (int n = 0; n < (wide ? 3 : 2); ++n) {
    const L e2 = e * e;
    e = e * L::made([&](std::size_t k) STARLING_INLINE {
          if constexpr (wide)
            return Vec(vrsqrtsq_f64(some.v[k].raw, e2.v[k].raw));
          else
            return Vec(vrsqrtsq_f32(some.v[k].raw, e2.v[k].raw));
        });
  }
  return a * e;
#elif HWY_TARGET == HWY_AVX3
  if constexpr (sizeof(Real) == 8) {
    const typename Lanes<Real, V>::Tag tag;
    auto usual = hn::And(hn::Ge(a.v[0], hn::Set(tag, 1e-280)), hn::Le(a.v[0], hn::Set(tag, 1e280)));
    for (std::size_t k = 1; k < V; ++k)
      usual = hn::And(usual, hn::And(hn::Ge(a.v[k], hn::Set(tag, 1e-280)),
                                     hn::Le(a.v[k], hn::Set(tag, 1e280))));
    if (hn::AllTrue(tag, usual)) [[likely]]
      return Lanes<Real, V>::made([&](std::size_t k)
                                      STARLING_INLINE { return root_by_steps(a.v[k]); });
  }
  return sqrt(a);
#else
  return sqrt(a);
#endif
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
  static constexpr double shifter =
      0x1.8p52; // adding it leaves the nearest integer in the low bits
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

/// q(r) in pairs of terms (Estrin): half as deep as one after the other.
template <std::size_t V>
HWY_INLINE Lanes<double, V> exp_polynomial(const Lanes<double, V>& r, const Lanes<double, V>& r2) {
  using L = Lanes<double, V>;
  constexpr const double* q = ExpTable<double>::q;
  const L r4 = r2 * r2;
  const L q01 = mul_add(L(q[1]), r, L(q[0])), q23 = mul_add(L(q[3]), r, L(q[2]));
  const L q45 = mul_add(L(q[5]), r, L(q[4])), q67 = mul_add(L(q[7]), r, L(q[6]));
  const L q89 = mul_add(L(q[9]), r, L(q[8]));
  const L low = mul_add(q23, r2, q01), middle = mul_add(q67, r2, q45);
  return mul_add(mul_add(q89, r4, middle), r4, low);
}
template <std::size_t V>
HWY_INLINE Lanes<float, V> exp_polynomial(const Lanes<float, V>& r, const Lanes<float, V>& r2) {
  using L = Lanes<float, V>;
  constexpr const float* q = ExpTable<float>::q;
  const L q01 = mul_add(L(q[1]), r, L(q[0])), q23 = mul_add(L(q[3]), r, L(q[2]));
  return mul_add(mul_add(L(q[4]), r2, q23), r2, q01);
}

/// a 2^n, where n is in the low bits of `shifted` and goes into the exponent.
template <typename Real, std::size_t V>
HWY_INLINE Lanes<Real, V> times_power_of_2(const Lanes<Real, V>& a, const Lanes<Real, V>& shifted) {
  using L = Lanes<Real, V>;
  const hn::RebindToSigned<typename L::Tag> bits;
  return L::made([&](std::size_t k) STARLING_INLINE {
    const auto n = hn::ShiftLeft<ExpTable<Real>::mantissa>(hn::BitCast(bits, shifted.v[k]));
    return hn::BitCast(typename L::Tag(), hn::Add(hn::BitCast(bits, a.v[k]), n));
  });
}

/// e^a to 2 ulp for a <= 709 (double), 88 (float), which the caller sees to; zero below -708 (-87),
/// NaN for NaN.
template <typename Real, std::size_t V>
HWY_INLINE Lanes<Real, V> exp(const Lanes<Real, V>& x) {
  using T = ExpTable<Real>;
  using L = Lanes<Real, V>;
  // x = n ln 2 + r, with n the nearest integer, kept in the low bits of `shifted` as well.
  const L shifted = mul_add(x, L(T::per_ln2), L(T::shifter));
  const L n = shifted - L(T::shifter);
  const L r = mul_sub_from(n, L(T::ln2_low), mul_sub_from(n, L(T::ln2_high), x));
  const L r2 = r * r;
  const L p = mul_add(r2, exp_polynomial(r, r2), r) + L(Real(1));
  const L value = times_power_of_2(p, shifted);
  return L::made([&](std::size_t k) STARLING_INLINE {
    const auto low = hn::Lt(x.v[k], hn::Set(typename L::Tag(), T::lowest));
    return hn::IfThenZeroElse(low, value.v[k]);
  });
}

// exp(r) = (a + b) / (a - b) on |r| <= ln(2)/2, a = 1 + a_1 r^2 + a_2 r^4, b = r (1/2 + b_1 r^2 +
// b_2 r^4), which interpolates tanh(r/2) = b / a at Chebyshev points: relative error 1.6e-18 in
// double, 1.7e-10 in float.
template <typename Real>
struct SigmoidTable;
template <>
struct SigmoidTable<double> {
  static constexpr double a1 = 0x1.c71948f3fffe3p-4, a2 = 0x1.03fc09304687dp-10;
  static constexpr double b1 = 0x1.c70fce7aaac7ep-7, b2 = 0x1.1530ca2e1b65ep-15;
};
template <>
struct SigmoidTable<float> {
  static constexpr float a1 = 0.09997846530917341f, b1 = 0.008322606272076713f;
};

/// 1 / (1 + e^-z) with a single quotient: (a - b) / (a - b + 2^n (a + b)), where -z = n ln 2 + r.
/// Below -700 (-80 in float) it is that of -700, a number near 0; NaN stays NaN.
template <typename Real, std::size_t V>
HWY_INLINE Lanes<Real, V> sigmoid(const Lanes<Real, V>& z) {
  using T = ExpTable<Real>;
  using S = SigmoidTable<Real>;
  using L = Lanes<Real, V>;
  constexpr Real most = sizeof(Real) == 8 ? 700 : 80;
  const L x = at_least(at_most(z, most), -most);
  const L shifted = mul_sub_from(x, L(T::per_ln2), L(T::shifter)); // n in its low bits
  const L n = L(T::shifter) - shifted;                             // -n
  const L minus_r = mul_sub_from(n, L(T::ln2_low), mul_sub_from(n, L(T::ln2_high), x));
  const L y = minus_r * minus_r;
  L a, b;
  if constexpr (sizeof(Real) == 8) {
    a = mul_add(mul_add(L(S::a2), y, L(S::a1)), y, L(Real(1)));
    b = minus_r * mul_add(mul_add(L(S::b2), y, L(S::b1)), y, L(Real(0.5)));
  } else {
    a = mul_add(L(S::a1), y, L(Real(1)));
    b = minus_r * mul_add(L(S::b1), y, L(Real(0.5)));
  }
  const L down = a + b; // b has the sign of -r
  return down / (down + times_power_of_2(a - b, shifted));
}

} // namespace starling::cpu::STARLING_LEVEL
