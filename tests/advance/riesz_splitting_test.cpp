// The splitting for Riesz kernels against a fine Runge-Kutta solution of the whole drift.
#include <starling/advance/explicit_step.hpp>
#include <starling/advance/riesz_splitting.hpp>
#include <starling/advance/runge_kutta.hpp>
#include <starling/concepts.hpp>
#include <starling/drift/pairwise.hpp>
#include <starling/kernel/riesz.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using namespace starling;
using kernel::Riesz;
using kernel::RieszAttraction;

static_assert(Advancer<RieszSplitting<double>, Ensemble<double>>);

constexpr double exponent = 1, time_span = 0.2;
constexpr std::size_t dim = 2;

// Particles 2m and 2m + 1 are close together, `gap` times (1, 2) apart.
Ensemble<double> start(std::size_t count, double gap) {
  Ensemble<double> particles(count, dim);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t a = 0; a < dim; ++a)
      particles.position()[i][a] =
          std::sin(3.0 * double(i / 2) + double(a) + 1) + (i % 2 ? gap * double(a + 1) : 0.0);
  return particles;
}

// Pairs of neighbours; when the count is odd the first batch has three.
Batches neighbours(std::size_t count) {
  Batches batches;
  batches.population = count;
  batches.lay_out(count, Batches::pieces(count, 2));
  return batches;
}

// One step of any advancer under the score of the standard normal.
template <typename Drift, typename Advance>
void step(Ensemble<double>& particles, Drift& drift, Advance& advance, double pull = 1) {
  const Batches batches = neighbours(particles.count());
  advance(0, particles, batches, [&] {
    for (std::size_t n = 0; n < particles.position().size(); ++n)
      particles.score().data[n] = -pull * particles.position().data[n];
    drift(0, particles, batches);
  });
}

double closest(const Ensemble<double>& particles) {
  double least = INFINITY;
  const Batches batches = neighbours(particles.count());
  for (std::size_t q = 0; q < batches.count(); ++q)
    for (const std::uint32_t i : batches[q])
      for (const std::uint32_t j : batches[q])
        if (i < j)
          least =
              std::min(least, std::hypot(particles.position()[i][0] - particles.position()[j][0],
                                         particles.position()[i][1] - particles.position()[j][1]));
  return least;
}

// The truth: Runge-Kutta on the whole Riesz drift, with steps short against the time r^(a+2) in
// which a pair at distance r parts.
Ensemble<double> truth(std::size_t count, double gap, double span) {
  auto particles = start(count, gap);
  PairwiseDrift<double, Riesz<double>> drift{Riesz<double>(exponent)};
  for (double t = 0; t < span;) {
    const double eta =
        std::min({1e-3, 0.02 * std::pow(closest(particles), exponent + 2), span - t});
    RungeKutta4<double> advance(eta);
    step(particles, drift, advance);
    t = eta == span - t ? span : t + eta;
  }
  return particles;
}

double gap_between(const Ensemble<double>& one, const Ensemble<double>& other) {
  double worst = 0;
  for (std::size_t n = 0; n < one.position().size(); ++n)
    worst = std::max(worst, std::abs(one.position().data[n] - other.position().data[n]));
  return worst;
}

double splitting_error(const Ensemble<double>& exact, double gap, double span, int steps) {
  auto particles = start(exact.count(), gap);
  PairwiseDrift<double, RieszAttraction<double>> drift{RieszAttraction<double>(exponent)};
  RieszSplitting<double> advance(span / steps, exponent);
  for (int k = 0; k < steps; ++k)
    step(particles, drift, advance);
  return gap_between(particles, exact);
}

double euler_error(const Ensemble<double>& exact, double gap, double span, int steps) {
  auto particles = start(exact.count(), gap);
  PairwiseDrift<double, Riesz<double>> drift{Riesz<double>(exponent)};
  ExplicitStep<double, ConstantStep<double>> advance(ConstantStep<double>(span / steps));
  for (int k = 0; k < steps; ++k)
    step(particles, drift, advance);
  return gap_between(particles, exact);
}

// The rest is solved by Euler, so one step errs by eta^2 and a span by eta.
TEST(RieszSplitting, ErrsInOneStepByTheSquareOfItsLength) {
  for (double span = 0.1; span > 0.02; span /= 2) {
    const double ratio = splitting_error(truth(4, 1.0, span), 1.0, span, 1) /
                         splitting_error(truth(4, 1.0, span / 2), 1.0, span / 2, 1);
    EXPECT_GT(ratio, 3.6);
    EXPECT_LT(ratio, 4.4);
  }
}

