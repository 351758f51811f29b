// The bilinear part: what the formula says over all pairs, and the same on any number of threads.
#include <starling/deal/draw.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/drift/bilinear.hpp>
#include <starling/random/start.hpp>

#include "support/hash.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace starling {
namespace {

/// No force of its own.
struct Still {
  template <typename Real>
  void operator()(Step, Ensemble<Real>& particles, const Batches&) const {
    std::fill(particles.drift().begin(), particles.drift().end(), Real(0));
  }
};

template <typename Real>
Ensemble<Real> cloud(std::size_t count, std::size_t dim) {
  Ensemble<Real> particles(count, dim);
  start_normal(particles.position(), 1, 2, 3);
  start_normal(particles.score(), 2, -1, 1);
  return particles;
}

/// Values, and the sums of the absolute values of what they were added up from.
struct Sums {
  std::vector<double> value, size;
};

/// The slow twin: mean over all j, i among them, of k(x_i, x_j) s_j + grad_{x_j} k, pair by pair.
template <typename Real>
Sums by_pairs(const Ensemble<Real>& particles, double weight) {
  const std::size_t n = particles.count(), d = particles.dim();
  const auto x = particles.position(), s = particles.score();
  std::vector<double> mean(d), drift(n * d), size(n * d);
  const auto reach = [&](std::size_t i, std::size_t a) { // of x - m, before it cancels
    return std::abs(double(x[i][a])) + std::abs(mean[a]);
  };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t a = 0; a < d; ++a)
      mean[a] += double(x[i][a]) / double(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double k = 1, k_size = 1;
      for (std::size_t a = 0; a < d; ++a) {
        k += (double(x[i][a]) - mean[a]) * (double(x[j][a]) - mean[a]);
        k_size += reach(i, a) * reach(j, a);
      }
      for (std::size_t a = 0; a < d; ++a) {
        drift[i * d + a] += weight * (k * double(s[j][a]) + double(x[i][a]) - mean[a]) / double(n);
        size[i * d + a] += weight * (k_size * std::abs(double(s[j][a])) + reach(i, a)) / double(n);
      }
    }
  return {drift, size};
}

/// Equal up to rounding: no number passes through more than the 2 n additions of two means, the n
/// of A, the d of its product with x - m and ten others, each of which errs by half an epsilon at
/// most. The twin works in double and errs as much again.
template <typename Real>
void expect_twins(std::size_t count, std::size_t dim) {
  Ensemble<Real> particles = cloud<Real>(count, dim);
  Shuffle deal(1, 2);
  WithBilinear<Real, Still> drift(Still(), Real(0.3));
  drift(0, particles, deal(0, particles));
  const auto expected = by_pairs(particles, double(Real(0.3)));
  const double operations = double(3 * count + dim + 10);
  const double errs = operations * double(std::numeric_limits<Real>::epsilon());
  for (std::size_t n = 0; n < expected.value.size(); ++n)
    EXPECT_NEAR(particles.drift().data[n], expected.value[n], errs * expected.size[n])
        << count << " x " << dim;
}

TEST(Bilinear, IsTheMeanOverAllPairs) {
  for (const std::size_t count : {2, 3, 17, 300})
    for (const std::size_t dim : {1, 2, 7, 20}) {
      expect_twins<double>(count, dim);
      expect_twins<float>(count, dim);
    }
}

TEST(Bilinear, IsTheSameOnAnyNumberOfThreads) {
  std::uint64_t alone = 0;
  for (const std::size_t count : {1, 2, 7}) {
    Threads threads(count);
    Ensemble<double> particles = cloud<double>(3000, 5);
    Shuffle deal(1, 2);
    WithBilinear<double, Still> drift(Still(), 0.3, threads);
    drift(0, particles, deal(0, particles));
    const std::uint64_t hash = support::hash_of(std::as_const(particles).drift());
    alone = count == 1 ? hash : alone;
    EXPECT_EQ(hash, alone) << count;
  }
}

/// Writes the drifts of the dealt only, as every drift must.
struct StillForTheDealt {
  void operator()(Step, Ensemble<double>& particles, const Batches& batches) const {
    for (const std::uint32_t i : batches.order())
      std::ranges::fill(particles.drift()[i], 0.0);
  }
};

TEST(Bilinear, LeavesThoseWhoAreNotDealtAsTheyWere) {
  const std::size_t count = 40, dim = 3;
  Ensemble<double> particles = cloud<double>(count, dim);
  std::ranges::fill(particles.drift(), 7.0);
  Draw draw(1, 9);
  const Batches& batches = draw(0, particles);
  WithBilinear<double, StillForTheDealt> drift(StillForTheDealt(), 0.3);
  drift(0, particles, batches);
  Ensemble<double> dealt(9, dim); // the means are those of the dealt
  for (std::size_t n = 0; n < 9; ++n) {
    std::ranges::copy(particles.position()[batches.order()[n]], dealt.position()[n].begin());
    std::ranges::copy(particles.score()[batches.order()[n]], dealt.score()[n].begin());
  }
  const auto expected = by_pairs(dealt, 0.3).value;
  std::vector<bool> among(count);
  for (std::size_t n = 0; n < 9; ++n) {
    among[batches.order()[n]] = true;
    for (std::size_t a = 0; a < dim; ++a)
      EXPECT_NEAR(particles.drift()[batches.order()[n]][a], expected[n * dim + a], 1e-12);
  }
  for (std::size_t i = 0; i < count; ++i)
    for (const double value : particles.drift()[i])
      EXPECT_TRUE(among[i] || value == 7.0) << i;
}

TEST(Bilinear, VanishesWhereMeanAndCovarianceAreRight) {
  Ensemble<double> particles = cloud<double>(4, 1); // symmetric about 5, score of N(5, variance)
  const double x[] = {3, 7, 4, 6}, variance = (4 + 4 + 1 + 1) / 4.0;
  for (std::size_t i = 0; i < 4; ++i) {
    particles.position()[i][0] = x[i];
    particles.score()[i][0] = -(x[i] - 5) / variance;
  }
  Shuffle deal(1, 2);
  WithBilinear<double, Still> drift(Still(), 1);
  drift(0, particles, deal(0, particles));
  for (const double value : particles.drift())
    EXPECT_NEAR(value, 0, 8 * std::numeric_limits<double>::epsilon()); // (A + 1) 2, A of 4 products
}

} // namespace
} // namespace starling
