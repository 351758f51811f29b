// The pair drift in vectors, for one SIMD level. See lanes.hpp for how it is compiled.
#pragma once

#include "cpu/lanes.hpp"
#include "cpu/pair_work.hpp"

#include <starling/kernel/concepts.hpp>

namespace starling::cpu::STARLING_LEVEL {

/// What one pair needs to know of the other: r2 for kernels of the distance, x.y for dot kernels.
template <typename K, typename Real>
inline constexpr bool radial = RadialKernel<K, Lanes<Real>>;

template <typename Real, typename K>
HWY_INLINE PairWeights<Lanes<Real>> ask(const K& kernel, Lanes<Real> argument) {
  if constexpr (radial<K, Real>)
    return kernel.at_distance(argument);
  else
    return kernel.at_product(argument);
}

/// F_ij's coefficient beside the weight: of (x_i - x_j) for radial kernels, of x_i for dot kernels.
template <typename K, typename Real>
HWY_INLINE Lanes<Real> slope(const PairWeights<Lanes<Real>>& w) {
  if constexpr (radial<K, Real>)
    return w.repulsion;
  else
    return w.lift;
}

/// Adds coordinate a of pair (i, j) to r2 or x.y.
template <typename K, typename Real>
HWY_INLINE Lanes<Real> gather_argument(Lanes<Real> xi, Lanes<Real> xj, Lanes<Real> sum) {
  if constexpr (radial<K, Real>) {
    const Lanes<Real> delta = xi - xj;
    return mul_add(delta, delta, sum);
  } else {
    return mul_add(xi, xj, sum);
  }
}

/// The force of j on i and of i on j in coordinate a, added to both sums: one kernel value for both.
template <typename K, typename Real>
HWY_INLINE void add_both(Lanes<Real> weight, Lanes<Real> slope, Lanes<Real> xi, Lanes<Real> xj,
                         Lanes<Real> si, Lanes<Real> sj, Lanes<Real>& sum_i, Lanes<Real>& sum_j) {
  if constexpr (radial<K, Real>) {
    const Lanes<Real> push = slope * (xi - xj);
    sum_i = mul_add(weight, sj, sum_i + push);
    sum_j = mul_add(weight, si, sum_j - push);
  } else {
    sum_i = mul_add(slope, xi, mul_add(weight, sj, sum_i));
    sum_j = mul_add(slope, xj, mul_add(weight, si, sum_j));
  }
}

/// Small batches, one per lane. Members and dimension are constants where given (0: at run time).
/// Cost: size (size - 1) / 2 kernel values for `lanes` batches.
template <typename Real, typename K, std::size_t Size, std::size_t Dim>
void small_fixed(const K& given, const BatchWork<Real>& task) {
  using L = Lanes<Real>;
  const K kernel = given; // copies: nothing stored below can be taken for a change of them
  const BatchWork<Real> work = task;
  constexpr std::size_t lanes = L::count;
  constexpr std::size_t most = Dim ? Dim : small_dim;
  constexpr std::size_t room = (Size ? Size : small_batch) * most * lanes;
  const std::size_t size = Size ? Size : work.size, dim = Dim ? Dim : work.dim;
  alignas(64) Real x[room], s[room], sum[room]; // member, coordinate, lane
  const auto home = ask<Real>(kernel, L(Real(0))); // at distance zero, the same for all
  for (std::size_t first = 0; first < work.count; first += lanes) {
    const std::size_t batches = work.count - first < lanes ? work.count - first : lanes;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      // Lanes without a batch of their own repeat the last one; they are not written back.
      const std::size_t q = first + (lane < batches ? lane : batches - 1);
      for (std::size_t k = 0; k < size; ++k) {
        const std::size_t row = work.order[q * size + k] * dim;
        for (std::size_t a = 0; a < dim; ++a) {
          x[(k * dim + a) * lanes + lane] = work.x[row + a];
          s[(k * dim + a) * lanes + lane] = work.s[row + a];
        }
      }
    }
    const auto at = [dim](std::size_t k, std::size_t a) { return (k * dim + a) * lanes; };
    for (std::size_t k = 0; k < size; ++k) { // F(x_i, x_i) / N
      auto w = home;
      if constexpr (!radial<K, Real>) {
        L argument(Real(0));
        for (std::size_t a = 0; a < dim; ++a)
          argument = gather_argument<K, Real>(L::load(x + at(k, a)), L::load(x + at(k, a)), argument);
        w = ask<Real>(kernel, argument);
      }
      for (std::size_t a = 0; a < dim; ++a) {
        L own = w.weight * L::load(s + at(k, a));
        if constexpr (!radial<K, Real>)
          own = mul_add(w.lift, L::load(x + at(k, a)), own);
        (own * L(work.self)).store(sum + at(k, a));
      }
    }
    for (std::size_t i = 0; i + 1 < size; ++i) {
      L xi[most], si[most], sum_i[most];
      for (std::size_t a = 0; a < dim; ++a) {
        xi[a] = L::load(x + at(i, a));
        si[a] = L::load(s + at(i, a));
        sum_i[a] = L::load(sum + at(i, a));
      }
      for (std::size_t j = i + 1; j < size; ++j) {
        L argument(Real(0));
        for (std::size_t a = 0; a < dim; ++a)
          argument = gather_argument<K, Real>(xi[a], L::load(x + at(j, a)), argument);
        const auto w = ask<Real>(kernel, argument);
        const L weight = w.weight * L(work.pair), push = slope<K, Real>(w) * L(work.pair);
        for (std::size_t a = 0; a < dim; ++a) {
          L sum_j = L::load(sum + at(j, a));
          add_both<K, Real>(weight, push, xi[a], L::load(x + at(j, a)), si[a], L::load(s + at(j, a)),
                            sum_i[a], sum_j);
          sum_j.store(sum + at(j, a));
        }
      }
      for (std::size_t a = 0; a < dim; ++a)
        sum_i[a].store(sum + at(i, a));
    }
    for (std::size_t lane = 0; lane < batches; ++lane)
      for (std::size_t k = 0; k < size; ++k) {
        const std::size_t row = work.order[(first + lane) * size + k] * dim;
        for (std::size_t a = 0; a < dim; ++a)
          work.phi[row + a] = sum[at(k, a) + lane];
      }
  }
}

