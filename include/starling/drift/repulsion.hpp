// Each particle follows its own score, and the kernel only keeps particles apart.
#pragma once

#include <starling/batches.hpp>
#include <starling/ensemble.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace starling {

/// Makes of another drift, which is linear in the scores, with a kernel for each coordinate,
///     Phi_ia = s_ia - strength d/dx_a log rho_a(x_i),   rho_a(x) = sum over j of K_a(x, x_j)
/// SVGD moves a particle by the mean of its neighbours' scores. Where they disagree the mean is
/// small, and few particles in very many dimensions follow their own poorly: networks then fit
/// worse together than one of them alone. Here the score counts whole, and the slope of the cloud's
/// own density is what keeps it wide: the two are equal where rho^strength = pi.
///
/// Two sweeps of the other drift: with scores 0 it gives the sum of slopes, with scores 1 also the
/// sum of K. So it costs O(N p d) and a pass, whatever the kernel's fastest sweep is.
template <typename Real, typename Drift>
class RepulsionDrift {
public:
  RepulsionDrift(Drift drift, Real strength) : drift_(std::move(drift)), strength_(strength) {}

  void operator()(Step k, Ensemble<Real>& particles, const Batches& batches) {
    const Rows<Real> score = particles.score();
    own_.assign(score.begin(), score.end());
    std::fill(score.begin(), score.end(), Real(0));
    drift_(k, particles, batches);
    const Rows<Real> drift = particles.drift();
    slopes_.assign(drift.begin(), drift.end());
    std::fill(score.begin(), score.end(), Real(1));
    drift_(k, particles, batches);
    for (std::size_t n = 0; n < own_.size(); ++n) {
      const Real density = drift.data[n] - slopes_[n]; // at least K(x, x)/N: no division by zero
      drift.data[n] = own_[n] + strength_ * slopes_[n] / density;
      score.data[n] = own_[n];
    }
  }

private:
  Drift drift_;
  Real strength_;
  std::vector<Real> own_, slopes_;
};

} // namespace starling
