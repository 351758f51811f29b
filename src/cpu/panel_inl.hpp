// Batches of some size in few dimensions: lanes are members, coordinates lie apart. See lanes.hpp for how it is compiled.
#pragma once

#include "cpu/pair_terms_inl.hpp"

namespace starling::cpu::STARLING_LEVEL {

/// Rows [i, i + Vectors * lanes) of a panel with columns [first, last), every pair both ways. The
/// columns' sums are vectors in scratch until the end. Cost: one kernel value per pair.
template <typename Real, typename K, std::size_t Dim, std::size_t Vectors>
HWY_INLINE void strip(const K& kernel, const PanelWork<Real>& work, std::size_t i,
                      std::size_t present, std::size_t first, std::size_t last) {
  using L = Lanes<Real>;
  constexpr std::size_t lanes = L::count, most = Dim ? Dim : small_dim;
  const std::size_t dim = Dim ? Dim : work.dim, stride = work.stride;
  L xi[Vectors][most], si[Vectors][most], sum_i[Vectors][most];
  for (std::size_t v = 0; v < Vectors; ++v)
    for (std::size_t a = 0; a < dim; ++a) {
      xi[v][a] = L::load(work.x + a * stride + i + v * lanes);
      si[v][a] = L::load(work.s + a * stride + i + v * lanes);
      sum_i[v][a] = L(Real(0));
    }
  const L mask(hn::IfThenElseZero(hn::FirstN(typename L::Tag(), present), L(Real(1)).v), 0);
  const bool partial = Vectors == 1 && present < lanes; // rows past the end take no part
  for (std::size_t j = first; j < last; ++j) {
    L weight[Vectors], push[Vectors];
    for (std::size_t v = 0; v < Vectors; ++v) {
      L argument(Real(0));
      for (std::size_t a = 0; a < dim; ++a)
        argument = gather_argument<K, Real>(xi[v][a], L(work.x[a * stride + j]), argument);
      const auto w = ask<Real>(kernel, argument);
      weight[v] = partial ? w.weight * mask : w.weight;
      push[v] = partial ? slope<K, Real>(w) * mask : slope<K, Real>(w);
    }
    for (std::size_t a = 0; a < dim; ++a) {
      Real* other = work.scratch + ((j - first) * dim + a) * lanes;
      L sum_j = L::load(other);
      for (std::size_t v = 0; v < Vectors; ++v)
        add_both<K, Real>(weight[v], push[v], xi[v][a], L(work.x[a * stride + j]), si[v][a],
                          L(work.s[a * stride + j]), sum_i[v][a], sum_j);
      sum_j.store(other);
    }
  }
  for (std::size_t v = 0; v < Vectors; ++v)
    for (std::size_t a = 0; a < dim; ++a) {
      Real* own = work.sum + a * stride + i + v * lanes;
      (L::load(own) + sum_i[v][a]).store(own);
    }
}

template <typename Real, typename K, std::size_t Dim>
void rectangle_fixed(const K& given, const PanelWork<Real>& task, std::size_t begin,
                     std::size_t end, std::size_t column, std::size_t column_end) {
  using L = Lanes<Real>;
  constexpr std::size_t lanes = L::count, vectors = Dim == 1 ? 2 : 1;
  const K kernel = given; // copies: nothing stored below can be taken for a change of them
  const PanelWork<Real> work = task;
  const std::size_t dim = Dim ? Dim : work.dim, stride = work.stride;
  for (std::size_t first = column; first < column_end; first += panel_columns) {
    const std::size_t last = column_end - first < panel_columns ? column_end : first + panel_columns;
    for (std::size_t n = 0; n < (last - first) * dim; ++n)
      L(Real(0)).store(work.scratch + n * lanes);
    std::size_t i = begin;
    for (; i + vectors * lanes <= end; i += vectors * lanes)
      strip<Real, K, Dim, vectors>(kernel, work, i, lanes, first, last);
    for (; i < end; i += lanes)
      strip<Real, K, Dim, 1>(kernel, work, i, end - i < lanes ? end - i : lanes, first, last);
    for (std::size_t j = first; j < last; ++j)
      for (std::size_t a = 0; a < dim; ++a)
        work.sum[a * stride + j] += L::load(work.scratch + ((j - first) * dim + a) * lanes).sum();
  }
}

/// The pairs among `lanes` rows themselves, each seen from its own row; a row's own lane is left out.
template <typename Real, typename K, std::size_t Dim>
void corner_fixed(const K& kernel, const PanelWork<Real>& work, std::size_t i, std::size_t end) {
  using L = Lanes<Real>;
  constexpr std::size_t lanes = L::count;
  const std::size_t dim = Dim ? Dim : work.dim, stride = work.stride;
  const typename L::Tag tag;
  const L place(hn::Iota(tag, Real(0)), 0);
  for (std::size_t j = i; j < end && j < i + lanes; ++j) {
    L argument(Real(0));
    for (std::size_t a = 0; a < dim; ++a)
      argument = gather_argument<K, Real>(L::load(work.x + a * stride + i), L(work.x[a * stride + j]),
                                          argument);
    const auto own = hn::Eq(place.v, L(static_cast<Real>(j - i)).v);
    const auto w = ask<Real>(kernel, argument);
    const L weight(hn::IfThenZeroElse(own, w.weight.v), 0);
    const L push(hn::IfThenZeroElse(own, slope<K, Real>(w).v), 0);
    for (std::size_t a = 0; a < dim; ++a) {
      const L xi = L::load(work.x + a * stride + i);
      L unused(Real(0)), sum_i = L::load(work.sum + a * stride + i);
      add_both<K, Real>(weight, push, xi, L(work.x[a * stride + j]), L(Real(0)),
                        L(work.s[a * stride + j]), sum_i, unused);
      sum_i.store(work.sum + a * stride + i);
    }
  }
}

template <typename Real, typename K>
void rectangle(const K& kernel, const PanelWork<Real>& work, std::size_t begin, std::size_t end,
               std::size_t column, std::size_t column_end) {
  if (work.dim == 1)
    rectangle_fixed<Real, K, 1>(kernel, work, begin, end, column, column_end);
  else if (work.dim == 2)
    rectangle_fixed<Real, K, 2>(kernel, work, begin, end, column, column_end);
  else
    rectangle_fixed<Real, K, 0>(kernel, work, begin, end, column, column_end);
}

template <typename Real, typename K>
void triangle(const K& kernel, const PanelWork<Real>& work, std::size_t begin, std::size_t end) {
  constexpr std::size_t lanes = Lanes<Real>::count, stripe = 4 * lanes;
  for (std::size_t i = begin; i < end; i += stripe) {
    const std::size_t stop = end - i < stripe ? end : i + stripe;
    for (std::size_t k = i; k < stop; k += lanes) { // the pairs inside the stripe
      if (work.dim == 1)
        corner_fixed<Real, K, 1>(kernel, work, k, end);
      else
        corner_fixed<Real, K, 0>(kernel, work, k, end);
      if (k + lanes < stop)
        rectangle(kernel, work, k, k + lanes, k + lanes, stop);
    }
    if (stop < end) // the stripe with all that comes after it
      rectangle(kernel, work, i, stop, stop, end);
  }
}

} // namespace starling::cpu::STARLING_LEVEL
