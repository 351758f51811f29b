// A block of columns of one batch, for one SIMD level: lanes are coordinates. See lanes.hpp for how
// it is compiled.
#pragma once

#include "cpu/lanes.hpp"
#include "cpu/wide_few_inl.hpp"
#include "cpu/wide_work.hpp"

namespace starling::cpu::STARLING_LEVEL {

/// Of member i with members j .. j + Columns - 1. Several sums side by side: one would wait for
/// itself.
template <bool Radial, std::size_t Columns, typename Real>
HWY_INLINE void wide_arguments(const WideBlock<Real>& block, std::size_t i, std::size_t j,
                               Real* to) {
  using Two = Lanes<Real, 2>;
  const std::size_t body = block.columns / Two::count * Two::count;
  const Real *xi = block.x + block.members[i] * block.dim, *xj[Columns];
  Two sum[Columns];
  for (std::size_t c = 0; c < Columns; ++c) {
    xj[c] = block.x + block.members[j + c] * block.dim;
    sum[c] = Two(Real(0));
  }
  for (std::size_t a = 0; a < body; a += Two::count) {
    const Two x = Two::load(xi + a);
    for (std::size_t c = 0; c < Columns; ++c) {
      const Two y = Two::load(xj[c] + a), one = Radial ? x - y : x, other = Radial ? one : y;
      sum[c] = mul_add(one, other, sum[c]);
    }
  }
  for (std::size_t c = 0; c < Columns; ++c) {
    Real all = sum[c].sum();
    for (std::size_t a = body; a < block.columns; ++a)
      all += Radial ? (xi[a] - xj[c][a]) * (xi[a] - xj[c][a]) : xi[a] * xj[c][a];
    to[c] = all;
  }
}

template <bool Radial, typename Real>
HWY_FLATTEN void wide_pairs(const WideBlock<Real>& given, Real* to) {
  const WideBlock<Real> block = given;
  if (block.size == 2)
    return few_arguments<Radial, 2>(block, to);
  if (block.size == 3)
    return few_arguments<Radial, 3>(block, to);
  if (block.size == 4)
    return few_arguments<Radial, 4>(block, to);
  for (std::size_t i = 0; i < block.size; ++i) {
    std::size_t j = i;
    if (Radial) { // of a row with itself it is known
      *to++ = 0;
      ++j;
    }
    for (; j + 4 <= block.size; j += 4, to += 4)
      wide_arguments<Radial, 4>(block, i, j, to);
    for (; j < block.size; ++j, ++to)
      wide_arguments<Radial, 1>(block, i, j, to);
  }
}

/// The drifts of members i .. i + Rows - 1 in the columns from a on.
template <bool Radial, std::size_t Rows, typename L, typename Real>
HWY_INLINE void wide_drifts(const WideBlock<Real>& block, const Real* w, const Real* p,
                            std::size_t i, std::size_t a, bool added) {
  L sum[Rows], x[Rows];
  for (std::size_t r = 0; r < Rows; ++r) {
    const std::size_t at = block.members[i + r] * block.dim + a;
    sum[r] = added ? L::load(block.phi + at) : L(Real(0));
    x[r] = L::load(block.x + at);
  }
  for (std::size_t j = 0; j < block.size; ++j) {
    const std::size_t at = block.members[j] * block.dim + a;
    const L s = L::load(block.s + at), other = L::load(block.x + at);
    for (std::size_t r = 0; r < Rows; ++r) {
      const std::size_t pair = (i + r) * block.size + j;
      sum[r] = mul_add(L(p[pair]), Radial ? x[r] - other : x[r], mul_add(L(w[pair]), s, sum[r]));
    }
  }
  for (std::size_t r = 0; r < Rows; ++r)
    sum[r].store(block.phi + block.members[i + r] * block.dim + a);
}

template <bool Radial, std::size_t Rows, typename Real>
HWY_INLINE void wide_rows_of(const WideBlock<Real>& block, const Real* w, const Real* p,
                             std::size_t i, bool added) {
  using Two = Lanes<Real, 2>;
  std::size_t a = 0;
  for (; a + Two::count <= block.columns; a += Two::count)
    wide_drifts<Radial, Rows, Two>(block, w, p, i, a, added);
  for (; a < block.columns; ++a)
    for (std::size_t r = 0; r < Rows; ++r) {
      const std::size_t own = block.members[i + r] * block.dim + a;
      Real sum = added ? block.phi[own] : Real(0);
      for (std::size_t j = 0; j < block.size; ++j) {
        const std::size_t at = block.members[j] * block.dim + a, pair = (i + r) * block.size + j;
        sum +=
            w[pair] * block.s[at] + p[pair] * (Radial ? block.x[own] - block.x[at] : block.x[own]);
      }
      block.phi[own] = sum;
    }
}

template <bool Radial, typename Real>
HWY_FLATTEN void wide_forces(const WideBlock<Real>& given, const Real* w, const Real* p,
                             bool added) {
  const WideBlock<Real> block = given;
  if (block.size == 2)
    return few_forces<Radial, 2>(block, w, p, added);
  if (block.size == 3)
    return few_forces<Radial, 3>(block, w, p, added);
  if (block.size == 4)
    return few_forces<Radial, 4>(block, w, p, added);
  std::size_t i = 0;
  for (; i + 4 <= block.size; i += 4)
    wide_rows_of<Radial, 4>(block, w, p, i, added);
  for (; i + 2 <= block.size; i += 2)
    wide_rows_of<Radial, 2>(block, w, p, i, added);
  for (; i < block.size; ++i)
    wide_rows_of<Radial, 1>(block, w, p, i, added);
}

} // namespace starling::cpu::STARLING_LEVEL
