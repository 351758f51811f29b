// Inverse multiquadric kernel: K = (1 + r2 / 2h)^(-1/2). Long range: it sees escaped particles.
#pragma once

#include <starling/kernel/check.hpp>
#include <starling/kernel/concepts.hpp>

namespace starling::kernel {

template <typename Real>
class InverseMultiquadric {
public:
  explicit InverseMultiquadric(Real bandwidth) { set_bandwidth(bandwidth); }

  void set_bandwidth(Real h) { half_inverse_ = Real(0.5) / positive("bandwidth", h); }

  template <typename T>
  STARLING_DEVICE PairWeights<T> at_distance(T r2) const {
    using std::sqrt;
    const T base = r2 * half_inverse_ + Real(1);
    const T k = T(1) / sqrt(base);
    return {k, k / base * half_inverse_, T(0)}; // -2 f' = (1/2h) (1 + r2/2h)^(-3/2)
  }

private:
  Real half_inverse_ = 1;
};

} // namespace starling::kernel
