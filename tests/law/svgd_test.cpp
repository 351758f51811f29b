// SVGD as the case of one batch: p = N, N = 1, and the symmetries of its drift.
#include <starling/advance/explicit_step.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/deal/whole.hpp>
#include <starling/drift/pairwise.hpp>
#include <starling/drift/reference.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/kernel/inverse_multiquadric.hpp>
#include <starling/kernel/polynomial.hpp>
#include <starling/observe/in_turn.hpp>
#include <starling/random/start.hpp>
#include <starling/rbm_svgd.hpp>
#include <starling/target/lift.hpp>
#include <starling/target/score.hpp>
#include <starling/target/shapes.hpp>

#include "support/hash.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace starling {
namespace {

using Radial = kernel::Gaussian<double>;
using Dot = kernel::Polynomial<double>;

constexpr auto bowl = [](std::span<const double> x, std::span<double> score) {
  double log_density = 0; // normal with mean (1, 2, ...) and precision 0.5
  for (std::size_t a = 0; a < x.size(); ++a) {
    const double off = x[a] - (1.0 + static_cast<double>(a));
    score[a] = -0.5 * off;
    log_density -= 0.25 * off * off;
  }
  return log_density;
};

template <typename Deal, typename F>
Ensemble<double> run(std::size_t n, std::size_t dim, F density, Deal deal, Step steps, double eta) {
  Ensemble<double> particles(n, dim);
  start_normal(particles.position(), 5, -1, 1);
  auto target = lift<double>(dim, density);
  rbm_svgd(particles, Span{0, steps}, deal, score_of<double>(target),
           PairwiseDrift<double, Radial>(Radial(0.5)),
           ExplicitStep<double, ConstantStep<double>>(ConstantStep<double>(eta)), NoObserver());
  return particles;
}

TEST(Svgd, IsTheShuffleWithOneBatchOfAllBitForBit) {
  for (const std::size_t n : {2u, 7u, 50u}) {
    const auto whole = run(n, 2, bowl, Whole(), 40, 0.2);
    const auto shuffled = run(n, 2, bowl, Shuffle(9, n), 40, 0.2);
    EXPECT_EQ(support::hash_of(whole.position()), support::hash_of(shuffled.position())) << n;
    const auto start = run(n, 2, bowl, Whole(), 0, 0.2);
    EXPECT_NE(support::hash_of(whole.position()), support::hash_of(start.position())) << n;
  }
}

TEST(Svgd, WithOneParticleTakesTheStepsOfGradientAscent) {
  constexpr Step steps = 10;
  const auto ascended = run(1, 3, bowl, Whole(), steps, 0.3);
  auto expected = run(1, 3, bowl, Whole(), 0, 0.3);
  for (Step k = 0; k < steps; ++k) {
    bowl(std::as_const(expected).position()[0], expected.score()[0]);
    for (std::size_t a = 0; a < 3; ++a)
      expected.position()[0][a] += 0.3 * expected.score()[0][a];
  }
  for (std::size_t a = 0; a < 3; ++a)
    EXPECT_EQ(ascended.position()[0][a], expected.position()[0][a]);
}

TEST(Svgd, WithOneParticleFindsTheModeOfANormal) {
  const auto mode = run(1, 3, bowl, Whole(), 400, 0.3);
  for (std::size_t a = 0; a < 3; ++a)
    EXPECT_NEAR(mode.position()[0][a], 1.0 + static_cast<double>(a), 1e-12);
}

TEST(Svgd, WithOneParticleFindsTheModeOfTheBanana) {
  constexpr double curvature = 0.5, width = 1.5;
  const auto mode = run(1, 2, Banana<double>(curvature, width), Whole(), 4000, 0.05);
  EXPECT_NEAR(mode.position()[0][0], 0, 1e-9); // where both squares vanish
  EXPECT_NEAR(mode.position()[0][1], -curvature * width * width, 1e-9);
}

Ensemble<double> cloud(std::size_t n) {
  Ensemble<double> particles(n, 2);
  start_normal(particles.position(), 3, 0, 1);
  start_normal(particles.score(), 4, 0, 1);
  return particles;
}

/// The drift after some change of the cloud, as a vector.
template <typename Drift>
std::vector<double> drift_of(Ensemble<double>& particles, const Batches& batches, Drift drift) {
  drift(0, particles, batches);
  return {particles.drift().begin(), particles.drift().end()};
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

/// How far the drift of renamed particles is from the renamed drift.
template <typename Drift>
double asymmetry(std::size_t pieces, Drift drift) {
  constexpr std::size_t n = 13;
  Ensemble<double> particles = cloud(n);
  Batches batches;
  batches.population = n;
  auto order = batches.lay_out(n, pieces);
  const auto before = drift_of(particles, batches, drift);

  // Particle i becomes particle 5 i + 2 modulo 13, in the rows and in the batches alike.
  const auto renamed = [](std::size_t i) { return (5 * i + 2) % n; };
  const Ensemble<double> old = particles;
  std::vector<double> expected(before.size());
  for (std::size_t i = 0; i < n; ++i) {
    std::ranges::copy(old.position()[i], particles.position()[renamed(i)].begin());
    std::ranges::copy(old.score()[i], particles.score()[renamed(i)].begin());
    for (std::size_t a = 0; a < 2; ++a)
      expected[renamed(i) * 2 + a] = before[i * 2 + a];
  }
  if (pieces > 1) // one batch of all keeps its order, and so adds up in another
    for (std::uint32_t& i : order)
      i = static_cast<std::uint32_t>(renamed(i));
  return largest_difference(drift_of(particles, batches, drift), expected);
}

TEST(Svgd, DoesNotCareWhatTheParticlesAreCalled) {
  for (const std::size_t pieces : {1u, 4u, 6u}) {
    EXPECT_LT(asymmetry(pieces, PairwiseDrift<double, Radial>(Radial(0.5))), 1e-14);
    EXPECT_LT(asymmetry(pieces, PairwiseDrift<double, Dot>(Dot(0.5, 2))), 1e-13);
    EXPECT_LT(asymmetry(pieces, ReferenceDrift<double, Radial>(Radial(0.5))), 1e-14);
  }
}

/// How far the drift changes when all positions move together and the scores stay.
template <typename Drift>
double change_by_translation(Drift drift) {
  constexpr std::size_t n = 12;
  Ensemble<double> particles = cloud(n);
  Batches batches;
  batches.population = n;
  batches.lay_out(n, 3);
  const auto before = drift_of(particles, batches, drift);
  for (std::size_t i = 0; i < n; ++i) {
    particles.position()[i][0] += 17.25;
    particles.position()[i][1] -= 3.5;
  }
  return largest_difference(drift_of(particles, batches, drift), before);
}

TEST(Svgd, DoesNotCareWhereARadialKernelHasItsOrigin) {
  using Multiquadric = kernel::InverseMultiquadric<double>;
  EXPECT_LT(change_by_translation(PairwiseDrift<double, Radial>(Radial(0.5))), 1e-13);
  EXPECT_LT(change_by_translation(PairwiseDrift<double, Multiquadric>(Multiquadric(0.5))), 1e-13);
  EXPECT_LT(change_by_translation(ReferenceDrift<double, Radial>(Radial(0.5))), 1e-13);
  // An inner product does have an origin, and the check sees it.
  EXPECT_GT(change_by_translation(PairwiseDrift<double, Dot>(Dot(0.5, 2))), 1);
}

} // namespace
} // namespace starling
