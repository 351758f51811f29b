// Sinc kernel: K = sin(a r) / (pi r), the paper's for one dimension; positive definite up to three.
#pragma once

#include <starling/kernel/check.hpp>
#include <starling/kernel/concepts.hpp>

#include <numbers>

namespace starling::kernel {

template <typename Real>
class Sinc {
public:
  explicit Sinc(Real frequency) : a_(positive("frequency", frequency)) {}

  /// With z = a r: K = (a/pi) sin(z)/z and -(1/r) dK/dr = (a^3/pi) (sin z - z cos z)/z^3. Near zero
  /// the second cancels, so below 1 its series is used, cut where the next term is below 1e-17.
  STARLING_DEVICE PairWeights<Real> at_distance(Real r2) const {
    constexpr int terms = 9;
    // (2n+2)/(2n+3)! = 1/3, 1/30, 1/840, ...: each is the one before over 2n (2n + 3).
    constexpr Real coefficient[terms] = {Real(1) / 3,
                                         Real(1) / 30,
                                         Real(1) / 840,
                                         Real(1) / 45360,
                                         Real(1) / 3991680,
                                         Real(1.0 / 518918400.0),
                                         Real(1.0 / 93405312000.0),
                                         Real(1.0 / 22230464256000.0),
                                         Real(1.0 / 6758061133824000.0)};
    const Real z2 = a_ * a_ * r2, z = std::sqrt(z2);
    Real ratio, slope;
    if (z < 1) {
      ratio = z2 > 0 ? std::sin(z) / z : 1;
      slope = 0;
      for (int n = terms - 1; n >= 0; --n) // sum of (-z2)^n (2n+2)/(2n+3)!
        slope = coefficient[n] - z2 * slope;
    } else {
      const Real s = std::sin(z);
      ratio = s / z;
      slope = (s - z * std::cos(z)) / (z * z2);
    }
    const Real height = a_ / std::numbers::pi_v<Real>;
    return {height * ratio, height * a_ * a_ * slope, Real(0)};
  }

private:
  Real a_;
};

} // namespace starling::kernel
