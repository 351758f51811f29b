// Lemma 1 by enumeration: over all orders, the batch drift has the mean of the full drift and the
// variance that the lemma states, for every kind of drift; batch-mean weights fail.
#include <starling/cpu/coordinate_drift.hpp>
#include <starling/drift/force.hpp>
#include <starling/drift/pairwise.hpp>
#include <starling/drift/reference.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/kernel/polynomial.hpp>
#include <starling/random/start.hpp>

#include "support/batch_mean.hpp"
#include "support/lemma_1.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

namespace starling {
namespace {

using support::cloud;
using support::Deviation;
using support::score_at;
using support::Vec;

constexpr double scale = 0.3, bandwidth = 0.7;

/// grad_y K + K s(y) with K = exp(-|x - y|^2 / 2h).
Vec radial_force(const Vec& x, const Vec& y) {
  const Vec u = {x[0] - y[0], x[1] - y[1]}, s = score_at(y);
  const double k = std::exp(-(u[0] * u[0] + u[1] * u[1]) / (2 * bandwidth));
  return {k * (u[0] / bandwidth + s[0]), k * (u[1] / bandwidth + s[1])};
}

/// The same with K = (a x.y + 1)^3; grad_y K = 3a (a x.y + 1)^2 x, so that F(x, x) is not zero.
Vec dot_force(const Vec& x, const Vec& y) {
  const Vec s = score_at(y);
  const double base = scale * (x[0] * y[0] + x[1] * y[1]) + 1;
  const double k = base * base * base, lift = 3 * scale * base * base;
  return {k * s[0] + lift * x[0], k * s[1] + lift * x[1]};
}

/// Neither symmetric nor antisymmetric, and not zero at x = y.
Vec odd_force(const Vec& x, const Vec& y) {
  return {std::sin(x[0] - 2 * y[1]) + 0.4, x[0] * y[0] - std::cos(y[1] - x[1])};
}

struct OddForce {
  void operator()(std::span<const double> x, std::span<const double> y,
                  std::span<double> out) const {
    const Vec f = odd_force({x[0], x[1]}, {y[0], y[1]});
    out[0] = f[0];
    out[1] = f[1];
  }
};

using Pair = support::PairForceByHand;

/// Runs the drift on every order of n particles cut for batches of p.
template <typename Drift>
Deviation deviation(std::size_t n, std::size_t p, const Pair& force, Drift drift) {
  return support::deviation_from_lemma_1(n, force, drift, [&](const auto& visit) {
    Batches batches;
    batches.population = n;
    const auto order = batches.lay_out(n, Batches::pieces(n, p));
    do
      visit(batches);
    while (std::next_permutation(order.begin(), order.end()));
  });
}

// Numbers of order one, 5040 orders: rounding is far below this, a wrong weight far above.
constexpr double rounding = 1e-12, visible = 0.01;

template <typename Drift>
void expect_lemma_1(const Pair& force, const Drift& drift) {
  for (const std::size_t n : {6u, 7u})
    for (const std::size_t p : {2u, 3u}) {
      const Deviation worst = deviation(n, p, force, drift);
      EXPECT_LT(worst.mean, rounding) << "N " << n << ", p " << p;
      EXPECT_LT(worst.square, rounding) << "N " << n << ", p " << p;
    }
}

template <typename Drift>
void expect_failure(const Pair& force, const Drift& drift) {
  for (const std::size_t n : {6u, 7u})
    for (const std::size_t p : {2u, 3u}) {
      const Deviation worst = deviation(n, p, force, support::BatchMean<Drift>(drift));
      EXPECT_GT(worst.mean, visible) << "N " << n << ", p " << p;
      EXPECT_GT(worst.square, visible) << "N " << n << ", p " << p;
    }
}

/// A kernel for each coordinate, with the variances of the cloud of n.
Pair coordinate_force(std::size_t n) {
  Vec mean{}, variance{};
  const Ensemble<double> particles = cloud(n);
  for (std::size_t a = 0; a < 2; ++a) {
    for (std::size_t i = 0; i < n; ++i)
      mean[a] += particles.position()[i][a] / double(n);
    for (std::size_t i = 0; i < n; ++i)
      variance[a] += std::pow(particles.position()[i][a] - mean[a], 2) / double(n);
  }
  return [variance](const Vec& x, const Vec& y) {
    Vec force = score_at(y);
    for (std::size_t a = 0; a < 2; ++a) {
      const double u = x[a] - y[a], width = bandwidth * variance[a];
      force[a] = std::exp(-u * u / (2 * width)) * (force[a] + u / width);
    }
    return force;
  };
}

using Radial = kernel::Gaussian<double>;
using Dot = kernel::Polynomial<double>;

TEST(Lemma1, HoldsForTheReferenceDriftWithARadialKernel) {
  expect_lemma_1(radial_force, ReferenceDrift<double, Radial>(Radial(bandwidth)));
}
TEST(Lemma1, HoldsForTheReferenceDriftWithADotKernel) {
  expect_lemma_1(dot_force, ReferenceDrift<double, Dot>(Dot(scale, 3)));
}
TEST(Lemma1, HoldsForThePairwiseDriftWithARadialKernel) {
  expect_lemma_1(radial_force, PairwiseDrift<double, Radial>(Radial(bandwidth)));
}
TEST(Lemma1, HoldsForThePairwiseDriftWithADotKernel) {
  expect_lemma_1(dot_force, PairwiseDrift<double, Dot>(Dot(scale, 3)));
}
TEST(Lemma1, HoldsForAKernelForEachCoordinate) {
  using Each = kernel::Parameters<double>;
  for (const std::size_t n : {6u, 7u})
    for (const std::size_t p : {2u, 3u}) {
      const Pair force = coordinate_force(n);
      const Deviation slow = deviation(n, p, force, ReferenceDrift<double, Each>(Each(bandwidth)));
      const Deviation fast =
          deviation(n, p, force, cpu::CoordinateDrift<double, Each>(Each(bandwidth)));
      const Deviation wrong =
          deviation(n, p, force, support::BatchMean(ReferenceDrift<double, Each>(Each(bandwidth))));
      EXPECT_LT(std::max({slow.mean, slow.square, fast.mean, fast.square}), rounding)
          << n << " " << p;
      EXPECT_GT(std::min(wrong.mean, wrong.square), visible) << n << " " << p;
    }
}
TEST(Lemma1, HoldsForAnyForceNotSymmetricAndNotZeroAtHome) {
  expect_lemma_1(odd_force, ForceDrift<double, OddForce>(OddForce()));
}

TEST(Lemma1, FailsForBatchMeanWeightsWithARadialKernel) {
  expect_failure(radial_force, ReferenceDrift<double, Radial>(Radial(bandwidth)));
}
TEST(Lemma1, FailsForBatchMeanWeightsWithADotKernel) {
  expect_failure(dot_force, ReferenceDrift<double, Dot>(Dot(scale, 3)));
}
TEST(Lemma1, FailsForBatchMeanWeightsWithAnyForce) {
  expect_failure(odd_force, ForceDrift<double, OddForce>(OddForce()));
}

TEST(Lemma1, GivesTheFullDriftItselfForOneBatchOfAll) {
  // No randomness is left: one order would do, and the variance is zero.
  EXPECT_LT(deviation(5, 5, radial_force, PairwiseDrift<double, Radial>(Radial(bandwidth))).mean,
            rounding);
  EXPECT_LT(deviation(5, 5, dot_force, PairwiseDrift<double, Dot>(Dot(scale, 3))).square, rounding);
}

TEST(Lemma1, HoldsForEveryParticleOverAllSetsThatAlgorithm2CanDraw) {
  constexpr std::size_t n = 6, p = 3;
  Ensemble<double> particles = cloud(n);
  ReferenceDrift<double, Dot> drift(Dot(scale, 3));
  Batches batches;
  batches.population = n;
  double mean[n] = {}, times[n] = {};
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = 0; j < i; ++j)
      for (std::uint32_t k = 0; k < j; ++k) {
        std::ranges::copy(std::array{i, j, k}, batches.lay_out(p, 1).begin());
        drift(0, particles, batches);
        for (const std::uint32_t m : {i, j, k}) {
          mean[m] += particles.drift()[m][0];
          ++times[m];
        }
      }
  std::vector<double> got;
  for (std::size_t i = 0; i < n; ++i)
    got.push_back(mean[i] / times[i]);
  batches.lay_out(n, 1);
  drift(0, particles, batches);
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_NEAR(got[i], particles.drift()[i][0], rounding);
}

} // namespace
} // namespace starling
