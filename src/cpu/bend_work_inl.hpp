// Fits and curves of bends, for one SIMD level. See lanes.hpp for how it is compiled.
#pragma once

#include "cpu/bend_work.hpp"
#include "cpu/lane_functions.hpp"

namespace starling::cpu::STARLING_LEVEL {

using BendLane = Lanes<double>;
static_assert(fitted_together % BendLane::width == 0);

HWY_INLINE BendLane sum_of_columns(const double* columns, std::size_t rows, const double* numbers,
                                   std::size_t count) {
  BendLane sum(0.0);
  for (std::size_t p = 0; p < count; ++p)
    sum = mul_add(BendLane(numbers[p]), BendLane::load(columns + p * rows), sum);
  return sum;
}

struct ResidualLanes {
  BendLane sum, score, t, narrow; // narrow: exp(-u)
};

HWY_INLINE ResidualLanes residual_at(const DependentRows& of, std::size_t i) {
  const BendLane mu = sum_of_columns(of.features + i, of.rows, of.mean, of.means);
  const BendLane u = at_least(
      at_most(sum_of_columns(of.features + i, of.rows, of.log_width, of.widths), of.widest),
      -of.widest);
  const BendLane wide = exp(u), narrow = BendLane(1.0) / wide;
  ResidualLanes at;
  at.narrow = narrow;
  at.t = (BendLane::load(of.z + i) - mu) * narrow;
  at.score = BendLane::load(of.score + i) * wide;
  at.sum = at.score + at.t;
  return at;
}

/// Cost: one exp and one division a row, means + widths products.
HWY_FLATTEN inline double dependent_cost(const DependentRows& given) {
  const DependentRows of = given;
  BendLane all(0.0);
  for (std::size_t i = 0; i < of.rows; i += BendLane::width) {
    const BendLane r = residual_at(of, i).sum;
    all = all + at_most(r * r, of.cap);
  }
  return all.sum();
}

HWY_FLATTEN inline double dependent_slopes(const DependentRows& given, std::size_t of_mean,
                                           std::size_t of_width, double* to) {
  const DependentRows of = given;
  const auto cap = hn::Set(BendLane::Tag(), of.cap);
  BendLane all(0.0);
  for (std::size_t i = 0; i < of.rows; i += BendLane::width) {
    const ResidualLanes at = residual_at(of, i);
    const BendLane square = at.sum * at.sum;
    all = all + at_most(square, of.cap);
    const auto inside = hn::Lt(square.v[0], cap);
    BendLane by_mean, by_width;
    by_mean.v[0] = hn::IfThenElseZero(inside, hn::Neg(at.narrow.v[0]));
    by_width.v[0] = hn::IfThenElseZero(inside, (at.score - at.t).v[0]);
    double* column = to + i;
    for (std::size_t p = 0; p < of_mean; ++p, column += of.rows)
      (by_mean * BendLane::load(of.features + p * of.rows + i)).store(column);
    for (std::size_t p = 0; p < of_width; ++p, column += of.rows)
      (by_width * BendLane::load(of.features + p * of.rows + i)).store(column);
    at.sum.store(column);
  }
  return all.sum();
}

/// Eight sums at a time: one would wait for itself, and fewer would wait for what is loaded.
HWY_FLATTEN inline void column_products(const double* columns, std::size_t rows, std::size_t count,
                                        double* to) {
  for (std::size_t i = 0; i < count; i += 2)
    for (std::size_t j = i / 4 * 4; j < count; j += 4) {
      const double *a = columns + i * rows, *b = columns + j * rows;
      BendLane s0(0.0), s1(0.0), s2(0.0), s3(0.0), n0(0.0), n1(0.0), n2(0.0), n3(0.0);
      for (std::size_t r = 0; r < rows; r += BendLane::width) {
        const BendLane x = BendLane::load(a + r), next = BendLane::load(a + rows + r);
        const BendLane b0 = BendLane::load(b + r), b1 = BendLane::load(b + rows + r);
        const BendLane b2 = BendLane::load(b + 2 * rows + r), b3 = BendLane::load(b + 3 * rows + r);
        s0 = mul_add(x, b0, s0);
        s1 = mul_add(x, b1, s1);
        s2 = mul_add(x, b2, s2);
        s3 = mul_add(x, b3, s3);
        n0 = mul_add(next, b0, n0);
        n1 = mul_add(next, b1, n1);
        n2 = mul_add(next, b2, n2);
        n3 = mul_add(next, b3, n3);
      }
      double *at = to + i * count + j, *below = at + count;
      at[0] = s0.sum();
      at[1] = s1.sum();
      at[2] = s2.sum();
      at[3] = s3.sum();
      below[0] = n0.sum();
      below[1] = n1.sum();
      below[2] = n2.sum();
      below[3] = n3.sum();
    }
}

/// Values of controllers at one vector of rows.
struct ControllerLanes {
  BendLane c[3];
};

/// Loads and stores of a whole vector, or of the rest of the rows.
struct SomeRows {
  std::size_t i, left;
  HWY_INLINE BendLane load(const double* from) const {
    return left >= BendLane::width ? BendLane::load(from + i) : BendLane::load_some(from + i, left);
  }
  HWY_INLINE void store(const BendLane& value, double* to) const {
    if (left >= BendLane::width)
      value.store(to + i);
    else
      value.store_some(to + i, left);
  }
};

HWY_INLINE ControllerLanes controllers_at(const DependentCurves& of, const SomeRows& some) {
  ControllerLanes at;
  for (std::size_t a = 0; a < of.controllers; ++a)
    at.c[a] = some.load(of.c[a]);
  return at;
}

HWY_INLINE BendLane quadratic_lanes(const DependentCurves& of, const ControllerLanes& at,
                                    const double* numbers) {
  const std::size_t k = of.controllers;
  double constant = numbers[0];
  for (std::size_t a = 0; a < k; ++a)
    constant -= numbers[1 + k + a];
  BendLane value(constant);
  for (std::size_t a = 0; a < k; ++a)
    value = mul_add(
        at.c[a], mul_add(BendLane(numbers[1 + k + a]), at.c[a], BendLane(numbers[1 + a])), value);
  return value;
}

HWY_INLINE BendLane mean_lanes(const DependentCurves& of, const ControllerLanes& at) {
  BendLane value = quadratic_lanes(of, at, of.mean);
  const double* product = of.mean + 1 + 2 * of.controllers;
  for (std::size_t a = 0; a < of.controllers; ++a)
    for (std::size_t b = a + 1; b < of.controllers; ++b)
      value = mul_add(BendLane(*product++) * at.c[a], at.c[b], value);
  return value;
}

HWY_INLINE BendLane held(const BendLane& u, double widest) {
  return at_least(at_most(u, widest), -widest);
}

template <typename Work>
HWY_INLINE void for_some_rows(std::size_t rows, const Work& work) {
  for (std::size_t i = 0; i < rows; i += BendLane::width)
    work(SomeRows{i, rows - i});
}

HWY_FLATTEN inline void bend_rows(const DependentCurves& given, double* own) {
  const DependentCurves of = given;
  for_some_rows(of.rows, [&](const SomeRows& some) STARLING_INLINE {
    const ControllerLanes at = controllers_at(of, some);
    const BendLane u = held(quadratic_lanes(of, at, of.log_width), of.widest);
    some.store(mul_add(exp(u), some.load(own), mean_lanes(of, at)), own);
  });
}

HWY_FLATTEN inline void straighten_rows(const DependentCurves& given, double* own) {
  const DependentCurves of = given;
  for_some_rows(of.rows, [&](const SomeRows& some) STARLING_INLINE {
    const ControllerLanes at = controllers_at(of, some);
    const BendLane u = held(quadratic_lanes(of, at, of.log_width), of.widest);
    some.store((some.load(own) - mean_lanes(of, at)) * exp(-u), own);
  });
}

HWY_FLATTEN inline void add_log_widths(const DependentCurves& given, double* log_width) {
  const DependentCurves of = given;
  for_some_rows(of.rows, [&](const SomeRows& some) STARLING_INLINE {
    const ControllerLanes at = controllers_at(of, some);
    const BendLane u = held(quadratic_lanes(of, at, of.log_width), of.widest);
    some.store(some.load(log_width) + u, log_width);
  });
}

HWY_FLATTEN inline void hold_rows(const double* z, std::size_t rows, double bound, double* value,
                                  double* slope) {
  for_some_rows(rows, [&](const SomeRows& some) STARLING_INLINE {
    const BendLane x = some.load(z), share = x / BendLane(bound), square = share * share;
    const BendLane fourth = square * square, eighth = BendLane(1.0) + fourth * fourth;
    const BendLane root = sqrt(sqrt(sqrt(eighth)));
    some.store(x / root, value);
    some.store(BendLane(1.0) / (eighth * root), slope);
  });
}

/// Its slope along controller a: of the mean with products.
HWY_INLINE BendLane slope_lanes(const DependentCurves& of, const ControllerLanes& at,
                                const double* numbers, std::size_t a, bool products) {
  const std::size_t k = of.controllers;
  const double twice = 2 * numbers[1 + k + a];
  BendLane slope = mul_add(BendLane(twice), at.c[a], BendLane(numbers[1 + a]));
  const double* product = numbers + 1 + 2 * k;
  for (std::size_t b = 0; products && b < k; ++b)
    for (std::size_t other = b + 1; other < k; ++other, ++product) {
      if (b == a)
        slope = mul_add(BendLane(*product), at.c[other], slope);
      if (other == a)
        slope = mul_add(BendLane(*product), at.c[b], slope);
    }
  return slope;
}

HWY_FLATTEN inline void pull_rows(const DependentCurves& given, const double* t, double* own,
                                  const double* const bounds[3], double* const to[3]) {
  const DependentCurves of = given;
  for_some_rows(of.rows, [&](const SomeRows& some) STARLING_INLINE {
    const ControllerLanes at = controllers_at(of, some);
    const BendLane plain = quadratic_lanes(of, at, of.log_width), u = held(plain, of.widest);
    const BendLane wide = exp(u), score = some.load(own);
    BendLane by_width; // d(log density + log determinant) / du, where u is not held
    by_width.v[0] = hn::IfThenElseZero(hn::Eq(plain.v[0], u.v[0]),
                                       mul_add(score * wide, some.load(t), BendLane(1.0)).v[0]);
    for (std::size_t a = 0; a < of.controllers; ++a) {
      const BendLane slope = mul_add(by_width, slope_lanes(of, at, of.log_width, a, false),
                                     score * slope_lanes(of, at, of.mean, a, true));
      some.store(mul_add(some.load(bounds[a]), slope, some.load(to[a])), to[a]);
    }
    some.store(score * wide, own);
  });
}

inline constexpr BendWork bend_work = {dependent_cost, dependent_slopes, column_products,
                                       hold_rows,      bend_rows,        straighten_rows,
                                       add_log_widths, pull_rows};

} // namespace starling::cpu::STARLING_LEVEL
