// Stochastic SVGD in batches of one: each particle by itself, with the mobility that Adam left.
#pragma once

#include <starling/advance/rules.hpp>
#include <starling/batches.hpp>
#include <starling/ensemble.hpp>
#include <starling/random/philox.hpp>
#include <starling/threads.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace starling {

/// X += M s + N(0, 2 T M), s the score of the particle's own log density. It leaves pi^(1/T) as it
/// is as M goes to 0. M = eta / (1 + sqrt(v)) in each coordinate, v the mean square that Adam came
/// to remember, and it stays: a mobility that followed the particle would need its own divergence
/// in the drift. 1 is for coordinates that have nothing but a prior of sd 1, and no drift to speak
/// of; without it they would leave in one step.
///
/// Coordinates from `with_noise` on have no noise: what all particles learn in common, from the
/// same drift. Noise is drawn by (seed, step, id of the particle), so it does not depend on
/// threads.
template <typename Real>
class LangevinStep {
public:
  /// The particles have moved by Adam before, at least once.
  LangevinStep(std::uint64_t seed, double eta, double temperature, std::size_t with_noise,
               Threads& threads = Threads::alone())
      : philox_(seed), rule_(eta, 0, 0.999, 1), temperature_(temperature), with_noise_(with_noise),
        threads_(&threads) {}

  template <HostParticles<Real> P, typename Flow>
  void operator()(Step k, P& particles, const Batches&, Flow&& flow) const {
    flow();
    threads_->for_pieces(particles.count(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        move(k, particles, i);
    });
  }

private:
  template <typename P>
  void move(Step k, P& particles, std::size_t i) const {
    const auto x = particles.position()[i], g = particles.drift()[i];
    const auto square = particles.memory(1)[i];
    const Corrected<Real> adam = rule_.at(0, particles.moves()[i] - 1);
    const std::uint64_t blocks = (x.size() + 1) / 2;
    for (std::size_t a = 0; a < x.size(); a += 2) {
      const auto normals =
          normal_pair(philox_(Stream::stochastic_batch, k, particles.id()[i] * blocks + a / 2));
      for (std::size_t b = a; b < x.size() && b < a + 2; ++b) {
        const double m =
            static_cast<double>(adam.eta / (std::sqrt(square[b] * adam.correction) + adam.floor));
        const double noise = b < with_noise_ ? std::sqrt(2 * temperature_ * m) : 0;
        x[b] += static_cast<Real>(m * static_cast<double>(g[b]) + noise * normals[b - a]);
      }
    }
  }

  Philox philox_;
  Adam<Real> rule_; // without a mean of g
  double temperature_;
  std::size_t with_noise_;
  Threads* threads_;
};

} // namespace starling
