// Score and log density of a row on a device: the built-in targets, by the formulas of the host.
#pragma once

#include <starling/target/forms.hpp>
#include <starling/target/shapes.hpp>

#include <cstdint>
#include <span>

namespace starling::cuda {

/// A target whose numbers a device can reach.
template <typename Real>
struct Scoring {
  enum class Kind : std::uint32_t {
    normal,
    mixture,
    banana,
    funnel,
    outside
  }; ///< outside: in its column before

  Kind kind = Kind::normal;
  const Real* mean = nullptr; ///< of the normal
  union {
    EvenNormalForm<Real> normal;
    MixtureForm<Real> mixture;
    Banana<Real> banana;
    Funnel<Real> funnel;
  };

  Scoring() : normal{} {}

  /// Its numbers lie there: the mean; or constants, means and precisions.
  void point_to(const Real* numbers) {
    if (kind == Kind::normal)
      mean = numbers;
    if (kind == Kind::mixture) {
      mixture.constants = numbers;
      mixture.means = mixture.constants + mixture.components;
      mixture.precisions = mixture.means + mixture.components * mixture.dim;
    }
  }

  /// One row by one thread; `room` is for d numbers. Answers the log density.
  STARLING_DEVICE Real operator()(const Real* x, Real* score, std::size_t dim, Real* room) const {
    switch (kind) {
    case Kind::mixture:
      return mixture(x, score, room);
    case Kind::banana:
      return banana(std::span<const Real>(x, dim), std::span<Real>(score, dim));
    case Kind::funnel:
      return funnel(std::span<const Real>(x, dim), std::span<Real>(score, dim));
    case Kind::outside:
      return 0;
    default:
      break;
    }
    Real total = 0;
    for (std::size_t a = 0; a < dim; ++a) {
      score[a] = normal.pull(mean[a], x[a]);
      total += score[a];
    }
    if (normal.share != 0)
      for (std::size_t a = 0; a < dim; ++a)
        score[a] = normal.shared(score[a], total);
    Real log_density = 0;
    for (std::size_t a = 0; a < dim; ++a)
      log_density += (x[a] - mean[a]) * score[a] / 2;
    return log_density;
  }
};

/// What a sweep needs to score rows that lie on a machine, and their log densities.
template <typename Real>
struct ScoringWork {
  Scoring<Real> target;
  std::uint32_t count = 0, dim = 0;
  const Real* x = nullptr;
  Real *s = nullptr, *log_density = nullptr;
  Real* room = nullptr; ///< as large as s
};

template <typename Real>
struct ScoreAndLogDensity {
  ScoringWork<Real> work;

  STARLING_DEVICE void operator()(std::uint32_t row) const {
    const std::size_t at = std::size_t{row} * work.dim;
    work.log_density[row] = work.target(work.x + at, work.s + at, work.dim, work.room + at);
  }
};

} // namespace starling::cuda
