// The formulas of targets that a device can score as well as the host, over plain numbers and
// pointers.
#pragma once

#include <starling/device.hpp>

#include <cmath>
#include <cstddef>

namespace starling {

/// EvenNormal's score of coordinate a is shared(pull_a, sum of all pulls).
template <typename Real>
struct EvenNormalForm {
  Real precision = 1, share = 0; // 1 / (v (1 - rho)), c

  STARLING_DEVICE Real pull(Real mean, Real x) const { return (mean - x) * precision; }
  STARLING_DEVICE Real shared(Real pull, Real total) const { return pull - share * total; }
};

/// Mixture's density and score of one particle, by components x d and components x d x d numbers.
template <typename Real>
struct MixtureForm {
  std::size_t dim, components;
  const Real *constants, *means, *precisions;

  /// One pass, rescaled whenever a larger component turns up. `pull` is room for d numbers.
  STARLING_DEVICE Real operator()(const Real* x, Real* score, Real* pull) const {
    Real top = -INFINITY, total = 0;
    for (std::size_t c = 0; c < components; ++c) {
      const Real* mean = means + c * dim;
      const Real* precision = precisions + c * dim * dim;
      Real quadratic = 0;
      for (std::size_t a = 0; a < dim; ++a) { // pull = -P_c (x - m_c)
        Real sum = 0;
        for (std::size_t b = 0; b < dim; ++b)
          sum += precision[a * dim + b] * (mean[b] - x[b]);
        pull[a] = sum;
        quadratic += sum * (mean[a] - x[a]);
      }
      const Real log_share = constants[c] - quadratic / 2;
      const Real keep = log_share > top ? std::exp(top - log_share) : Real(1);
      const Real share = log_share > top ? Real(1) : std::exp(log_share - top);
      top = top < log_share ? log_share : top;
      total = total * keep + share;
      for (std::size_t a = 0; a < dim; ++a)
        score[a] = (c == 0 ? Real(0) : score[a] * keep) + share * pull[a];
    }
    for (std::size_t a = 0; a < dim; ++a)
      score[a] /= total;
    return top + std::log(total);
  }
};

} // namespace starling