template <typename Real, typename K>
void small(const K& kernel, const BatchWork<Real>& work) {
  if (work.size == 2 && work.dim == 1)
    return small_fixed<Real, K, 2, 1>(kernel, work);
  if (work.size == 2 && work.dim == 2)
    return small_fixed<Real, K, 2, 2>(kernel, work);
  if (work.dim == 1)
    return small_fixed<Real, K, 0, 1>(kernel, work);
  small_fixed<Real, K, 0, 0>(kernel, work);
}

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

template <typename Real, typename K>
void weights(const K& given, const Real* argument, Real* weight, Real* push, std::size_t n) {
  using L = Lanes<Real>;
  const K kernel = given;
  constexpr std::size_t lanes = L::count;
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto w = ask<Real>(kernel, L::load(argument + i));
    w.weight.store(weight + i);
    if (push)
      slope<K, Real>(w).store(push + i);
  }
  if (i < n) { // the rest, by way of a full vector
    Real in[lanes] = {}, out[lanes], out_push[lanes];
    for (std::size_t k = i; k < n; ++k)
      in[k - i] = argument[k];
    const auto w = ask<Real>(kernel, L::load(in));
    w.weight.store(out);
    slope<K, Real>(w).store(out_push);
    for (std::size_t k = i; k < n; ++k) {
      weight[k] = out[k - i];
      if (push)
        push[k] = out_push[k - i];
    }
  }
}

