// Batches of some size in few dimensions: lanes are members, coordinates lie apart. See lanes.hpp
// for how it is compiled.
#pragma once

#include "cpu/pair_terms_inl.hpp"

namespace starling::cpu::STARLING_LEVEL {

/// Rows [i, i + L::count) of a panel with columns [first, last), every pair both ways. The columns'
/// sums are vectors in scratch until the end. Cost: one kernel value per pair.
template <typename L, std::size_t Dim, typename Real, typename K>
HWY_INLINE void strip(const K& kernel, const PanelWork<Real>& work, std::size_t i,
                      std::size_t present, std::size_t first, std::size_t last) {
  using One = Lanes<Real>;
  constexpr std::size_t most = Dim ? Dim : small_dim;
  constexpr Nature nature = nature_of<Real, K>();
  const std::size_t dim = Dim ? Dim : work.dim, stride = work.stride;
  L xi[most], si[most], sum_i[most];
  for (std::size_t a = 0; a < dim; ++a) {
    xi[a] = L::load(work.x + a * stride + i);
    si[a] = L::load(work.s + a * stride + i);
    sum_i[a] = L(Real(0));
  }
  const L mask = L::first(present);
  const bool partial = present < L::count; // rows past the end take no part
  for (std::size_t j = first; j < last; ++j) {
    L argument(Real(0));
    for (std::size_t a = 0; a < dim; ++a)
      argument = gather_argument<nature>(xi[a], L(work.x[a * stride + j]), argument);
    const auto w = ask(kernel, argument);
    const L weight = partial ? w.weight * mask : w.weight;
    const L push = partial ? slope<nature>(w) * mask : slope<nature>(w);
    for (std::size_t a = 0; a < dim; ++a) {
      Real* other = work.scratch + ((j - first) * dim + a) * One::count;
      L sum_j(Real(0));
      add_both<nature>(weight, push, xi[a], L(work.x[a * stride + j]), si[a],
                       L(work.s[a * stride + j]), sum_i[a], sum_j);
      (One::load(other) + sum_j.folded()).store(other);
    }
  }
  for (std::size_t a = 0; a < dim; ++a) {
    Real* own = work.sum + a * stride + i;
    (L::load(own) + sum_i[a]).store(own);
  }
}

template <std::size_t Dim, typename Real, typename K>
HWY_FLATTEN void rectangle_fixed(const K& given, const PanelWork<Real>& task, std::size_t begin,
                                 std::size_t end, std::size_t column, std::size_t column_end) {
  using One = Lanes<Real>;
  using Many = Lanes<Real, Dim == 1 ? 4 : Dim == 2 ? 2 : 1>;
  const K kernel = given; // copies: nothing stored below can be taken for a change of them
  const PanelWork<Real> work = task;
  const std::size_t dim = Dim ? Dim : work.dim, stride = work.stride;
  for (std::size_t first = column; first < column_end; first += panel_columns) {
    const std::size_t last =
        column_end - first < panel_columns ? column_end : first + panel_columns;
    for (std::size_t n = 0; n < (last - first) * dim; ++n)
      One(Real(0)).store(work.scratch + n * One::count);
    std::size_t i = begin;
    for (; i + Many::count <= end; i += Many::count)
      strip<Many, Dim>(kernel, work, i, Many::count, first, last);
    for (; i < end; i += One::count)
      strip<One, Dim>(kernel, work, i, end - i < One::count ? end - i : One::count, first, last);
    for (std::size_t j = first; j < last; ++j)
      for (std::size_t a = 0; a < dim; ++a)
        work.sum[a * stride + j] +=
            One::load(work.scratch + ((j - first) * dim + a) * One::count).sum();
  }
}

/// The pairs among `lanes` rows themselves, each seen from its own row; a row's own lane is left
/// out.
template <std::size_t Dim, typename Real, typename K>
HWY_FLATTEN void corner_fixed(const K& kernel, const PanelWork<Real>& work, std::size_t i,
                              std::size_t end) {
  using L = Lanes<Real>;
  constexpr std::size_t lanes = L::count;
  constexpr Nature nature = nature_of<Real, K>();
  const std::size_t dim = Dim ? Dim : work.dim, stride = work.stride;
  for (std::size_t j = i; j < end && j < i + lanes; ++j) {
    L argument(Real(0));
    for (std::size_t a = 0; a < dim; ++a)
      argument = gather_argument<nature>(L::load(work.x + a * stride + i),
                                         L(work.x[a * stride + j]), argument);
    const auto w = ask(kernel, argument);
    const L others = L(Real(1)) - L::only(j - i);
    const L weight = w.weight * others, push = slope<nature>(w) * others;
    for (std::size_t a = 0; a < dim; ++a) {
      const L xi = L::load(work.x + a * stride + i);
      L unused(Real(0)), sum_i = L::load(work.sum + a * stride + i);
      add_both<nature>(weight, push, xi, L(work.x[a * stride + j]), L(Real(0)),
                       L(work.s[a * stride + j]), sum_i, unused);
      sum_i.store(work.sum + a * stride + i);
    }
  }
}

template <typename Real, typename K>
void rectangle(const K& kernel, const PanelWork<Real>& work, std::size_t begin, std::size_t end,
               std::size_t column, std::size_t column_end) {
  if (work.dim == 1)
    rectangle_fixed<1>(kernel, work, begin, end, column, column_end);
  else if (work.dim == 2)
    rectangle_fixed<2>(kernel, work, begin, end, column, column_end);
  else
    rectangle_fixed<0>(kernel, work, begin, end, column, column_end);
}

template <typename Real, typename K>
void triangle(const K& kernel, const PanelWork<Real>& work, std::size_t begin, std::size_t end) {
  constexpr std::size_t lanes = Lanes<Real>::count, stripe = 4 * lanes; // a strip's most
  for (std::size_t i = begin; i < end; i += stripe) {
    const std::size_t stop = end - i < stripe ? end : i + stripe;
    for (std::size_t k = i; k < stop; k += lanes) { // the pairs inside the stripe
      if (work.dim == 1)
        corner_fixed<1>(kernel, work, k, end);
      else
        corner_fixed<0>(kernel, work, k, end);
      if (k + lanes < stop)
        rectangle(kernel, work, k, k + lanes, k + lanes, stop);
    }
    if (stop < end) // the stripe with all that comes after it
      rectangle(kernel, work, i, stop, stop, end);
  }
}

} // namespace starling::cpu::STARLING_LEVEL
