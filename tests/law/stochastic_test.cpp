// Stochastic SVGD: drift and noise of a batch are those of a diffusion whose mobility is K_p/p.
#include <starling/advance/stochastic_step.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/deal/whole.hpp>
#include <starling/drift/batch_mean.hpp>
#include <starling/drift/bilinear.hpp>
#include <starling/drift/pairwise.hpp>
#include <starling/drift/reference.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/kernel/inverse_multiquadric.hpp>
#include <starling/kernel/polynomial.hpp>
#include <starling/kernel/sum.hpp>
#include <starling/random/start.hpp>

#include "support/hash.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

namespace starling {
namespace {

using Matrix = std::vector<double>; // row after row

Ensemble<double> cloud(std::size_t count, std::size_t dim) {
  Ensemble<double> particles(count, dim);
  start_normal(particles.position(), 1, 0.3, 1);
  start_normal(particles.score(), 2, -1, 1);
  return particles;
}

template <typename K>
double value(const K& kernel, std::span<const double> x, std::span<const double> y) {
  double r2 = 0, product = 0;
  for (std::size_t a = 0; a < x.size(); ++a) {
    r2 += (x[a] - y[a]) * (x[a] - y[a]);
    product += x[a] * y[a];
  }
  return pair_weights(kernel, r2, product).weight;
}

/// From the definition of a diffusion with mobility M(x): M s + div M, the divergence by
/// differences of the whole matrix. M is a function of all positions, so nothing can be forgotten.
template <typename Mobility>
std::vector<double> by_definition(Ensemble<double> e, const Mobility& mobility) {
  const std::size_t n = e.count(), d = e.dim();
  const Matrix m = mobility(e);
  std::vector<double> drift(n * d);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t a = 0; a < d; ++a)
        drift[i * d + a] += m[i * n + j] * e.score()[j][a];
  constexpr double step = 1e-5;
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t a = 0; a < d; ++a) {
      const double at = e.position()[j][a];
      e.position()[j][a] = at + step;
      const Matrix up = mobility(e);
      e.position()[j][a] = at - step;
      const Matrix down = mobility(e);
      e.position()[j][a] = at;
      for (std::size_t i = 0; i < n; ++i)
        drift[i * d + a] += (up[i * n + j] - down[i * n + j]) / (2 * step);
    }
  return drift;
}

/// K_p/p inside batches, 0 between them.
template <typename K>
auto in_batches(const K& kernel, const Batches& batches) {
  return [&kernel, &batches](const Ensemble<double>& e) {
    Matrix m(e.count() * e.count());
    for (std::size_t q = 0; q < batches.count(); ++q)
      for (const std::uint32_t i : batches[q])
        for (const std::uint32_t j : batches[q])
          m[i * e.count() + j] =
              value(kernel, e.position()[i], e.position()[j]) / double(batches[q].size());
    return m;
  };
}

double largest_difference(const std::vector<double>& a, Rows<const double> b) {
  double most = 0;
  for (std::size_t n = 0; n < a.size(); ++n)
    most = std::max(most, std::abs(a[n] - b.data[n]));
  return most;
}

// Central differences of numbers of order 1 at 1e-5: rounding 1e-16/1e-5, curvature 1e-10.
constexpr double by_differences = 1e-8;

template <typename K>
void expect_mobility(const K& kernel) {
  for (const std::size_t p : {2u, 3u, 7u}) {
    Ensemble<double> e = cloud(7, 3);
    Shuffle deal(5, p);
    const Batches& batches = deal(4, e);
    const std::vector<double> expected = by_definition(e, in_batches(kernel, batches));
    BatchMeanDrift<double, ReferenceDrift<double, K>>(ReferenceDrift<double, K>(kernel))(4, e,
                                                                                         batches);
    EXPECT_LT(largest_difference(expected, e.drift()), by_differences) << p;
    if (batches.count() == 1)
      continue; // there 1/p is 1/N
    ReferenceDrift<double, K> with_weights_of_lemma_1(kernel);
    with_weights_of_lemma_1(4, e, batches); // the control: another drift
    EXPECT_GT(largest_difference(expected, e.drift()), 1e-3) << p;
  }
}

TEST(StochasticSvgd, DriftIsTheMobilityTimesTheScoreAndTheDivergenceOfTheMobility) {
  const kernel::Gaussian<double> gaussian(0.8);
  const kernel::Polynomial<double> polynomial(0.5, 2);
  expect_mobility(gaussian);
  expect_mobility(kernel::InverseMultiquadric<double>(1.3));
  expect_mobility(polynomial); // here F_ii knows only half of what K(x, x) does
  expect_mobility(kernel::Sum<double, kernel::Gaussian<double>, kernel::Polynomial<double>>(
      {1.0, 0.1}, gaussian, polynomial));
}

/// c (1 + (x - m).(y - m)) / N, with m the mean of these very particles.
Matrix bilinear_mobility(const Ensemble<double>& e, double c) {
  const std::size_t n = e.count(), d = e.dim();
  std::vector<double> mean(d);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t a = 0; a < d; ++a)
      mean[a] += e.position()[i][a] / double(n);
  Matrix m(n * n, c / double(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t a = 0; a < d; ++a)
        m[i * n + j] +=
            c / double(n) * (e.position()[i][a] - mean[a]) * (e.position()[j][a] - mean[a]);
  return m;
}

