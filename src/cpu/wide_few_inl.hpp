// A block of columns of a batch of a few: everything of a column in registers. See lanes.hpp for
// how it is compiled.
#pragma once

#include "cpu/lanes.hpp"
#include "cpu/wide_work.hpp"

namespace starling::cpu::STARLING_LEVEL {

/// Every row is read once for all its pairs.
template <bool Radial, std::size_t Size, typename Real>
HWY_INLINE void few_arguments(const WideBlock<Real>& block, Real* to) {
  using L = Lanes<Real, (Size <= 3 ? 4 : 2)>; // several sums side by side
  const Real* row[Size];
  L sum[Size][Size];
  for (std::size_t i = 0; i < Size; ++i) {
    row[i] = block.x + block.members[i] * block.dim;
    for (std::size_t j = i; j < Size; ++j)
      sum[i][j] = L(Real(0));
  }
  std::size_t a = 0;
  for (; a + L::count <= block.columns; a += L::count) {
    L x[Size];
    for (std::size_t i = 0; i < Size; ++i)
      x[i] = L::load(row[i] + a);
    for (std::size_t i = 0; i < Size; ++i)
      for (std::size_t j = Radial ? i + 1 : i; j < Size; ++j) {
        const L one = Radial ? x[i] - x[j] : x[i], other = Radial ? one : x[j];
        sum[i][j] = mul_add(one, other, sum[i][j]);
      }
  }
  for (std::size_t i = 0; i < Size; ++i)
    for (std::size_t j = i; j < Size; ++j, ++to) {
      *to = sum[i][j].sum();
      for (std::size_t b = a; b < block.columns; ++b)
        *to += Radial ? (row[i][b] - row[j][b]) * (row[i][b] - row[j][b]) : row[i][b] * row[j][b];
    }
}

/// L of every row from column a on; each pair is formed once, for both.
template <bool Radial, std::size_t Size, typename L, typename Real>
HWY_INLINE void few_drifts(const WideBlock<Real>& block, const Real (&w)[Size][Size],
                           const Real (&p)[Size][Size], std::size_t a, bool added) {
  L x[Size], s[Size], sum[Size];
  for (std::size_t i = 0; i < Size; ++i) {
    const std::size_t at = block.members[i] * block.dim + a;
    x[i] = L::load(block.x + at);
    s[i] = L::load(block.s + at);
    sum[i] = L(w[i][i]) * s[i];
    if (!Radial) // all slopes of a row have its position as their factor: p_ii holds their sum
      sum[i] = mul_add(L(p[i][i]), x[i], sum[i]);
  }
  for (std::size_t i = 0; i < Size; ++i)
    for (std::size_t j = i + 1; j < Size; ++j) {
      const L both = L(w[i][j]);
      sum[i] = mul_add(both, s[j], sum[i]);
      sum[j] = mul_add(both, s[i], sum[j]);
      if (Radial) {
        const L push = L(p[i][j]) * (x[i] - x[j]);
        sum[i] = sum[i] + push;
        sum[j] = sum[j] - push;
      }
    }
  for (std::size_t i = 0; i < Size; ++i) {
    Real* to = block.phi + block.members[i] * block.dim + a;
    (added ? L::load(to) + sum[i] : sum[i]).store(to);
  }
}

template <bool Radial, std::size_t Size, typename Real>
HWY_INLINE void few_forces(const WideBlock<Real>& block, const Real* weights, const Real* slopes,
                           bool added) {
  using One = Lanes<Real>;
  Real w[Size][Size], p[Size][Size];
  for (std::size_t i = 0; i < Size; ++i) {
    Real sum = 0;
    for (std::size_t j = 0; j < Size; ++j) {
      w[i][j] = weights[i * Size + j];
      p[i][j] = slopes[i * Size + j];
      sum += p[i][j];
    }
    if (!Radial)
      p[i][i] = sum;
  }
  std::size_t a = 0;
  for (; a + One::count <= block.columns; a += One::count)
    few_drifts<Radial, Size, One>(block, w, p, a, added);
  for (; a < block.columns; ++a)
    for (std::size_t i = 0; i < Size; ++i) {
      const std::size_t own = block.members[i] * block.dim + a;
      Real sum = w[i][i] * block.s[own] + (Radial ? Real(0) : p[i][i] * block.x[own]);
      for (std::size_t j = 0; j < Size; ++j) {
        if (j == i)
          continue;
        const std::size_t at = block.members[j] * block.dim + a;
        sum += w[i][j] * block.s[at] + (Radial ? p[i][j] * (block.x[own] - block.x[at]) : Real(0));
      }
      block.phi[own] = added ? block.phi[own] + sum : sum;
    }
}

} // namespace starling::cpu::STARLING_LEVEL
