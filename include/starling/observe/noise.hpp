// How much of the drift is chance: Lemma 1, measured by dealing twice.
#pragma once

#include <starling/concepts.hpp>
#include <starling/random/permute.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace starling {

/// Means over particles and squares summed over parameters.
struct DriftNoise {
  double variance = 0;       ///< E |chi_i|^2, the variance of Lemma 1
  double square_of_mean = 0; ///< |E Phi_i|^2, estimated without bias, so it can come out below zero

  /// rms of the random part / rms of the mean; NaN where the mean is lost in the noise.
  double ratio() const {
    if (variance == 0)
      return 0;
    return square_of_mean > 0 ? std::sqrt(variance / square_of_mean)
                              : std::numeric_limits<double>::quiet_NaN();
  }
};

/// At the same positions and scores, the drift Phi on the batches at hand and Phi' on batches of
/// the same sizes, dealt anew, are independent. So |Phi - Phi'|^2 / 2 has the mean of the variance,
/// and Phi.Phi' that of the square of the mean, for any kernel. Everyone must be dealt, and
/// `particles.drift()` be up to date; it is left as it was found. One batch of all has no noise,
/// and then the drift is not called. Of a large cloud only every so many particles are dealt anew,
/// at least `fewest`: their partners are as good as drawn from all. Costs a deal and a drift of
/// them.
template <typename Real, Drifter<Real> Drift>
DriftNoise drift_noise(Step k, Ensemble<Real>& particles, const Batches& batches, Drift&& drift,
                       std::uint64_t seed, std::size_t fewest = 16384) {
  const std::size_t n = batches.population;
  const std::size_t stride =
      std::max<std::size_t>(1, std::min(batches.count(), n / std::max<std::size_t>(1, fewest)));
  Batches again;
  again.population = n;
  again.time = batches.time;
  const auto order = again.lay_out(n / stride, batches.count() / stride);
  permute(order, Philox(seed), Stream::probe, k);
  for (std::uint32_t& i : order)
    i *= static_cast<std::uint32_t>(stride);

  const Rows<Real> phi = particles.drift();
  const Column<Real> first(phi.begin(), phi.end());
  if (batches.count() > 1)
    drift(k, particles, again);
  double apart = 0, together = 0;
  for (const std::uint32_t i : order)
    for (std::size_t m = i * phi.dim; m < (i + 1) * phi.dim; ++m) {
      const auto one = static_cast<double>(first[m]), other = static_cast<double>(phi.data[m]);
      apart += (one - other) * (one - other);
      together += one * other;
    }
  std::copy(first.begin(), first.end(), phi.begin());
  const auto count = static_cast<double>(order.size());
  return {apart / (2 * count), together / count};
}

} // namespace starling
