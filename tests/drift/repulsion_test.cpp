// Own scores and the slope of the cloud's density, against the formula.
#include "drift/twins.hpp"

#include <starling/cpu/sum_drift.hpp>
#include <starling/deal/whole.hpp>
#include <starling/drift/repulsion.hpp>
#include <starling/kernel/parameters.hpp>

namespace {

using namespace drift_tests;
using kernel::Parameters;

/// log rho_a(x_i) = log sum over j of exp(-(x - x_ja)^2 / 2 h v_a), at x_ia + step.
double log_density(const Ensemble<double>& particles, std::size_t i, std::size_t a, double h,
                   double step) {
  const auto x = particles.position();
  const auto n = double(particles.count());
  double mean = 0, variance = 0, sum = 0;
  for (std::size_t j = 0; j < x.count; ++j)
    mean += x[j][a] / n;
  for (std::size_t j = 0; j < x.count; ++j)
    variance += std::pow(x[j][a] - mean, 2) / n;
  for (std::size_t j = 0; j < x.count; ++j)
    sum += std::exp(-std::pow(x[i][a] + step - x[j][a], 2) / (2 * h * variance));
  return std::log(sum);
}

/// The largest gap to s - strength (slope of log rho), by differences.
double worst_gap(double strength_of_formula) {
  const double h = 0.5, strength = 0.3, step = 1e-5;
  auto particles = drift_tests::cloud<double>(9, 4);
  const auto before = drift_tests::cloud<double>(9, 4);
  Whole deal;
  using Pairs = cpu::SumDrift<double>;
  RepulsionDrift<double, Pairs> drift(
      Pairs(kernel::RuntimeSum<double>({{1.0, Parameters<double>(h)}})), strength);
  drift(0, particles, deal(0, particles));
  EXPECT_TRUE(std::equal(before.score().begin(), before.score().end(), particles.score().begin()));
  double worst = 0;
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t a = 0; a < 4; ++a) {
      const double slope =
          (log_density(before, i, a, h, step) - log_density(before, i, a, h, -step)) / (2 * step);
      const double expected = before.score()[i][a] - strength_of_formula * slope;
      worst = std::max(worst, std::abs(particles.drift()[i][a] - expected));
    }
  return worst;
}

TEST(RepulsionDrift, IsTheScoreLessTheSlopeOfTheCloudsOwnDensity) {
  EXPECT_LT(worst_gap(0.3), 1e-8);
  EXPECT_GT(worst_gap(0.2), 1e-3); // the test sees another strength
}

TEST(RepulsionDrift, OfASingleParticleIsItsScore) {
  Ensemble<double> alone(1, 2);
  alone.score()[0][0] = 3;
  alone.score()[0][1] = -1;
  Whole deal;
  using Pairs = cpu::SumDrift<double>;
  RepulsionDrift<double, Pairs>(Pairs(kernel::RuntimeSum<double>({{1.0, Parameters<double>(0.5)}})),
                                0.3)(0, alone, deal(0, alone));
  EXPECT_EQ(alone.drift()[0][0], 3);
  EXPECT_EQ(alone.drift()[0][1], -1);
}

} // namespace
