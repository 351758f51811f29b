// Step rules in vectors against the same rules coordinate by coordinate, at every level.
#include "simd/every_level.hpp"

#include <starling/batches.hpp>
#include <starling/cpu/explicit_step.hpp>
#include <starling/deal/draw.hpp>
#include <starling/deal/whole.hpp>
#include <starling/random/start.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace starling {
namespace {

using simd_tests::at_every_level;

/// The drift at a place is a number between -3 and 3 that changes from step to step, zero at times.
template <typename Real>
void make_drift(Step k, Ensemble<Real>& particles) {
  Real* g = particles.drift().data;
  for (std::size_t n = 0; n < particles.count() * particles.dim(); ++n)
    g[n] = n % 7 == 3 ? Real(0) : static_cast<Real>(3 * std::sin(double(n) * 0.37 + double(k)));
}

/// The largest |difference| of positions and memory after some moves, in units of eps times what
/// was added up. A quotient and a root differ by 2 ulp at most, in each of the moves.
template <typename Real, typename Rule, typename Deal>
double gap(const Rule& rule, std::size_t count, std::size_t dim, Deal deal) {
  constexpr Step moves = 5;
  Ensemble<Real> fast(count, dim);
  start_normal(fast.position(), 1, 0, 1);
  Ensemble<Real> slow = fast;
  cpu::ExplicitStep<Real, Rule> in_vectors(rule);
  ExplicitStep<Real, Rule> one_by_one(rule);
  for (Step k = 0; k < moves; ++k) {
    const Batches& batches = deal(k, fast);
    in_vectors(k, fast, batches, [&] { make_drift(k, fast); });
    one_by_one(k, slow, batches, [&] { make_drift(k, slow); });
  }
  double worst = 0;
  const double eps = std::numeric_limits<Real>::epsilon();
  const auto compare = [&](Rows<const Real> a, Rows<const Real> b) {
    for (std::size_t n = 0; n < count * dim; ++n)
      worst = std::max(worst, std::abs(double(a.data[n]) - double(b.data[n])) /
                                  (eps * 4 * double(moves) * (1 + std::abs(double(b.data[n])))));
  };
  compare(std::as_const(fast).position(), std::as_const(slow).position());
  for (std::size_t c = 0; c < Rule::memories; ++c)
    compare(std::as_const(fast).memory(c), std::as_const(slow).memory(c));
  return worst;
}

template <typename Real, typename Rule>
void expect_twins(const Rule& rule) {
  at_every_level([&] {
    for (const std::size_t count : {1u, 2u, 3u, 9u, 33u, 200u})
      for (const std::size_t dim : {1u, 2u, 5u, 17u}) {
        EXPECT_LE((gap<Real>(rule, count, dim, Whole())), 1) << "N " << count << ", d " << dim;
        if (count > 4) { // only some move, and not equally often
          EXPECT_LE((gap<Real>(rule, count, dim, Draw(1, 3))), 1) << "N " << count << ", d " << dim;
        }
      }
  });
}

TEST(SimdAdvance, EqualsItsSlowTwinForEveryRule) {
  expect_twins<double>(ConstantStep<double>(0.1));
  expect_twins<double>(DecayingStep<double>(0.1, 10, 0.6));
  expect_twins<double>(FadingAdaGrad<double>(0.1));
  expect_twins<double>(SummingAdaGrad<double>(0.1));
  expect_twins<double>(RmsProp<double>(0.1));
  expect_twins<double>(Adam<double>(0.1));
}
TEST(SimdAdvance, EqualsItsSlowTwinInSinglePrecision) {
  expect_twins<float>(ConstantStep<float>(0.1));
  expect_twins<float>(DecayingStep<float>(0.1, 10, 0.6));
  expect_twins<float>(FadingAdaGrad<float>(0.1));
  expect_twins<float>(SummingAdaGrad<float>(0.1));
  expect_twins<float>(RmsProp<float>(0.1));
  expect_twins<float>(Adam<float>(0.1));
}

// A drift whose square overflows has an infinite memory, and its particle stands still: at every
// level, NEON's estimates too.
TEST(SimdAdvance, StandsStillWhereTheMemoryOverflows) {
  at_every_level([] {
    Ensemble<float> particles(33, 2);
    cpu::ExplicitStep<float, FadingAdaGrad<float>> step(FadingAdaGrad<float>(0.1));
    step(0, particles, Whole()(0, particles),
         [&] { std::ranges::fill_n(particles.drift().data, 66, 1e20f); });
    for (std::size_t n = 0; n < 66; ++n)
      EXPECT_EQ(std::as_const(particles).position().data[n], 0) << n;
  });
}

TEST(SimdAdvance, IsToldApartFromAnotherRule) {
  Ensemble<double> fast(64, 2);
  Ensemble<double> slow = fast;
  Whole deal;
  const Batches& batches = deal(0, fast);
  cpu::ExplicitStep<double, FadingAdaGrad<double>>(FadingAdaGrad<double>(0.1))(
      0, fast, batches, [&] { make_drift(0, fast); });
  ExplicitStep<double, RmsProp<double>>(RmsProp<double>(0.1))(0, slow, batches,
                                                              [&] { make_drift(0, slow); });
  EXPECT_GT(std::abs(fast.position().data[1] - slow.position().data[1]), 1e-3);
}

#if defined(__x86_64__)
/// Where roots are taken by Newton steps they are still those of the machine: draws of such a level
/// stay what they were.
TEST(SimdAdvance, TakesTheRootsOfTheMachineInDouble) {
  constexpr std::size_t count = 4096;
  const auto step = FadingAdaGrad<double>(0.1).at(0, 3);
  at_every_level([&] {
    for (int power = -300; power <= 300; power += 20) {
      std::vector<double> x(count), g(count), m(count);
      for (std::size_t n = 0; n < count; ++n) {
        x[n] = std::sin(double(n));
        g[n] = n % 97 == 5 ? 0 : std::sin(0.37 * double(n)) * std::pow(10.0, power / 2);
        m[n] = n % 97 == 5 ? 0 : (1 + std::sin(0.61 * double(n))) * std::pow(10.0, power);
      }
      std::vector<double> slow_x = x, slow_m = m;
      cpu::move<1>(step, Moving<double>{x.data(), g.data(), {m.data(), nullptr}, count});
      OneByOne::move<1>(step,
                        Moving<double>{slow_x.data(), g.data(), {slow_m.data(), nullptr}, count},
                        Euclid<double>());
      EXPECT_EQ(x, slow_x) << "10^" << power;
      EXPECT_EQ(m, slow_m) << "10^" << power;
    }
  });
}
#endif

} // namespace
} // namespace starling
