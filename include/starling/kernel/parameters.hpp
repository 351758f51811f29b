// A kernel for each parameter: K = diag over a of exp(-t_a / 2h), t_a = (x_a - y_a)^2 / v_a.
#pragma once

#include <starling/kernel/check.hpp>
#include <starling/kernel/concepts.hpp>

namespace starling::kernel {

/// A kernel of the distance sees little of one parameter in many dimensions, where all distances
/// are alike. This one sees each parameter by itself: it spreads every marginal evenly, in any
/// dimension. It says nothing of how parameters depend on each other: take a bilinear part, or
/// exact moves, beside it. h is in variances of the cloud, so that it needs no rule.
template <typename Real>
class Parameters {
public:
  explicit Parameters(Real h) : inverse_(1 / positive("h", h)) {}

  template <typename T>
  STARLING_DEVICE PairWeights<T> at_coordinate(T squared_difference) const {
    using std::exp;
    const T k = exp(squared_difference * (Real(-0.5) * inverse_));
    return {k, k * inverse_, T(0)}; // -2 dk/dt = k / h
  }

private:
  Real inverse_;
};

} // namespace starling::kernel
