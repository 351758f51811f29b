// Two shapes that samplers are tried on: the banana and the funnel. Each for one particle.
#pragma once

#include <starling/device.hpp>
#include <starling/error.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

namespace starling {

/// x_1 ~ N(0, width^2), x_2 ~ N(curvature (x_1^2 - width^2), 1). Both means are 0; the variances
/// are width^2 and 1 + 2 curvature^2 width^4.
template <typename Real>
class Banana {
public:
  Banana(Real curvature, Real width) : curvature_(curvature), width_(width) {
    if (!std::isfinite(curvature))
      reject("curvature", "a finite number", shown(curvature));
    if (!(width > 0) || !std::isfinite(width))
      reject("width", "a positive finite number", shown(width));
  }

  static constexpr std::size_t dim() { return 2; }

  STARLING_DEVICE Real operator()(std::span<const Real> x, std::span<Real> score) const {
    const Real off = x[1] - curvature_ * (x[0] * x[0] - width_ * width_);
    const Real z = x[0] / width_;
    score[0] = -z / width_ + 2 * curvature_ * x[0] * off;
    score[1] = -off;
    return -(z * z + off * off) / 2;
  }

private:
  Real curvature_, width_;
};

/// Neal's funnel: v ~ N(0, width^2), x_i ~ N(0, e^v) for the d - 1 others. First v, then x.
template <typename Real>
class Funnel {
public:
  Funnel(std::size_t dim, Real width) : dim_(dim), width_(width) {
    if (dim < 2)
      reject("dim", "at least 2 for the funnel", std::to_string(dim));
    if (!(width > 0) || !std::isfinite(width))
      reject("width", "a positive finite number", shown(width));
  }

  std::size_t dim() const { return dim_; }

  STARLING_DEVICE Real operator()(std::span<const Real> x, std::span<Real> score) const {
    // e^-v, held where squares of positions up to 1e3 and their sums stay finite.
    const Real narrow = std::exp(std::min(-x[0], sizeof(Real) == 8 ? Real(600) : Real(60)));
    const Real others = static_cast<Real>(dim_ - 1), z = x[0] / width_;
    Real squares = 0;
    for (std::size_t a = 1; a < dim_; ++a) {
      squares += x[a] * x[a];
      score[a] = -x[a] * narrow;
    }
    score[0] = -z / width_ + (squares * narrow - others) / 2;
    return -z * z / 2 - (squares * narrow + others * x[0]) / 2;
  }

private:
  std::size_t dim_;
  Real width_;
};

} // namespace starling