// Four particles make two pairs; five make a batch of three and a pair.
TEST(RieszSplitting, ConvergesToTheFineSolutionForPairsAndABatchOfThree) {
  for (const std::size_t count : {4u, 5u}) {
    const auto exact = truth(count, 0.3, time_span);
    double before = splitting_error(exact, 0.3, time_span, 16);
    EXPECT_LT(before, 3e-3);
    for (const int steps : {32, 64, 128}) {
      const double now = splitting_error(exact, 0.3, time_span, steps);
      EXPECT_NEAR(before / now, 2, 0.1) << count << " particles, " << steps << " steps";
      before = now;
    }
  }
}

// From a hundredth apart, one step over the whole span is right to 2 %, where Euler leaps away.
TEST(RieszSplitting, CopesWithAPairThatIsCloseTogether) {
  for (const std::size_t count : {4u, 5u}) {
    const auto exact = truth(count, 0.01, time_span);
    EXPECT_LT(splitting_error(exact, 0.01, time_span, 1), 0.02);
    EXPECT_LT(splitting_error(exact, 0.01, time_span, 64), 2e-3);
    EXPECT_GT(euler_error(exact, 0.01, time_span, 1), 100);
    EXPECT_GT(euler_error(exact, 0.01, time_span, 64), 1);
  }
}

// Without a score |u|^(a+2) grows by 2 w a (a+2) t exactly, in one step or in many, w = 3/4 for N
// = 4.
TEST(RieszSplitting, IsExactForTheRepulsionAlone) {
  for (const double a : {0.5, 1.0, 2.5})
    for (const int steps : {1, 7}) {
      auto particles = start(4, 0.05);
      const auto before = start(4, 0.05);
      PairwiseDrift<double, RieszAttraction<double>> drift{RieszAttraction<double>(a)};
      RieszSplitting<double> advance(0.7 / steps, a);
      for (int k = 0; k < steps; ++k)
        step(particles, drift, advance, 0);
      for (const std::size_t i : {0u, 2u}) {
        const double old = 0.05 * std::sqrt(5.0);
        const double wide =
            std::pow(std::pow(old, a + 2) + 2 * 0.75 * a * (a + 2) * 0.7, 1 / (a + 2));
        for (std::size_t c = 0; c < dim; ++c) { // along the old direction, about the old centre
          const double centre = (before.position()[i][c] + before.position()[i + 1][c]) / 2;
          const double half = (before.position()[i + 1][c] - before.position()[i][c]) / 2;
          EXPECT_NEAR(particles.position()[i + 1][c], centre + half * wide / old, 1e-13);
          EXPECT_NEAR(particles.position()[i][c], centre - half * wide / old, 1e-13);
        }
      }
      EXPECT_EQ(particles.moves()[3], std::uint32_t(steps));
    }
}

TEST(RieszSplitting, PartsParticlesThatAreInOnePlace) {
  Ensemble<float> particles(2, 3);
  std::ranges::fill(particles.position(), 1.5f);
  Batches batches = neighbours(2);
  RieszSplitting<float> advance(0.1, 1.0);
  advance(0, particles, batches, [&] { std::ranges::fill(particles.drift(), 0.0f); });
  const double wide = std::cbrt(2 * 0.5 * 3 * 0.1); // w = 1/2, a = 1: |u|^3 grows by 6 w t
  EXPECT_NEAR(std::abs(particles.position()[0][0] - particles.position()[1][0]), wide, 1e-6);
  EXPECT_NEAR((particles.position()[0][0] + particles.position()[1][0]) / 2, 1.5, 1e-6);
  EXPECT_EQ(particles.position()[0][1], 1.5f);
}

TEST(RieszSplitting, PartsThreeParticlesThatAreInOnePlace) {
  Ensemble<double> particles(3, 2);
  std::ranges::fill(particles.position(), -0.5);
  RieszSplitting<double> advance(0.1, 1.0);
  advance(0, particles, neighbours(3), [&] { std::ranges::fill(particles.drift(), 0.0); });
  EXPECT_GT(closest(particles), 0.05);
  EXPECT_LT(closest(particles), 2);
}

TEST(RieszSplitting, LeavesPositionsAsTheyWereWhenTheFlowThrows) {
  auto particles = start(5, 0.1);
  const auto before = start(5, 0.1);
  RieszSplitting<double> advance(0.1, 1.0);
  EXPECT_THROW(advance(0, particles, neighbours(5), [] { throw std::runtime_error("no"); }),
               std::runtime_error);
  EXPECT_EQ(gap_between(particles, before), 0);
  EXPECT_EQ(particles.moves()[0], 0u);
}

} // namespace
