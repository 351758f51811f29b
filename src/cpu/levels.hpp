// The work tables of every SIMD level of this build, and the choice among them.
#pragma once

#include "cpu/pair_work.hpp"
#include "cpu/score_work.hpp"

#include <starling/cpu/pairwise_drift.hpp>

// STARLING_LEVELS(X) calls X for each level of this architecture, narrowest first.
#if defined(__aarch64__)
#define STARLING_LEVELS(X) X(scalar) X(neon)
#elif defined(__x86_64__)
#define STARLING_LEVELS(X) X(scalar) X(avx2) X(avx512)
#else
#define STARLING_LEVELS(X) X(scalar)
#endif

namespace starling::cpu {

#define STARLING_DECLARE(name)                                                                     \
  namespace name {                                                                                 \
  template <typename Real, typename K>                                                             \
  const PairWork<Real, K>& work_for();                                                             \
  template <typename Real>                                                                         \
  MixtureScore<Real> mixture_score_for();                                                          \
  template <typename Real>                                                                         \
  SigmoidResiduals<Real> sigmoid_work_for();                                                       \
  }
STARLING_LEVELS(STARLING_DECLARE)
#undef STARLING_DECLARE

/// The place of the level in use among STARLING_LEVELS.
int level_index();

template <typename Real, typename K>
const PairWork<Real, K>& work_in_use() {
  static const PairWork<Real, K>* const tables[] = {
#define STARLING_TABLE(name) &name::work_for<Real, K>(),
      STARLING_LEVELS(STARLING_TABLE)
#undef STARLING_TABLE
  };
  return *tables[level_index()];
}

template <typename Real>
MixtureScore<Real> mixture_score_in_use() {
  static const MixtureScore<Real> scores[] = {
#define STARLING_SCORE(name) name::mixture_score_for<Real>(),
      STARLING_LEVELS(STARLING_SCORE)
#undef STARLING_SCORE
  };
  return scores[level_index()];
}

template <typename Real>
SigmoidResiduals<Real> sigmoid_work_in_use() {
  static const SigmoidResiduals<Real> works[] = {
#define STARLING_SIGMOID(name) name::sigmoid_work_for<Real>(),
      STARLING_LEVELS(STARLING_SIGMOID)
#undef STARLING_SIGMOID
  };
  return works[level_index()];
}

} // namespace starling::cpu
