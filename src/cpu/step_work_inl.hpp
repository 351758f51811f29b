// Step rules in vectors, for one SIMD level. See lanes.hpp for how it is compiled.
#pragma once

#include "cpu/lane_functions.hpp"
#include "cpu/step_work.hpp"

namespace starling::cpu::STARLING_LEVEL {

/// As many coordinates as fill L. Adds x * 0 to `zero`, which is 0 for numbers and NaN for the
/// rest.
template <typename L, std::size_t Memories, typename OneStep, typename Real>
HWY_INLINE void move_lanes(const OneStep& step, Real* x, const Real* g, Real* const* memory,
                           L& zero) {
  L m[Memories ? Memories : 1];
  for (std::size_t c = 0; c < Memories; ++c)
    m[c] = L::load(memory[c]);
  const L moved = L::load(x) + step(L::load(g), m);
  moved.store(x);
  zero = mul_add(moved, L(Real(0)), zero);
  for (std::size_t c = 0; c < Memories; ++c)
    m[c].store(memory[c]);
}

template <typename Real, typename OneStep, std::size_t Memories>
HWY_FLATTEN bool move_run(const OneStep& given, const Moving<Real>& run) {
  using Four = Lanes<Real, 4>;
  using One = Lanes<Real>;
  const OneStep step = given; // a copy: nothing stored below can be taken for a change of it
  Real* const x = run.x;
  const Real* const g = run.g;
  Real* const memory[2] = {run.memory[0], run.memory[1]};
  const std::size_t count = run.count;
  const auto from = [&](std::size_t n, Real** columns) {
    for (std::size_t c = 0; c < Memories; ++c)
      columns[c] = memory[c] + n;
  };
  Real* columns[2];
  Four zeros(Real(0));
  std::size_t n = 0;
  for (; n + Four::count <= count; n += Four::count) {
    from(n, columns);
    move_lanes<Four, Memories>(step, x + n, g + n, columns, zeros);
  }
  One zero = zeros.folded();
  for (; n + One::count <= count; n += One::count) {
    from(n, columns);
    move_lanes<One, Memories>(step, x + n, g + n, columns, zero);
  }
  if (n == count)
    return zero.sum() == 0;
  // The rest, by way of a full vector.
  Real last_x[One::count] = {}, last_g[One::count] = {}, last[2][One::count] = {};
  Real* const last_columns[2] = {last[0], last[1]};
  for (std::size_t k = n; k < count; ++k) {
    last_x[k - n] = x[k];
    last_g[k - n] = g[k];
    for (std::size_t c = 0; c < Memories; ++c)
      last[c][k - n] = memory[c][k];
  }
  move_lanes<One, Memories>(step, last_x, last_g, last_columns, zero);
  for (std::size_t k = n; k < count; ++k) {
    x[k] = last_x[k - n];
    for (std::size_t c = 0; c < Memories; ++c)
      memory[c][k] = last[c][k - n];
  }
  return zero.sum() == 0;
}

} // namespace starling::cpu::STARLING_LEVEL
