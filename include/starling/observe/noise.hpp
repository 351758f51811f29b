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

/// What a measurement fills and nobody reads afterwards; those who measure often keep it.
template <typename Real>
struct NoiseRoom {
  Batches again;
  Column<Real> first;
};

/// At the same positions and scores, the drift Phi on the batches at hand and Phi' on batches of
/// the same sizes, dealt anew, are independent. So |Phi - Phi'|^2 / 2 has the mean of the variance,
/// and Phi.Phi' that of the square of the mean, for any kernel. Everyone must be dealt, and
/// `particles.drift()` be up to date; it is left as it was found. One batch of all has no noise,
/// and then the drift is not called. Of a large cloud only every so many batches are dealt anew, of
/// about `fewest` particles: their partners are as good as drawn from all. Costs a deal and a drift
/// of them.
template <HostParticles P, Drifter<P> Drift>
DriftNoise drift_noise(Step k, P& particles, const Batches& batches, Drift&& drift,
                       std::uint64_t seed, std::size_t fewest, NoiseRoom<typename P::Real>& room) {
  auto& [again, first] = room;
  const std::size_t n = particles.count();
  const std::size_t stride =
      std::max<std::size_t>(1, std::min(batches.count(), n / std::max<std::size_t>(1, fewest)));
  const auto order = again.lay_out_like(batches, stride);
  permute(order, Philox(seed), Stream::probe, k);

  const auto phi = particles.drift();
  first.resize(order.size() * phi.dim); // of those who are dealt anew
  auto* kept = first.data();
  for (const std::uint32_t i : order)
    kept = copy_row(phi[i], kept);
  if (batches.count() > 1)
    drift(k, particles, again);
  double apart = 0, together = 0;
  kept = first.data();
  for (const std::uint32_t i : order)
    for (std::size_t a = 0; a < phi.dim; ++a, ++kept) {
      const auto one = static_cast<double>(*kept);
      const auto other = static_cast<double>(phi[i][a]);
      apart += (one - other) * (one - other);
      together += one * other;
      phi[i][a] = *kept;
    }
  const auto count = static_cast<double>(order.size());
  return {apart / (2 * count), together / count};
}

template <HostParticles P, Drifter<P> Drift>
DriftNoise drift_noise(Step k, P& particles, const Batches& batches, Drift&& drift,
                       std::uint64_t seed, std::size_t fewest = 16384) {
  NoiseRoom<typename P::Real> room;
  return drift_noise(k, particles, batches, drift, seed, fewest, room);
}

} // namespace starling