/// Many dimensions: lanes along the coordinates of a row, rows taken where they lie. Kernel values
/// of up to 64 pairs are computed together, across batches when these are small.
template <typename Real, typename K>
void wide(const K& kernel, const BatchWork<Real>& work) {
  using L = Lanes<Real>;
  constexpr std::size_t lanes = L::count, together = 64;
  const std::size_t dim = work.dim, size = work.size, body = dim / lanes * lanes;
  Real argument[together] = {}, weight[together], push[together];
  const std::uint32_t *first[together], *second[together];
  std::size_t pairs = 0;

  const auto flush = [&] {
    weights(kernel, argument, weight, push, pairs);
    for (std::size_t n = 0; n < pairs; ++n) {
      const std::size_t i = *first[n] * dim, j = *second[n] * dim;
      const Real w = weight[n] * work.pair, p = push[n] * work.pair;
      const Real *xi = work.x + i, *xj = work.x + j, *si = work.s + i, *sj = work.s + j;
      Real *sum_i = work.phi + i, *sum_j = work.phi + j;
      for (std::size_t a = 0; a < body; a += lanes) {
        L one = L::load(sum_i + a), other = L::load(sum_j + a);
        add_both<K, Real>(L(w), L(p), L::load(xi + a), L::load(xj + a), L::load(si + a),
                          L::load(sj + a), one, other);
        one.store(sum_i + a);
        other.store(sum_j + a);
      }
      for (std::size_t a = body; a < dim; ++a) {
        if constexpr (radial<K, Real>) {
          sum_i[a] += w * sj[a] + p * (xi[a] - xj[a]);
          sum_j[a] += w * si[a] - p * (xi[a] - xj[a]);
        } else {
          sum_i[a] += w * sj[a] + p * xi[a];
          sum_j[a] += w * si[a] + p * xj[a];
        }
      }
    }
    pairs = 0;
  };

  const auto argument_of = [&](const Real* xi, const Real* xj) {
    L even(Real(0)), odd(Real(0)); // two sums: one would wait for itself
    std::size_t a = 0;
    for (; a + 2 * lanes <= dim; a += 2 * lanes) {
      even = gather_argument<K, Real>(L::load(xi + a), L::load(xj + a), even);
      odd = gather_argument<K, Real>(L::load(xi + a + lanes), L::load(xj + a + lanes), odd);
    }
    for (; a < body; a += lanes)
      even = gather_argument<K, Real>(L::load(xi + a), L::load(xj + a), even);
    Real sum = (even + odd).sum();
    for (a = body; a < dim; ++a)
      sum += radial<K, Real> ? (xi[a] - xj[a]) * (xi[a] - xj[a]) : xi[a] * xj[a];
    return sum;
  };

  Real home = 0, w, p;
  weights(kernel, &home, &w, &p, 1);
  for (std::size_t q = 0; q < work.count; ++q) {
    const std::uint32_t* members = work.order + q * size;
    for (std::size_t k = 0; k < size; ++k) { // F(x_i, x_i) / N
      const Real *xi = work.x + members[k] * dim, *si = work.s + members[k] * dim;
      Real* phi = work.phi + members[k] * dim;
      if constexpr (radial<K, Real>) {
        for (std::size_t a = 0; a < dim; ++a)
          phi[a] = work.self * w * si[a];
      } else {
        home = argument_of(xi, xi);
        weights(kernel, &home, &w, &p, 1);
        for (std::size_t a = 0; a < dim; ++a)
          phi[a] = work.self * (w * si[a] + p * xi[a]);
      }
    }
    for (std::size_t i = 0; i + 1 < size; ++i)
      for (std::size_t j = i + 1; j < size; ++j) {
        argument[pairs] = argument_of(work.x + members[i] * dim, work.x + members[j] * dim);
        first[pairs] = members + i;
        second[pairs] = members + j;
        if (++pairs == together)
          flush();
      }
  }
  flush();
}

template <typename Real, typename K>
inline constexpr PairWork<Real, K> pair_work = {
    Lanes<Real>::count, small<Real, K>, wide<Real, K>, triangle<Real, K>, rectangle<Real, K>,
    weights<Real, K>};

} // namespace starling::cpu::STARLING_LEVEL
