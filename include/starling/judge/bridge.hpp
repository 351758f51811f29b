// The log evidence of a density by bridge sampling: draws of it against draws of a fit.
#pragma once

#include <cstddef>
#include <span>

namespace starling::judge {

/// Logarithm of the integral of a density that need not be normalised.
struct LogEvidence {
  double value = 0, se = 0;
  /// Of the two densities, in [0, 1]: the integral of p q / (p/2 + q/2).
  double overlap = 0;
  std::size_t draws = 0; ///< of the density, and as many of the fit

  /// Draws that say something: where the fit is also.
  double worth() const { return overlap * double(draws); }

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("value", self.value);
    visit("se", self.se);
    visit("overlap", self.overlap);
    visit("draws", self.draws);
  }
};

/// Fewer draws than that say too little: neither value nor error can be trusted.
inline constexpr double least_worth = 100;

/// From l = log p - log q, q normalised, at draws of p and at independent draws of q. Draws of p
/// come from `walkers` chains, one cloud after another: those of a chain may depend on each other
/// and chains may not, so that the error is that of the chains' means. log Z is where
///     mean over q of 1 / (1/2 + e^(r - l) / 2)  =  mean over p of 1 / (1/2 + e^(l - r) / 2).
/// The left falls with r and the right rises, so that there is one such r; both are the overlap.
/// To first order an error of r inside the means changes nothing (Meng and Wong, 1996), so that
///     se^2 = var(left) / left^2 + var(right) / right^2.
/// A log ratio may be -infinity, of places where p is zero. Values are NaN where no draw of q is
/// where p is not zero.
LogEvidence bridge(std::span<const double> at_draws, std::size_t walkers,
                   std::span<const double> at_fit);

/// Of two estimates from draws of their own: the error is at least what they are apart from their
/// mean.
LogEvidence mean_of(const LogEvidence& a, const LogEvidence& b);

} // namespace starling::judge
