// The Langevin step: its mean and its noise by the formula, whatever the threads are.
#include <starling/advance/langevin_step.hpp>
#include <starling/deal/whole.hpp>
#include <starling/random/start.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace starling {
namespace {

constexpr std::size_t langevin_count = 4000, langevin_dim = 3, langevin_with_noise = 2;
constexpr double langevin_square = 25, langevin_drift = 0.7;

/// Particles at 0 that Adam has moved once, and that remember the mean square 25.
Ensemble<double> remembering() {
  Ensemble<double> particles(langevin_count, langevin_dim);
  particles.remember(2);
  for (double& square : particles.memory(1))
    square = langevin_square * (1 - 0.999); // after one move
  for (std::uint32_t& moves : particles.moves())
    moves = 1;
  return particles;
}

Ensemble<double> moved(double temperature, std::uint64_t seed, std::size_t threads = 1) {
  Ensemble<double> particles = remembering();
  Threads crew(threads);
  Whole deal;
  const Batches& batches = deal(0, particles);
  LangevinStep<double>(seed, 0.06, temperature, langevin_with_noise,
                       crew)(5, particles, batches, [&] {
    for (double& drift : particles.drift())
      drift = langevin_drift;
  });
  return particles;
}

TEST(LangevinStep, HasTheMeanAndTheNoiseOfTheFormula) {
  const double mobility = 0.06 / (1 + std::sqrt(langevin_square)); // .01
  for (const double temperature : {1.0, 0.25}) {
    const Ensemble<double> now = moved(temperature, 3);
    for (std::size_t a = 0; a < langevin_dim; ++a) {
      double mean = 0, square = 0;
      for (std::size_t i = 0; i < langevin_count; ++i) {
        const double z = now.position()[i][a] - mobility * langevin_drift;
        mean += z / langevin_count;
        square += z * z / langevin_count;
      }
      if (a >= langevin_with_noise) {
        EXPECT_NEAR(square, 0, 1e-20);
        continue;
      }
      const double variance = 2 * temperature * mobility;
      EXPECT_NEAR(mean, 0, 4 * std::sqrt(variance / langevin_count));
      EXPECT_NEAR(square / variance, 1, 4 * std::sqrt(2.0 / langevin_count));
      // The control: noise of variance M instead of 2 M would be seen.
      EXPECT_GT(std::abs(square / (variance / 2) - 1), 4 * std::sqrt(2.0 / langevin_count));
    }
  }
}

TEST(LangevinStep, HasTheSameNoiseForAnyNumberOfThreadsAndAnotherForAnotherSeed) {
  const auto positions = [](const Ensemble<double>& e) {
    return std::vector<double>(e.position().begin(), e.position().end());
  };
  const auto one = positions(moved(1, 3));
  EXPECT_EQ(one, positions(moved(1, 3, 3)));
  EXPECT_NE(one, positions(moved(1, 4)));
}

} // namespace
} // namespace starling
