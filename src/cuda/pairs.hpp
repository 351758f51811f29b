// The kernel of a run on a device: a few weighted terms chosen at run time, each with the formula
// of its header.
#pragma once

#include <starling/kernel/gaussian.hpp>
#include <starling/kernel/inverse_multiquadric.hpp>
#include <starling/kernel/matern.hpp>
#include <starling/kernel/polynomial.hpp>
#include <starling/kernel/riesz.hpp>
#include <starling/kernel/sinc.hpp>

#include <cstdint>

namespace starling::cuda {

/// One kernel of any kind. A kernel with a bandwidth is made with h = 1 and asked for r2 / h, since
/// the bandwidth may be found on the device: f(r2 / h), and -2 d/dr2 of it is -2 f' / h.
template <typename Real>
struct Term {
  enum class Kind : std::uint32_t {
    gaussian,
    multiquadric,
    matern32,
    matern52,
    polynomial,
    sinc,
    riesz
  };

  Kind kind = Kind::gaussian;
  bool sinks = false; ///< Height::paper: a factor h^(-1/2) beside
  Real weight = 1;
  union {
    kernel::Gaussian<Real> gaussian;
    kernel::InverseMultiquadric<Real> multiquadric;
    kernel::Matern32<Real> matern32;
    kernel::Matern52<Real> matern52;
    kernel::Polynomial<Real> polynomial;
    kernel::Sinc<Real> sinc;
    kernel::Riesz<Real> riesz;
  };

  Term() : gaussian(1) {}

  STARLING_DEVICE bool has_bandwidth() const { return kind <= Kind::matern52; }

  STARLING_DEVICE PairWeights<Real> at(Real r2, Real product, Real inverse) const {
    PairWeights<Real> w;
    switch (kind) {
    case Kind::gaussian:
      w = gaussian.at_distance(r2 * inverse);
      break;
    case Kind::multiquadric:
      w = multiquadric.at_distance(r2 * inverse);
      break;
    case Kind::matern32:
      w = matern32.at_distance(r2 * inverse);
      break;
    case Kind::matern52:
      w = matern52.at_distance(r2 * inverse);
      break;
    case Kind::polynomial:
      return polynomial.at_product(product);
    case Kind::sinc:
      return sinc.at_distance(r2);
    default:
      return riesz.at_distance(r2);
    }
    const Real height = sinks ? std::sqrt(inverse) : Real(1);
    return {w.weight * height, w.repulsion * height * inverse, Real(0)};
  }
};

/// A sum of terms. Each drops its own self term where that is infinite.
template <typename Real>
struct Pairs {
  static constexpr std::uint32_t most = 4;

  std::uint32_t count = 1;
  Term<Real> terms[most];

  bool has_bandwidth() const {
    for (std::uint32_t t = 0; t < count; ++t)
      if (terms[t].has_bandwidth())
        return true;
    return false;
  }
  /// The usual one, for which drift and advance are made in one sweep.
  STARLING_DEVICE bool gaussian_alone() const {
    return count == 1 && terms[0].kind == Term<Real>::Kind::gaussian;
  }

  STARLING_DEVICE PairWeights<Real> at(Real r2, Real product, Real inverse) const {
    return sum(r2, product, inverse, false);
  }
  STARLING_DEVICE PairWeights<Real> at_self(Real product, Real inverse) const {
    return sum(Real(0), product, inverse, true);
  }

private:
  STARLING_DEVICE PairWeights<Real> sum(Real r2, Real product, Real inverse, bool self) const {
    PairWeights<Real> total{Real(0), Real(0), Real(0)};
    for (std::uint32_t t = 0; t < count; ++t) {
      if (self && terms[t].kind == Term<Real>::Kind::riesz)
        continue;
      const PairWeights<Real> w = terms[t].at(r2, product, inverse);
      total.weight += terms[t].weight * w.weight;
      total.repulsion += terms[t].weight * w.repulsion;
      total.lift += terms[t].weight * w.lift;
    }
    return total;
  }
};

} // namespace starling::cuda
