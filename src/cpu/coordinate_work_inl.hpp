// A kernel for each coordinate, for one SIMD level: lanes are coordinates. See lanes.hpp for how it
// is compiled.
#pragma once

#include "cpu/coordinate_work.hpp"
#include "cpu/lane_functions.hpp"

#include <starling/kernel/all.hpp>

namespace starling::cpu::STARLING_LEVEL {

template <bool both, typename L, typename Real, typename K>
HWY_INLINE void coordinates_meet(const K& kernel, const CoordinatePairs<Real>& work,
                                 std::size_t n) {
  const L q = L::load(work.q + n), apart = L::load(work.x + n) - L::load(work.y + n);
  const L scaled = apart * q;
  const auto w = kernel.at_coordinate(apart * scaled);
  const L push = w.repulsion * scaled;
  (L::load(work.at_x + n) + mul_add(w.weight, L::load(work.sy + n), push)).store(work.at_x + n);
  if constexpr (both)
    (L::load(work.at_y + n) + (w.weight * L::load(work.sx + n) - push)).store(work.at_y + n);
}

template <bool both, typename Real, typename K>
HWY_INLINE void all_coordinates_meet(const K& kernel, const CoordinatePairs<Real>& work) {
  using Many = Lanes<Real, 4>;
  using One = Lanes<Real>;
  std::size_t n = 0;
  for (; n + Many::count <= work.count; n += Many::count)
    coordinates_meet<both, Many>(kernel, work, n);
  for (; n + One::count <= work.count; n += One::count)
    coordinates_meet<both, One>(kernel, work, n);
  if (n == work.count)
    return;
  // The rest, by way of a full vector.
  const std::size_t left = work.count - n;
  Real room[7][One::count] = {};
  const Real* const from[7] = {work.x, work.y, work.sx, work.sy, work.q, work.at_x, work.at_y};
  for (std::size_t c = 0; c < (both ? 7 : 6); ++c)
    for (std::size_t k = 0; k < left; ++k)
      room[c][k] = from[c][n + k];
  const CoordinatePairs<Real> rest{room[0], room[1], room[2], room[3],
                                   room[4], room[5], room[6], left};
  coordinates_meet<both, One>(kernel, rest, 0);
  for (std::size_t k = 0; k < left; ++k) {
    work.at_x[n + k] = room[5][k];
    if (both)
      work.at_y[n + k] = room[6][k];
  }
}

template <typename Real, typename K>
HWY_FLATTEN void coordinate_pairs(const K& given, const CoordinatePairs<Real>& task) {
  const K kernel = given; // copies: sums stored below cannot be taken for a change of them
  const CoordinatePairs<Real> work = task;
  if (work.at_y)
    all_coordinates_meet<true>(kernel, work);
  else
    all_coordinates_meet<false>(kernel, work);
}

} // namespace starling::cpu::STARLING_LEVEL
