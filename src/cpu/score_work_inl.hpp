// Scores in vectors, for one SIMD level: a mixture of normals on the line, and sigmoids.
#pragma once

#include "cpu/lanes.hpp"
#include "cpu/score_work.hpp"

namespace starling::cpu::STARLING_LEVEL {

/// s(x) = sum_c share_c P_c (m_c - x) / sum_c share_c, shares relative to the largest, so that they
/// cannot all underflow. Cost: one exp for each component, one in all for two.
template <typename Real>
HWY_INLINE Lanes<Real> mixture_score_at(const MixtureWork<Real>& work, Lanes<Real> x) {
  using L = Lanes<Real>;
  const auto log_share = [&](std::size_t c) HWY_ATTR {
    const L off = L(work.means[c]) - x;
    return mul_sub_from(off * off, L(work.precisions[c] * Real(0.5)), L(work.constants[c]));
  };
  const auto pull_of = [&](std::size_t c) HWY_ATTR {
    return L(work.precisions[c]) * (L(work.means[c]) - x);
  };
  if (work.components == 2) { // one exp: the share of the second relative to the first
    constexpr Real most = ExpTable<Real>::highest / 2; // beyond it the first has no say
    const L share = exp(at_most(log_share(1) - log_share(0), most));
    return mul_add(share, pull_of(1), pull_of(0)) / (share + L(Real(1)));
  }
  L top = log_share(0);
  for (std::size_t c = 1; c < work.components; ++c)
    top = L(hn::Max(top.v, log_share(c).v), 0);
  L total(Real(0)), pull(Real(0));
  for (std::size_t c = 0; c < work.components; ++c) {
    const L share = exp(log_share(c) - top);
    total = total + share;
    pull = mul_add(share, pull_of(c), pull);
  }
  return pull / total;
}

template <typename Real>
void mixture_score(const MixtureWork<Real>& task) {
  using L = Lanes<Real>;
  const MixtureWork<Real> work = task; // a copy: scores stored below cannot be taken for a change of it
  constexpr std::size_t lanes = L::count;
  std::size_t i = 0;
  for (; i + lanes <= work.count; i += lanes)
    mixture_score_at(work, L::load(work.x + i)).store(work.score + i);
  if (i < work.count) { // the rest, by way of a full vector
    Real in[lanes] = {}, out[lanes];
    for (std::size_t k = i; k < work.count; ++k)
      in[k - i] = work.x[k];
    mixture_score_at(work, L::load(in)).store(out);
    for (std::size_t k = i; k < work.count; ++k)
      work.score[k] = out[k - i];
  }
}

template <typename Real>
HWY_INLINE Lanes<Real> residual_at(Lanes<Real> z, Lanes<Real> label, Lanes<Real> scale) {
  const Lanes<Real> one(Real(1));
  return scale * (label - one / (one + exp(at_most(-z, ExpTable<Real>::highest))));
}

template <typename Real>
void sigmoid_residuals(const SigmoidWork<Real>& work) {
  using L = Lanes<Real>;
  constexpr std::size_t lanes = L::count;
  const std::size_t body = work.rows / lanes * lanes;
  const L scale(work.scale);
  for (std::size_t i = 0; i < work.count; ++i) {
    Real* z = work.logits + i * work.rows;
    for (std::size_t r = 0; r < body; r += lanes)
      residual_at(L::load(z + r), L::load(work.labels + r), scale).store(z + r);
    if (body < work.rows) {
      Real in[lanes] = {}, label[lanes] = {}, out[lanes];
      for (std::size_t r = body; r < work.rows; ++r) {
        in[r - body] = z[r];
        label[r - body] = work.labels[r];
      }
      residual_at(L::load(in), L::load(label), scale).store(out);
      for (std::size_t r = body; r < work.rows; ++r)
        z[r] = out[r - body];
    }
  }
}

} // namespace starling::cpu::STARLING_LEVEL
