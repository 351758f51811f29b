// How much of the drift is chance: Lemma 1, measured by dealing twice.
#pragma once

#include <starling/concepts.hpp>
#include <starling/random/permute.hpp>
#include <starling/threads.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

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

/// Numbers that are added in one sum; the sums are added in order, so that they are the same for
/// any number of threads.
inline constexpr std::size_t noise_block = 8192;

/// What a measurement fills and nobody reads afterwards; those who measure often keep it.
template <typename Real>
struct NoiseRoom {
  struct Sums {
    double apart = 0, product = 0;
  };
  Batches again;
  Column<Real> first;
  std::vector<Sums> sums; ///< of each block of numbers
};

/// At the same positions and scores, the drift Phi on the batches at hand and Phi' on batches of
/// the same sizes, dealt anew, are independent. So |Phi - Phi'|^2 / 2 has the mean of the variance,
/// and Phi.Phi' that of the square of the mean, for any kernel. Everyone must be dealt, and
/// `particles.drift()` be up to date; it is left as it was found. One batch of all has no noise,
/// and then the drift is not called. Of a large cloud only every so many batches are dealt anew, of
/// about `fewest` particles: their partners are as good as drawn from all. Costs a deal and a drift
/// of them. `by` brings rows into random order: `permute`, or one that gives the same order sooner.
template <HostParticles P, Drifter<P> Drift>
DriftNoise drift_noise(Step k, P& particles, const Batches& batches, Drift&& drift,
                       std::uint64_t seed, std::size_t fewest, NoiseRoom<typename P::Real>& room,
                       Threads& threads = Threads::alone(),
                       void (*by)(std::span<std::uint32_t>, const Philox&, Stream,
                                  Step) = permute) {
  auto& again = room.again;
  auto& first = room.first;
  auto& sums = room.sums;
  const std::size_t n = particles.count();
  const std::size_t stride =
      std::max<std::size_t>(1, std::min(batches.count(), n / std::max<std::size_t>(1, fewest)));
  const auto order = again.lay_out_like(batches, stride);
  by(order, Philox(seed), Stream::probe, k);

  const auto phi = particles.drift();
  first.resize(order.size() * phi.dim); // of those who are dealt anew
  constexpr std::size_t block = noise_block;
  sums.assign((first.size() + block - 1) / block, {});
  /// part(row, a, count, kept, sums): so many coordinates of a row from a on, their numbers in
  /// `first`, the sums of their block.
  const auto in_blocks = [&](auto&& part) {
    threads.for_pieces(first.size(), block, [&](std::size_t begin, std::size_t end) {
      for (std::size_t at = begin, count; at < end; at += count) {
        const std::size_t a = at % phi.dim;
        count = std::min(end - at, phi.dim - a);
        part(phi[order[at / phi.dim]], a, count, first.data() + at, sums[begin / block]);
      }
    });
  };
  in_blocks([](const auto& row, std::size_t a, std::size_t count, auto* kept, auto&) {
    for (std::size_t c = 0; c < count; ++c)
      kept[c] = row[a + c];
  });
  if (batches.count() > 1)
    drift(k, particles, again);
  in_blocks([](const auto& row, std::size_t a, std::size_t count, auto* kept, auto& to) {
    auto sum = to;
    for (std::size_t c = 0; c < count; ++c) {
      const auto one = static_cast<double>(kept[c]);
      const auto other = static_cast<double>(row[a + c]);
      sum.apart += (one - other) * (one - other);
      sum.product += one * other;
      row[a + c] = kept[c];
    }
    to = sum;
  });
  double apart = 0, product = 0;
  for (const auto& sum : sums) {
    apart += sum.apart;
    product += sum.product;
  }
  const auto count = static_cast<double>(order.size());
  return {apart / (2 * count), product / count};
}

template <HostParticles P, Drifter<P> Drift>
DriftNoise drift_noise(Step k, P& particles, const Batches& batches, Drift&& drift,
                       std::uint64_t seed, std::size_t fewest = 16384) {
  NoiseRoom<typename P::Real> room;
  return drift_noise(k, particles, batches, drift, seed, fewest, room);
}

} // namespace starling
