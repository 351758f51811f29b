// Scores in vectors, for one SIMD level: a mixture of normals on the line, and sigmoids.
#pragma once

#include "cpu/lane_functions.hpp"
#include "cpu/score_work.hpp"

#include <type_traits>

namespace starling::cpu::STARLING_LEVEL {

/// s(x) = sum_c share_c P_c (m_c - x) / sum_c share_c, shares relative to the largest, so that they
/// cannot all underflow. Cost: one exp for each component, one in all for two.
template <typename Real, std::size_t V>
HWY_INLINE Lanes<Real, V> mixture_score_at(const OnTheLine<Real>& work, const Lanes<Real, V>& x) {
  using L = Lanes<Real, V>;
  const auto log_share = [&](std::size_t c) STARLING_INLINE {
    const L off = L(work.means[c]) - x;
    return mul_sub_from(off * off, L(work.precisions[c] * Real(0.5)), L(work.constants[c]));
  };
  const auto pull_of = [&](std::size_t c) STARLING_INLINE {
    return L(work.precisions[c]) * (L(work.means[c]) - x);
  };
  if (work.components == 2) { // one exp: the share of the second relative to the first
    constexpr Real most = ExpTable<Real>::highest / 2; // beyond it the first has no say
    const L share = exp(at_most(log_share(1) - log_share(0), most));
    return mul_add(share, pull_of(1), pull_of(0)) / (share + L(Real(1)));
  }
  L top = log_share(0);
  for (std::size_t c = 1; c < work.components; ++c)
    top = larger(top, log_share(c));
  L total(Real(0)), pull(Real(0));
  for (std::size_t c = 0; c < work.components; ++c) {
    const L share = exp(log_share(c) - top);
    total = total + share;
    pull = mul_add(share, pull_of(c), pull);
  }
  return pull / total;
}

template <typename Real>
HWY_FLATTEN void mixture_score(const OnTheLine<Real>& task) {
  const OnTheLine<Real> work =
      task; // a copy: scores stored below cannot be taken for a change of it
  map<2>(
      work.score, work.count,
      [&](const auto& x) STARLING_INLINE { return mixture_score_at(work, x); }, work.x);
}

/// scale (y - sigmoid(z)), sigmoid(z) = 1 / (1 + exp(-z)).
template <typename Real>
HWY_FLATTEN void sigmoid_residuals(const Logits<Real>& task) {
  const Logits<Real> work = task;
  const auto residual = [&](const auto& z, const auto& label) STARLING_INLINE {
    using L = std::remove_cvref_t<decltype(z)>;
    return L(work.scale) * (label - sigmoid(z));
  };
  for (std::size_t i = 0; i < work.count; ++i) {
    Real* z = work.z + i * work.rows;
    map<4>(z, work.rows, residual, z, work.labels);
  }
}

template <typename Real>
HWY_FLATTEN void exponentials(Real* z, std::size_t count) {
  map<4>(
      z, count, [](const auto& at) STARLING_INLINE { return exp(at); }, z);
}

} // namespace starling::cpu::STARLING_LEVEL
