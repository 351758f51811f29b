// The torus: distances and drifts that do not see whole turns, positions that stay inside.
#include <starling/advance/explicit_step.hpp>
#include <starling/advance/runge_kutta.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/domain.hpp>
#include <starling/drift/pairwise.hpp>
#include <starling/drift/reference.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/kernel/inverse_multiquadric.hpp>
#include <starling/observe/in_turn.hpp>
#include <starling/random/start.hpp>
#include <starling/rbm_svgd.hpp>
#include <starling/target/lift.hpp>
#include <starling/target/score.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace starling {
namespace {

constexpr double period = 2.5;

TEST(Torus, MeasuresShortDistancesAsTheLineDoes) {
  const Torus<double> torus(period);
  EXPECT_NEAR(torus.chord(1e-4), 1e-4, 1e-11);
  EXPECT_NEAR(torus.pull(1e-4), 1e-4, 1e-11);
  EXPECT_NEAR(torus.chord(period), 0, 1e-15); // a whole turn is no distance
  EXPECT_NEAR(torus.pull(period / 2), 0, 1e-15);
  EXPECT_NEAR(torus.chord(period / 2), period / std::numbers::pi, 1e-15); // the diameter
}

TEST(Torus, PullsDownTheSlopeOfTheSquaredDistance) {
  const Torus<double> torus(period);
  constexpr double step = 1e-5;
  for (double delta = -4; delta < 4; delta += 0.17) {
    const auto squared = [&](double y) { return std::pow(torus.chord(delta - y), 2); };
    EXPECT_NEAR(torus.pull(delta), -(squared(step) - squared(-step)) / (4 * step), 1e-9) << delta;
  }
}

/// How far the drift changes when some particles go round by whole turns.
template <typename Drift>
double change_by_turns(Drift drift) {
  constexpr std::size_t n = 12;
  Ensemble<double> particles(n, 2);
  start_uniform(particles.position(), 1, 0, period);
  start_normal(particles.score(), 2, 0, 1);
  Batches batches;
  batches.population = n;
  batches.lay_out(n, 2);
  drift(0, particles, batches);
  const std::vector<double> before(particles.drift().begin(), particles.drift().end());
  for (std::size_t i = 0; i < n; ++i) {
    particles.position()[i][0] += period * (static_cast<double>(i % 5) - 2);
    particles.position()[i][1] += period * (static_cast<double>(i % 3) - 1);
  }
  drift(0, particles, batches);
  double worst = 0;
  for (std::size_t c = 0; c < before.size(); ++c)
    worst = std::max(worst, std::abs(particles.drift().data[c] - before[c]));
  return worst;
}

TEST(Torus, GivesADriftThatDoesNotSeeWholeTurns) {
  using Gaussian = kernel::Gaussian<double>;
  using Multiquadric = kernel::InverseMultiquadric<double>;
  const Torus<double> torus(period);
  Threads& alone = Threads::alone();
  EXPECT_LT(change_by_turns(ReferenceDrift<double, Gaussian, Torus<double>>(Gaussian(0.3), torus)),
            1e-13);
  EXPECT_LT(
      change_by_turns(PairwiseDrift<double, Gaussian, Torus<double>>(Gaussian(0.3), alone, torus)),
      1e-13);
  EXPECT_LT(change_by_turns(PairwiseDrift<double, Multiquadric, Torus<double>>(Multiquadric(0.3),
                                                                               alone, torus)),
            1e-13);
  EXPECT_GT(change_by_turns(PairwiseDrift<double, Gaussian>(Gaussian(0.3))), 0.1); // the line does
}

template <typename Real>
void expect_wrapped(Real length) {
  const Torus<Real> torus(length);
  for (int turns = -300; turns <= 300; ++turns) {
    const Real whole = static_cast<Real>(turns) * length;
    for (const Real x : {whole, std::nextafter(whole, Real(-1e6)), std::nextafter(whole, Real(1e6)),
                         whole + length / 3}) {
      const Real inside = torus.wrap(x);
      ASSERT_GE(inside, Real(0)) << "x " << x << ", period " << length;
      ASSERT_LT(inside, length) << "x " << x << ", period " << length;
      // The same point of the circle, up to the rounding of x itself.
      ASSERT_NEAR(torus.chord(inside - x), Real(0),
                  10 * std::numeric_limits<Real>::epsilon() * (1 + std::abs(x)));
    }
  }
}

TEST(Torus, WrapsEveryPositionIntoZeroToThePeriod) {
  for (const double length : {1.0, 0.1, 3.0, 2 * std::numbers::pi, 1e-3}) {
    expect_wrapped<double>(length);
    expect_wrapped<float>(static_cast<float>(length));
  }
  EXPECT_EQ(Torus<double>(1).wrap(-1e-300), 0);
}

TEST(Torus, LeavesWhatIsNotANumberForTheGuardToSee) {
  const Torus<double> torus(period);
  EXPECT_FALSE(std::isfinite(torus.wrap(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_FALSE(std::isfinite(torus.wrap(std::numeric_limits<double>::infinity())));
  EXPECT_FALSE(std::isfinite(torus.wrap(-std::numeric_limits<double>::infinity())));
}

template <typename Advance>
void expect_positions_inside(Advance advance) {
  using Gaussian = kernel::Gaussian<double>;
  const Torus<double> torus(period);
  Ensemble<double> particles(40, 2);
  start_uniform(particles.position(), 3, 0, period);
  // A constant wind: everyone goes round and round.
  auto wind = lift<double>(2, [](std::span<const double>, std::span<double> score) {
    score[0] = 30;
    score[1] = -20;
    return 0.0;
  });
  std::size_t wraps = 0;
  std::vector<double> last(particles.position().begin(), particles.position().end());
  rbm_svgd(particles, Span{0, 200}, Shuffle(1, 4), score_of<double>(wind),
           PairwiseDrift<double, Gaussian, Torus<double>>(Gaussian(0.3), Threads::alone(), torus),
           advance, [&](Step, const Ensemble<double>& now, const Batches&) {
             for (std::size_t c = 0; c < last.size(); ++c) {
               const double x = now.position().data[c];
               EXPECT_TRUE(x >= 0 && x < period) << x;
               wraps += std::abs(x - last[c]) > period / 2;
               last[c] = x;
             }
             return Signal::go_on;
           });
  EXPECT_GT(wraps, 100u);
}

TEST(Torus, KeepsMovingParticlesInside) {
  const Torus<double> torus(period);
  expect_positions_inside(ExplicitStep<double, ConstantStep<double>, Torus<double>>(
      ConstantStep<double>(0.02), Threads::alone(), torus));
  expect_positions_inside(RungeKutta4<double, Torus<double>>(0.02, torus));
}

} // namespace
} // namespace starling
