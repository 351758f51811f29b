// Small batches in few dimensions: one batch per lane. See lanes.hpp for how it is compiled.
#pragma once

#include "cpu/pair_terms_inl.hpp"
#include "cpu/streams_inl.hpp"

namespace starling::cpu::STARLING_LEVEL {

/// Members i .. i + Rows - 1 of every lane's batch with each other and with all that come after.
template <typename L, std::size_t Dim, std::size_t Rows, typename Real, typename K>
HWY_INLINE void meet_columns(const K& kernel, const BatchWork<Real>& work, const Real* x,
                             const Real* s, Real* sum, std::size_t i, std::size_t size,
                             std::size_t dim) {
  constexpr std::size_t lanes = L::count, most = Dim ? Dim : lane_dim;
  constexpr Nature nature = nature_of<Real, K>();
  const auto at = [=](std::size_t k, std::size_t a) { return (k * dim + a) * lanes; };
  L xi[Rows][most], si[Rows][most], sum_i[Rows][most];
  for (std::size_t v = 0; v < Rows; ++v)
    for (std::size_t a = 0; a < dim; ++a) {
      xi[v][a] = L::load(x + at(i + v, a));
      si[v][a] = L::load(s + at(i + v, a));
      sum_i[v][a] = L::load(sum + at(i + v, a));
    }
  const auto weights_with = [&](std::size_t v, const L* xj, L& weight, L& push) STARLING_INLINE {
    L argument(Real(0));
    for (std::size_t a = 0; a < dim; ++a)
      argument = gather_argument<nature>(xi[v][a], xj[a], argument);
    const auto w = ask(kernel, argument);
    weight = w.weight * L(work.pair);
    push = slope<nature>(w) * L(work.pair);
  };
  L weight[Rows], push[Rows];
  if constexpr (Rows == 2) { // the two with each other
    weights_with(0, xi[1], weight[0], push[0]);
    for (std::size_t a = 0; a < dim; ++a)
      add_both<nature>(weight[0], push[0], xi[0][a], xi[1][a], si[0][a], si[1][a], sum_i[0][a],
                       sum_i[1][a]);
  }
  for (std::size_t j = i + Rows; j < size; ++j) {
    L xj[most];
    for (std::size_t a = 0; a < dim; ++a)
      xj[a] = L::load(x + at(j, a));
    for (std::size_t v = 0; v < Rows; ++v)
      weights_with(v, xj, weight[v], push[v]);
    for (std::size_t a = 0; a < dim; ++a) {
      const L sj = L::load(s + at(j, a));
      L sum_j = L::load(sum + at(j, a));
      for (std::size_t v = 0; v < Rows; ++v)
        add_both<nature>(weight[v], push[v], xi[v][a], xj[a], si[v][a], sj, sum_i[v][a], sum_j);
      sum_j.store(sum + at(j, a));
    }
  }
  for (std::size_t v = 0; v < Rows; ++v)
    for (std::size_t a = 0; a < dim; ++a)
      sum_i[v][a].store(sum + at(i + v, a));
}

/// Small batches, one per lane. Members and dimension are constants where given (0: at run time).
/// Cost: size (size - 1) / 2 kernel values for `lanes` batches.
template <typename L, std::size_t Size, std::size_t Dim, typename Real, typename K>
HWY_FLATTEN void small_fixed(const K& given, const BatchWork<Real>& task) {
  const K kernel = given; // copies: nothing stored below can be taken for a change of them
  const BatchWork<Real> work = task;
  constexpr std::size_t lanes = L::count;
  constexpr Nature nature = nature_of<Real, K>();
  constexpr std::size_t room = (Size && Dim ? Size * Dim : small_room) * lanes;
  const std::size_t size = Size ? Size : work.size, dim = Dim ? Dim : work.dim;
  alignas(64) Real x[room], s[room], sum[room]; // member, coordinate, lane
  Streams<L, Dim> streams(work);
  const auto home = ask(kernel, L(Real(0))); // at distance zero, the same for all
  for (std::size_t first = 0; first < work.count; first += lanes) {
    const std::size_t batches = work.count - first < lanes ? work.count - first : lanes;
    const std::uint32_t* order = work.order + first * size;
    streams.bring(work, order, batches, x, s);
    const auto at = [=](std::size_t k, std::size_t a) { return (k * dim + a) * lanes; };
    for (std::size_t k = 0; k < size; ++k) { // F(x_i, x_i) / N
      auto w = home;
      if constexpr (!radial(nature)) {
        L argument(Real(0));
        for (std::size_t a = 0; a < dim; ++a)
          argument =
              gather_argument<nature>(L::load(x + at(k, a)), L::load(x + at(k, a)), argument);
        w = ask(kernel, argument);
      }
      for (std::size_t a = 0; a < dim; ++a) {
        L own = w.weight * L::load(s + at(k, a));
        if constexpr (!radial(nature))
          own = mul_add(w.lift, L::load(x + at(k, a)), own);
        (own * L(work.self)).store(sum + at(k, a));
      }
    }
    std::size_t i = 0;
    if constexpr (Size != 2)
      for (; i + 2 < size;
           i += 2) // two rows together: each column is loaded and stored once for both
        meet_columns<L, Dim, 2>(kernel, work, x, s, sum, i, size, dim);
    for (; i + 1 < size; ++i)
      meet_columns<L, Dim, 1>(kernel, work, x, s, sum, i, size, dim);
    streams.scatter_sums(work, order, batches, sum);
  }
}

/// As many as fill several vectors together, then the rest.
template <std::size_t Vectors, std::size_t Size, std::size_t Dim, typename Real, typename K>
void small_together(const K& kernel, const BatchWork<Real>& work) {
  BatchWork<Real> most = work, rest = work;
  most.count = work.count / Lanes<Real, Vectors>::count * Lanes<Real, Vectors>::count;
  rest.count = work.count - most.count;
  rest.order = work.order + most.count * work.size;
  small_fixed<Lanes<Real, Vectors>, Size, Dim>(kernel, most);
  small_fixed<Lanes<Real>, 0, Dim == 1 ? 1 : 0>(
      kernel, rest); // no code of its own for every number of members
}

template <typename Real, typename K>
void small(const K& kernel, const BatchWork<Real>& work) {
  if (work.size == 2 && work.dim == 1)
    return small_together<4, 2, 1>(kernel, work);
  if (work.size == 2 && work.dim == 2)
    return small_together<4, 2, 2>(kernel, work);
  if (work.dim == 1)
    return small_together<2, 0, 1>(kernel, work);
  if (work.dim == 2)
    return small_together<2, 0, 2>(kernel, work);
  small_together<2, 0, 0>(kernel, work);
}

} // namespace starling::cpu::STARLING_LEVEL