TEST(StochasticSvgd, TheMeanOfTheCloudInTheBilinearPartNeedsNoCorrection) {
  using Mean = BatchMeanDrift<double, ReferenceDrift<double, kernel::Gaussian<double>>>;
  const kernel::Gaussian<double> gaussian(0.8);
  Ensemble<double> e = cloud(8, 3);
  Shuffle deal(5, 4);
  const Batches& batches = deal(0, e);
  const auto expected = by_definition(e, [&](const Ensemble<double>& at) {
    Matrix m = in_batches(gaussian, batches)(at);
    const Matrix all = bilinear_mobility(at, 0.4);
    for (std::size_t n = 0; n < m.size(); ++n)
      m[n] += all[n];
    return m;
  });
  WithBilinear<double, Mean> drift(Mean(ReferenceDrift<double, kernel::Gaussian<double>>(gaussian)),
                                   0.4);
  drift(0, e, batches);
  EXPECT_LT(largest_difference(expected, e.drift()), by_differences);
}

struct NoFlow {
  void operator()() const {}
};

/// Second moments of moves from one place, over many steps: 2 eta K_p/p, in each coordinate alike
/// and between coordinates nothing.
TEST(StochasticSvgd, NoiseHasTheCovarianceOfTheKernelMatrix) {
  constexpr std::size_t n = 6, d = 3, tries = 20000;
  constexpr double eta = 0.02, c = 0.3;
  const kernel::Gaussian<double> gaussian(0.8);
  Ensemble<double> e = cloud(n, d);
  std::fill(e.drift().begin(), e.drift().end(), 0.0);
  e.position()[2][0] = e.position()[1][0]; // two in one place: K has no inverse
  e.position()[2][1] = e.position()[1][1];
  e.position()[2][2] = e.position()[1][2];
  Whole deal;
  const Batches& batches = deal(0, e);
  Matrix expected = in_batches(gaussian, batches)(e);
  const Matrix all = bilinear_mobility(e, c);
  for (std::size_t k = 0; k < expected.size(); ++k)
    expected[k] += all[k];
  StochasticStep<double, kernel::Gaussian<double>> step(3, {eta, 1, 0}, gaussian, Threads::alone(),
                                                        {}, {}, c);
  const Column<double> start(e.position().begin(), e.position().end());
  Matrix same(n * n), across(n * n);
  for (Step k = 0; k < tries; ++k) {
    step(k, e, batches, NoFlow());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t a = 0; a < d; ++a) {
          const double move = e.position()[i][a] - start[i * d + a];
          same[i * n + j] += move * (e.position()[j][a] - start[j * d + a]) / (tries * d);
          const std::size_t b = (a + 1) % d;
          across[i * n + j] += move * (e.position()[j][b] - start[j * d + b]) / (tries * d);
        }
    std::copy(start.begin(), start.end(), e.position().begin());
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) { // var of z z' is at most 2 var var'
      const double size = 2 * eta * std::sqrt(expected[i * n + i] * expected[j * n + j]);
      const double se = size * std::sqrt(2.0 / (tries * d));
      EXPECT_NEAR(same[i * n + j], 2 * eta * expected[i * n + j], 4.5 * se) << i << " " << j;
      EXPECT_NEAR(across[i * n + j], 0, 4.5 * se) << i << " " << j;
    }
}

TEST(SemidefiniteRoot, GivesBackMatricesOfAnyRank) {
  for (const std::size_t size : {1u, 2u, 5u, 17u})
    for (const std::size_t rank : {1u, 2u, 4u, 17u}) {
      std::vector<double> half(size * rank), k(size * size);
      start_normal(Rows<double>{half.data(), size, rank}, size + 100 * rank, 0, 1);
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j < size; ++j)
          for (std::size_t c = 0; c < rank; ++c)
            k[i * size + j] += half[i * rank + c] * half[j * rank + c];
      SemidefiniteRoot root;
      root.take(k, size, 1e-13);
      EXPECT_EQ(root.rank(), std::min(size, rank));
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j < size; ++j) {
          double sum = 0;
          for (std::size_t c = 0; c < root.rank(); ++c)
            sum += root.at(i, c) * root.at(j, c);
          EXPECT_NEAR(sum, k[i * size + j], 1e-12 * double(size * rank)) << size << " " << rank;
        }
    }
}

TEST(StochasticSvgd, IsTheSameOnAnyNumberOfThreads) {
  std::vector<std::uint64_t> hashes;
  for (const std::size_t count : {1u, 2u, 7u}) {
    Threads threads(count);
    Ensemble<double> e = cloud(301, 4);
    using Drift = PairwiseDrift<double, kernel::Gaussian<double>>;
    const kernel::Gaussian<double> gaussian(2);
    WithBilinear<double, BatchMeanDrift<double, Drift>> drift(
        BatchMeanDrift<double, Drift>(Drift(gaussian, threads), threads), 0.25, threads);
    StochasticStep<double, kernel::Gaussian<double>> step(3, {0.1, 1, 0}, gaussian, threads, {}, {},
                                                          0.25);
    Shuffle deal(9, 5);
    for (Step k = 0; k < 5; ++k) {
      const Batches& batches = deal(k, e);
      step(k, e, batches, [&] { drift(k, e, batches); });
    }
    hashes.push_back(support::hash_of(e.position()));
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

} // namespace
} // namespace starling
