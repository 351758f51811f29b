// Riesz kernel: K = 1 / r^a, infinite at r = 0. Its self term is infinite too and is dropped.
#pragma once

#include <starling/kernel/check.hpp>
#include <starling/kernel/concepts.hpp>

namespace starling::kernel {

/// Positive definite for 0 < a < d. Two particles in one place make it infinite: the splitting step
/// for p = 2 solves the repulsion exactly and never lets that happen.
template <typename Real>
class Riesz {
public:
  static constexpr bool singular = true;

  explicit Riesz(Real exponent) : exponent_(positive("exponent", exponent)) {}
  Real exponent() const { return exponent_; }

  template <typename T>
  STARLING_DEVICE PairWeights<T> at_distance(T r2) const {
    using std::pow;
    const T k = pow(r2, Real(-0.5) * exponent_);
    return {k, k / r2 * exponent_, T(0)}; // -(1/r) dK/dr = a r^-(a+2)
  }

private:
  Real exponent_;
};

/// Riesz without its repulsion, which the splitting step solves apart: only K s(y) is left.
template <typename Real>
class RieszAttraction {
public:
  static constexpr bool singular = true;

  explicit RieszAttraction(Real exponent) : riesz_(exponent) {}

  template <typename T>
  STARLING_DEVICE PairWeights<T> at_distance(T r2) const {
    return {riesz_.at_distance(r2).weight, T(0), T(0)};
  }

private:
  Riesz<Real> riesz_;
};

} // namespace starling::kernel
