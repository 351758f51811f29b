// Matern kernels of smoothness 3/2 and 5/2, with length scale sqrt(h).
#pragma once

#include <starling/kernel/check.hpp>
#include <starling/kernel/concepts.hpp>

namespace starling::kernel {

/// K = (1 + a r) exp(-a r), a = sqrt(3 / h).
template <typename Real>
class Matern32 {
public:
  explicit Matern32(Real bandwidth) { set_bandwidth(bandwidth); }

  void set_bandwidth(Real h) { rate_ = std::sqrt(3 / positive("bandwidth", h)); }

  template <typename T>
  STARLING_DEVICE PairWeights<T> at_distance(T r2) const {
    using std::exp, std::sqrt;
    const T z = sqrt(r2) * rate_;
    const T e = exp(-z);
    return {(z + Real(1)) * e, e * (rate_ * rate_), T(0)}; // -(1/r) dK/dr = a^2 exp(-a r)
  }

private:
  Real rate_ = 1;
};

/// K = (1 + a r + a^2 r2 / 3) exp(-a r), a = sqrt(5 / h).
template <typename Real>
class Matern52 {
public:
  explicit Matern52(Real bandwidth) { set_bandwidth(bandwidth); }

  void set_bandwidth(Real h) { rate_ = std::sqrt(5 / positive("bandwidth", h)); }

  template <typename T>
  STARLING_DEVICE PairWeights<T> at_distance(T r2) const {
    using std::exp, std::sqrt;
    const T z = sqrt(r2) * rate_;
    const T e = exp(-z);
    // -(1/r) dK/dr = (a^2 / 3) (1 + a r) exp(-a r)
    return {(z * z * Real(1.0 / 3) + z + Real(1)) * e,
            (z + Real(1)) * e * (rate_ * rate_ * Real(1.0 / 3)), T(0)};
  }

private:
  Real rate_ = 1;
};

} // namespace starling::kernel
