// The work of every SIMD level of this build, and the choice among them.
#pragma once

#include "cpu/bend_work.hpp"
#include "cpu/coordinate_work.hpp"
#include "cpu/pair_work.hpp"
#include "cpu/pick_work.hpp"
#include "cpu/product_work.hpp"
#include "cpu/score_work.hpp"
#include "cpu/step_work.hpp"
#include "cpu/wide_work.hpp"

// STARLING_LEVELS(X) calls X for each level of this architecture, narrowest first.
#if defined(__aarch64__)
#define STARLING_LEVELS(X) X(scalar) X(neon)
#elif defined(__x86_64__)
#define STARLING_LEVELS(X) X(scalar) X(avx2) X(avx512)
#else
#define STARLING_LEVELS(X) X(scalar)
#endif

namespace starling::cpu {

/// W is a struct of functions: PairWork, CoordinateWork, MixtureWork, SigmoidWork, StepWork,
/// WideWork, BlockWork, ProductWork, PickWork or BendWork.
#define STARLING_DECLARE(name)                                                                     \
  namespace name {                                                                                 \
  template <typename W>                                                                            \
  const W& work_for();                                                                             \
  }
STARLING_LEVELS(STARLING_DECLARE)
#undef STARLING_DECLARE

/// The place of the level in use among STARLING_LEVELS.
int level_index();

template <typename W>
const W& work_in_use() {
  static const W* const tables[] = {
#define STARLING_TABLE(name) &name::work_for<W>(),
      STARLING_LEVELS(STARLING_TABLE)
#undef STARLING_TABLE
  };
  return *tables[level_index()];
}

} // namespace starling::cpu
