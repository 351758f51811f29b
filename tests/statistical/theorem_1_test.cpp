// Theorem 1 on the torus: the distance between RBM-SVGD and SVGD shrinks like the step, squared it
// is of order eta; a biased scheme stays away.
#include <starling/advance/explicit_step.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/deal/whole.hpp>
#include <starling/domain.hpp>
#include <starling/drift/reference.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/observe/in_turn.hpp>
#include <starling/random/start.hpp>
#include <starling/rbm_svgd.hpp>
#include <starling/target/lift.hpp>
#include <starling/target/score.hpp>

#include "support/batch_mean.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

namespace starling {
namespace {

using Kernel = kernel::Gaussian<double>;
using Circle = Torus<double>;
using Drift = ReferenceDrift<double, Kernel, Circle>;

constexpr std::size_t population = 64, repeats = 100;
constexpr double horizon = 2; // T
const Circle circle(2 * std::numbers::pi);

/// Where everyone is at time T, from one and the same start, on pi(x) ~ exp(cos x).
template <typename Deal, typename AnyDrift>
std::vector<double> run(double eta, Deal deal, AnyDrift drift) {
  Ensemble<double> particles(population, 1);
  start_uniform(particles.position(), 1, 0, circle.period());
  auto target = lift<double>(1, [](std::span<const double> x, std::span<double> score) {
    score[0] = -std::sin(x[0]);
    return std::cos(x[0]);
  });
  const auto steps = static_cast<Step>(std::lround(horizon / eta));
  rbm_svgd(particles, Span{0, steps}, deal, score_of<double>(target), drift,
           ExplicitStep<double, ConstantStep<double>, Circle>(ConstantStep<double>(eta),
                                                              Threads::alone(), circle),
           NoObserver());
  return {particles.position().begin(), particles.position().end()};
}

struct Slope {
  double value, error;
};

/// The slope of log E|X - X~|^2 over log eta by weighted least squares. Shuffles have the same
/// seeds for every eta and every drift.
template <typename AnyDrift>
Slope rate(const AnyDrift& drift) {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  for (const double eta : {0.1, 0.05, 0.025, 0.0125}) {
    const auto full = run(eta, Whole(), Drift(Kernel(0.35), circle));
    double sum = 0, squares = 0;
    for (std::size_t r = 0; r < repeats; ++r) {
      const auto batched = run(eta, Shuffle(10 + r, 2), drift);
      double distance = 0;
      for (std::size_t i = 0; i < population; ++i)
        distance += std::pow(circle.chord(batched[i] - full[i]), 2) / population;
      sum += distance / repeats;
      squares += distance * distance / repeats;
    }
    const double share = std::sqrt((squares - sum * sum) / repeats) / sum; // error of the log
    std::printf("eta = %g: E|X - X~|^2 = %.3g +- %.1g\n", eta, sum, share * sum);
    const double weight = 1 / (share * share), x = std::log(eta), y = std::log(sum);
    w += weight;
    wx += weight * x;
    wy += weight * y;
    wxx += weight * x * x;
    wxy += weight * x * y;
  }
  const double spread = w * wxx - wx * wx;
  const Slope slope{(w * wxy - wx * wy) / spread, std::sqrt(w / spread)};
  std::printf("slope %.3f +- %.3f\n", slope.value, slope.error);
  return slope;
}

// Terms of order eta^2 are a few per cent of the first at eta = 0.1.
constexpr double curvature = 0.05;

TEST(Theorem1, GivesAnErrorOfOrderEta) {
  const Slope slope = rate(Drift(Kernel(0.35), circle));
  EXPECT_NEAR(slope.value, 1, 3 * slope.error + curvature);
  EXPECT_LT(slope.error, 0.05); // else the check would say little
}

TEST(Theorem1, WouldBeRejectedWithBatchMeanWeights) {
  const Slope slope = rate(support::BatchMean<Drift>(Drift(Kernel(0.35), circle)));
  EXPECT_NEAR(slope.value, 0, 0.1);
}

} // namespace
} // namespace starling
