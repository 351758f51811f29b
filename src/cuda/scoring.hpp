// The score of a row on a device: the built-in targets, by the formulas of the host.
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

  /// One row by one thread; `room` is for d numbers.
  STARLING_DEVICE void operator()(const Real* x, Real* score, std::size_t dim, Real* room) const {
    switch (kind) {
    case Kind::mixture:
      mixture(x, score, room);
      return;
    case Kind::banana:
      banana(std::span<const Real>(x, dim), std::span<Real>(score, dim));
      return;
    case Kind::funnel:
      funnel(std::span<const Real>(x, dim), std::span<Real>(score, dim));
      return;
    case Kind::outside:
      return;
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
  }
};

} // namespace starling::cuda
