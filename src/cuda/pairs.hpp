// The kernel of a run on a device: a few weighted terms chosen at run time, each with the formula
// of its header.
#pragma once

#include <starling/kernel/all.hpp>

#include <cmath>
#include <cstdint>
#include <new>

namespace starling::cuda {

/// One kernel of any kind that cards have. A kernel with a bandwidth is made with h = 1 and asked
/// for r2 / h, since the bandwidth may be found on the device: f(r2 / h), and -2 d/dr2 of it is
/// -2 f' / h.
template <typename Real>
struct Term {
#define STARLING_KIND(K) K,
  enum class Kind : std::uint32_t { STARLING_CARD_KERNELS(STARLING_KIND) };
#undef STARLING_KIND

  Kind kind = Kind::Gaussian;
  bool paper_height = false; ///< Height::paper: a factor h^(-1/2) beside
  Real weight = 1;
  union {
#define STARLING_MEMBER(K) kernel::K<Real> K;
    STARLING_CARD_KERNELS(STARLING_MEMBER)
#undef STARLING_MEMBER
  };

  Term() : Gaussian(1) {}

  /// From now on it is this kernel. False where cards have none of its kind.
#define STARLING_TAKE(K)                                                                           \
  bool take(const kernel::K<Real>& one) {                                                          \
    kind = Kind::K;                                                                                \
    new (&this->K) kernel::K<Real>(one);                                                           \
    paper_height = has_paper_height(one);                                                          \
    return true;                                                                                   \
  }
  STARLING_CARD_KERNELS(STARLING_TAKE)
#undef STARLING_TAKE
  bool take(const auto&) { return false; }

#define STARLING_WITH(K) || (kind == Kind::K && HasBandwidth<kernel::K<Real>, Real>)
  bool has_bandwidth() const { return false STARLING_CARD_KERNELS(STARLING_WITH); }
#undef STARLING_WITH
#define STARLING_SINGULAR(K) || (is_singular<kernel::K<Real>> && kind == Kind::K)
  STARLING_DEVICE bool singular() const { return false STARLING_CARD_KERNELS(STARLING_SINGULAR); }
#undef STARLING_SINGULAR

  STARLING_DEVICE PairWeights<Real> at(Real r2, Real product, Real inverse) const {
    switch (kind) {
#define STARLING_AT(K)                                                                             \
  case Kind::K:                                                                                    \
    return weights(this->K, r2, product, inverse);
      STARLING_CARD_KERNELS(STARLING_AT)
#undef STARLING_AT
    }
    return {};
  }

private:
  template <typename K>
  STARLING_DEVICE PairWeights<Real> weights(const K& one, Real r2, Real product,
                                            Real inverse) const {
    if constexpr (HasBandwidth<K, Real>) {
      const PairWeights<Real> w = one.at_distance(r2 * inverse);
      const Real height = paper_height ? std::sqrt(inverse) : Real(1);
      return {w.weight * height, w.repulsion * height * inverse, Real(0)};
    } else {
      return pair_weights(one, r2, product);
    }
  }
  static bool has_paper_height(const auto& one) {
    if constexpr (requires { one.has_paper_height(); })
      return one.has_paper_height();
    else
      return false;
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
    return count == 1 && terms[0].kind == Term<Real>::Kind::Gaussian;
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
      if (self && terms[t].singular())
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
