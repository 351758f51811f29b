// Where particles live: all of R^d, or the torus [0, L)^d.
//
// A kernel sees two points through the squared distance r2 between them. A domain says, for one
// coordinate with difference delta = x - y, what it adds to r2 and which way r2 changes:
//     r2 = sum of chord(delta)^2,    pull(delta) = -(1/2) d r2 / d y
#pragma once

#include <starling/device.hpp>
#include <starling/error.hpp>

#include <cmath>
#include <numbers>
#include <string>

namespace starling {

template <typename Real>
struct Euclid {
  static constexpr bool periodic = false;

  template <typename T>
  STARLING_DEVICE T chord(T delta) const {
    return delta;
  }
  template <typename T>
  STARLING_DEVICE T pull(T delta) const {
    return delta;
  }
  STARLING_DEVICE Real wrap(Real x) const { return x; }
};

/// The torus of period L in every coordinate. The distance is the chord of the circle on which each
/// coordinate lives, (L/pi) sin(pi delta / L): equal to delta for close points, smooth everywhere,
/// and every radial kernel that is positive definite in R^2d stays so. (The shortest difference,
/// in common use, has a kink half-way round, and Theorem 1 asks for a smooth kernel.)
template <typename Real>
class Torus {
public:
  static constexpr bool periodic = true;

  explicit Torus(Real period) : period_(period) {
    if (!(period > 0) || !std::isfinite(period))
      reject("torus period", "a positive finite number", shown(period));
  }

  Real period() const { return period_; }
  STARLING_DEVICE Real chord(Real delta) const {
    return period_ / std::numbers::pi_v<Real> *
           std::sin(std::numbers::pi_v<Real> / period_ * delta);
  }
  STARLING_DEVICE Real pull(Real delta) const {
    const Real turn = 2 * std::numbers::pi_v<Real> / period_;
    return std::sin(turn * delta) / turn;
  }
  STARLING_DEVICE Real wrap(Real x) const {
    Real inside = x - period_ * std::floor(x / period_);
    if (inside < 0) // x / period can round up to a whole number
      inside += period_;
    return inside >= period_ ? 0 : inside; // NaN stays NaN, for the guard to see
  }

private:
  Real period_;
};

} // namespace starling
