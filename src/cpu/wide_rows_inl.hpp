// A few members in many dimensions: lanes are coordinates. See lanes.hpp for how it is compiled.
#pragma once

#include "cpu/pair_terms_inl.hpp"

namespace starling::cpu::STARLING_LEVEL {

/// Many dimensions: lanes along the coordinates of a row, rows taken where they lie. Kernel values
/// of up to 64 pairs are computed together, across batches when these are small.
template <typename Real, Nature nature>
HWY_NOINLINE void wide_rows(const Weights<Real>& given, const BatchWork<Real>& work) {
  using L = Lanes<Real>;
  constexpr std::size_t lanes = L::count, together = 64;
  const std::size_t dim = work.dim, size = work.size, body = dim / lanes * lanes;
  Real argument[together] = {}, weight[together], push[together];
  const std::uint32_t *first[together], *second[together];
  std::size_t pairs = 0;
  const auto weights = [&](const Real* in, Real* w, Real* p, std::size_t n) {
    given.of(given.kernel, in, w, p, n);
  };

  const auto flush = [&] {
    weights(argument, weight, push, pairs);
    for (std::size_t n = 0; n < pairs; ++n) {
      const std::size_t i = *first[n] * dim, j = *second[n] * dim;
      const Real w = weight[n] * work.pair, p = push[n] * work.pair;
      const Real *xi = work.x + i, *xj = work.x + j, *si = work.s + i, *sj = work.s + j;
      Real *sum_i = work.phi + i, *sum_j = work.phi + j;
      for (std::size_t a = 0; a < body; a += lanes) {
        L one = L::load(sum_i + a), other = L::load(sum_j + a);
        add_both<nature>(L(w), L(p), L::load(xi + a), L::load(xj + a), L::load(si + a),
                         L::load(sj + a), one, other);
        one.store(sum_i + a);
        other.store(sum_j + a);
      }
      for (std::size_t a = body; a < dim; ++a) {
        if constexpr (radial(nature)) {
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
      even = gather_argument<nature>(L::load(xi + a), L::load(xj + a), even);
      odd = gather_argument<nature>(L::load(xi + a + lanes), L::load(xj + a + lanes), odd);
    }
    for (; a < body; a += lanes)
      even = gather_argument<nature>(L::load(xi + a), L::load(xj + a), even);
    Real sum = (even + odd).sum();
    for (a = body; a < dim; ++a)
      sum += radial(nature) ? (xi[a] - xj[a]) * (xi[a] - xj[a]) : xi[a] * xj[a];
    return sum;
  };

  const auto put = [&](Real& to, Real own) { to = work.added ? to + own : own; };
  Real home = 0, w, p;
  weights(&home, &w, &p, 1);
  for (std::size_t q = 0; q < work.count; ++q) {
    const std::uint32_t* members = work.order + q * size;
    for (std::size_t k = 0; k < size; ++k) { // F(x_i, x_i) / N
      const Real *xi = work.x + members[k] * dim, *si = work.s + members[k] * dim;
      Real* phi = work.phi + members[k] * dim;
      if constexpr (radial(nature)) {
        for (std::size_t a = 0; a < dim; ++a)
          put(phi[a], work.self * w * si[a]);
      } else {
        home = argument_of(xi, xi);
        weights(&home, &w, &p, 1);
        for (std::size_t a = 0; a < dim; ++a)
          put(phi[a], work.self * (w * si[a] + p * xi[a]));
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

} // namespace starling::cpu::STARLING_LEVEL
