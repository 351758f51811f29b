// Drifts of a user's own pair force, and of a kernel with a bandwidth that adapts.
#include "drift/twins.hpp"

#include <starling/concepts.hpp>
#include <starling/deal/draw.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/deal/whole.hpp>
#include <starling/drift/adaptive.hpp>
#include <starling/drift/force.hpp>
#include <starling/kernel/bandwidth.hpp>
#include <starling/kernel/gaussian.hpp>

namespace {

using namespace drift_tests;
using kernel::Gaussian;

struct GaussianRepulsion { // grad_y K for h = 1
  template <typename Real>
  void operator()(std::span<const Real> x, std::span<const Real> y, std::span<Real> out) const {
    Real r2 = 0;
    for (std::size_t a = 0; a < x.size(); ++a)
      r2 += (x[a] - y[a]) * (x[a] - y[a]);
    for (std::size_t a = 0; a < x.size(); ++a)
      out[a] = std::exp(-r2 / 2) * (x[a] - y[a]);
  }
};

template <typename Real>
void expect_equal_to_the_kernel_drift() {
  Threads crew(3);
  const Gaussian<Real> kernel(Real(1));
  for (const std::size_t count : {41u, 9001u})
    for (Threads* threads : {&Threads::alone(), &crew}) {
      auto by_force = cloud<Real>(count, 3), by_kernel = cloud<Real>(count, 3);
      for (auto* particles : {&by_force, &by_kernel})
        std::fill(particles->score().begin(), particles->score().end(), Real(0));
      Shuffle shuffle(3, 7);
      const Batches& batches = shuffle(2, by_force);
      ForceDrift<Real, GaussianRepulsion>(GaussianRepulsion{}, *threads)(0, by_force, batches);
      PairwiseDrift<Real, Gaussian<Real>>{kernel}(0, by_kernel, batches);
      EXPECT_LE(apart(by_force, by_kernel,
                      bound(std::as_const(by_kernel), batches, kernel, Euclid<Real>{})),
                1);
    }
}

TEST(ForceDrift, WithTheForceOfAKernelWithoutScoreIsItsDrift) {
  expect_equal_to_the_kernel_drift<double>();
  expect_equal_to_the_kernel_drift<float>();
}

// F(x, y) = x + 10 y: neither symmetric nor zero at x = y.
struct Lopsided {
  void operator()(std::span<const double> x, std::span<const double> y,
                  std::span<double> out) const {
    out[0] = x[0] + 10 * y[0];
  }
};
static_assert(PairForce<Lopsided, double>);
static_assert(Drifter<ForceDrift<double, Lopsided>, Ensemble<double>>);

TEST(ForceDrift, WeighsTheSelfForceByOneOverNAndTheOthersByTheirShare) {
  Ensemble<double> particles(5, 1);
  const double x[] = {1, 2, 3, 4, 5};
  std::copy(x, x + 5, particles.position().begin());
  Draw draw(1, 3);
  const Batches& batches = draw(0, particles);
  ForceDrift<double, Lopsided>{Lopsided{}}(0, particles, batches);
  const auto members = batches[0];
  for (const std::uint32_t i : members) {
    double expected = 11 * x[i] / 5; // self 1/N
    for (const std::uint32_t j : members)
      if (j != i)
        expected += 4.0 / (5 * 2) * (x[i] + 10 * x[j]); // (N-1)/(N(p-1))
    EXPECT_NEAR(particles.drift()[i][0], expected, 1e-13);
  }
}

TEST(AdaptiveDrift, DriftsWithTheBandwidthOfItsRule) {
  using Drift = PairwiseDrift<double, Gaussian<double>>;
  auto particles = cloud<double>(30, 2), fixed = cloud<double>(30, 2);
  AdaptiveDrift<double, Drift, kernel::MedianBandwidth<double>> drift(
      Drift(Gaussian<double>(100.0)), kernel::MedianBandwidth<double>{});
  Whole deal;
  drift(0, particles, deal(0, particles));
  const double h = kernel::MedianBandwidth<double>{}(0, std::as_const(particles).position());
  EXPECT_EQ(drift.bandwidth(), h);
  Drift{Gaussian<double>(h)}(0, fixed, deal(0, fixed));
  EXPECT_TRUE(std::equal(fixed.drift().begin(), fixed.drift().end(), particles.drift().begin()));
}

TEST(AdaptiveDrift, AsksItsRuleAfreshWithStepAndPositions) {
  using Drift = ReferenceDrift<double, Gaussian<double>>;
  std::vector<Step> steps;
  auto rule = [&](Step k, Rows<const double> x) {
    steps.push_back(k);
    return 1 + std::abs(x[0][0]);
  };
  auto particles = cloud<double>(4, 1);
  AdaptiveDrift<double, Drift, decltype(rule)> drift(Drift(Gaussian<double>(1.0)), rule);
  Whole deal;
  for (const Step k : {3u, 4u}) {
    particles.position()[0][0] = double(k);
    drift(k, particles, deal(k, particles));
    EXPECT_EQ(drift.bandwidth(), 1 + double(k));
  }
  EXPECT_EQ(steps, (std::vector<Step>{3, 4}));
}

} // namespace
