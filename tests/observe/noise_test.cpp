// The noise of the drift, measured by dealing twice, against the formula of Lemma 1.
#include <starling/deal/matching.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/deal/whole.hpp>
#include <starling/drift/reference.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/observe/noise.hpp>
#include <starling/random/start.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace {

using namespace starling;

constexpr double bandwidth = 0.7;
constexpr std::size_t count = 24, dim = 2;
using Drift = ReferenceDrift<double, kernel::Gaussian<double>>;

Ensemble<double> cloud() {
  Ensemble<double> particles(count, dim);
  start_normal(particles.position(), 5, 0.8, 1.3); // off to a side, so that there is a mean drift
  for (std::size_t m = 0; m < particles.score().size(); ++m)
    particles.score().data[m] = -particles.position().data[m];
  return particles;
}

/// Lemma 1, straight from its formula: Lambda_i = (1/(N-2)) sum_{j != i} |F_ij - mean over j !=
/// i|^2, and |(1/N) sum_j F_ij|^2, both averaged over i.
struct Lemma {
  double lambda = 0, square_of_mean = 0;
};
Lemma lemma(const Ensemble<double>& particles) {
  const auto n = double(count);
  Lemma all;
  const auto x = particles.position(), s = particles.score();
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t a = 0; a < dim; ++a) {
      std::vector<double> force(count);
      double sum = 0;
      for (std::size_t j = 0; j < count; ++j) {
        double r2 = 0;
        for (std::size_t b = 0; b < dim; ++b)
          r2 += std::pow(x[i][b] - x[j][b], 2);
        force[j] = std::exp(-r2 / (2 * bandwidth)) * (s[j][a] + (x[i][a] - x[j][a]) / bandwidth);
        sum += force[j];
      }
      const double others = (sum - force[i]) / (n - 1);
      for (std::size_t j = 0; j < count; ++j)
        all.lambda += j == i ? 0 : std::pow(force[j] - others, 2) / (n - 2) / n;
      all.square_of_mean += std::pow(sum / n, 2) / n;
    }
  return all;
}

struct Measured {
  double mean = 0, se = 0;
};
template <typename Deal>
std::pair<Measured, Measured> measured(Deal deal) { // the variance, the square of the mean
  Ensemble<double> particles = cloud();
  Drift drift{kernel::Gaussian<double>(bandwidth)};
  const double steps = 3000;
  double sums[2] = {}, squares[2] = {};
  for (Step k = 0; k < Step(steps); ++k) {
    const Batches& batches = deal.deal(k, count);
    drift(k, particles, batches);
    const DriftNoise found = drift_noise(k, particles, batches, drift, 9);
    const double values[2] = {found.variance, found.square_of_mean};
    for (int m = 0; m < 2; ++m) {
      sums[m] += values[m] / steps;
      squares[m] += values[m] * values[m] / steps;
    }
  }
  const auto of = [&](int m) {
    return Measured{sums[m], std::sqrt((squares[m] - sums[m] * sums[m]) / steps)};
  };
  return {of(0), of(1)};
}

// E |chi_i|^2 = ((N-1)/N)^2 (1/(p-1) - 1/(N-1)) Lambda_i
double share(double p, bool of_a_finite_cloud = true) {
  const auto n = double(count);
  return std::pow((n - 1) / n, 2) * (1 / (p - 1) - (of_a_finite_cloud ? 1 / (n - 1) : 0));
}

TEST(DriftNoise, IsTheVarianceOfLemma1) {
  const Lemma exact = lemma(cloud());
  for (const std::size_t p : {2u, 4u, 8u}) {
    const auto [variance, square] = measured(Shuffle(3, p));
    EXPECT_NEAR(variance.mean, share(double(p)) * exact.lambda, 4 * variance.se) << p;
    EXPECT_NEAR(square.mean, exact.square_of_mean, 4 * square.se) << p;
    EXPECT_LT(variance.se, 0.02 * variance.mean); // else it would show nothing
  }
  const auto [variance, square] = measured(Matching(3));
  EXPECT_NEAR(variance.mean, share(2) * exact.lambda, 4 * variance.se);
  EXPECT_NEAR(square.mean, exact.square_of_mean, 4 * square.se);
}

// The control: without the 1/(N-1) the lemma would be wrong, and the same test says so.
TEST(DriftNoise, IsNotThatOfBatchesWithReplacement) {
  const auto [variance, square] = measured(Shuffle(3, 8));
  EXPECT_GT(std::abs(variance.mean - share(8, false) * lemma(cloud()).lambda), 10 * variance.se);
}

// Of many particles a part is enough: the same figures, within the error of that many.
TEST(DriftNoise, OfALargeCloudIsMeasuredOnAPart) {
  Ensemble<double> particles(20000, dim);
  start_normal(particles.position(), 5, 0.8, 1.3);
  for (std::size_t m = 0; m < particles.score().size(); ++m)
    particles.score().data[m] = -particles.position().data[m];
  Drift drift{kernel::Gaussian<double>(bandwidth)};
  for (const std::size_t p : {2u, 7u}) {
    const Batches batches = Shuffle(3, p).deal(0, 20000);
    drift(0, particles, batches);
    const DriftNoise all = drift_noise(0, particles, batches, drift, 9, 20000);
    const DriftNoise part = drift_noise(0, particles, batches, drift, 9, 5000);
    // the squares of 5000 particles scatter by about their mean: 1.5 percent; five of that
    EXPECT_NEAR(part.variance, all.variance, 0.08 * all.variance) << p;
    EXPECT_NE(part.variance, all.variance) << p;
    EXPECT_NEAR(part.square_of_mean, all.square_of_mean, 0.1 * all.variance) << p;
  }
}

std::vector<std::size_t> sizes(const Batches& batches, std::size_t stride) {
  std::vector<std::size_t> all;
  for (std::size_t q = 0; q < batches.count(); q += stride)
    all.push_back(batches[q].size());
  return all;
}

// Lemma 1's variance goes with 1/(p - 1): other sizes have another noise.
TEST(DriftNoise, IsMeasuredOnBatchesOfTheSizesOfTheRun) {
  struct Case {
    std::size_t population, batch, fewest, stride;
  };
  for (const Case c :
       {Case{24, 5, 100, 1}, {1003, 7, 100, 10}, {1003, 300, 250, 3}, {50, 20, 10, 3}}) {
    Ensemble<double> particles(c.population, 1);
    const Batches batches = Shuffle(3, c.batch).deal(0, c.population);
    std::vector<std::size_t> dealt;
    const auto notes = [&](Step, Ensemble<double>&, const Batches& again) {
      dealt = sizes(again, 1);
      EXPECT_EQ(again.population, c.population);
      std::set<std::uint32_t> rows(again.order().begin(), again.order().end());
      EXPECT_EQ(rows.size(), again.order().size()); // nobody twice
      EXPECT_LT(*rows.rbegin(), c.population);
    };
    drift_noise(0, particles, batches, notes, 9, c.fewest);
    EXPECT_EQ(dealt, sizes(batches, c.stride)) << c.population << " in batches of " << c.batch;
  }
}

TEST(DriftNoise, LeavesTheDriftAsItWas) {
  Ensemble<double> particles = cloud();
  Drift drift{kernel::Gaussian<double>(bandwidth)};
  const Batches batches = Shuffle(3, 4).deal(0, count);
  drift(0, particles, batches);
  const std::vector<double> before(particles.drift().begin(), particles.drift().end());
  drift_noise(0, particles, batches, drift, 9);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), particles.drift().begin()));
}

// More numbers than one sum takes, in rows that blocks cut in two, against sums taken one after
// another.
TEST(DriftNoise, IsThatOfPlainSumsOnAnyNumberOfThreads) {
  const std::size_t wide = 7, many = 3 * noise_block / wide + 5;
  Ensemble<double> particles(many, wide);
  start_normal(particles.drift(), 5, 0.8, 1.3);
  const std::vector<double> before(particles.drift().begin(), particles.drift().end());
  const Batches batches = Shuffle(3, 4).deal(0, many);
  double apart = 0, together = 0;
  const auto turned = [&](Step, Ensemble<double>& now,
                          const Batches&) { // half as long, and every seventh number backwards
    apart = together = 0;
    for (std::size_t n = 0; n < before.size(); ++n) {
      now.drift().data[n] = (n % 7 == 0 ? -0.5 : 0.5) * before[n];
      apart += std::pow(before[n] - now.drift().data[n], 2);
      together += before[n] * now.drift().data[n];
    }
  };
  Threads one(1), three(3);
  NoiseRoom<double> room;
  const DriftNoise alone = drift_noise(0, particles, batches, turned, 9, many, room, one);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), particles.drift().begin()));
  EXPECT_NEAR(alone.variance, apart / (2 * double(many)), 1e-12 * alone.variance);
  EXPECT_NEAR(alone.square_of_mean, together / double(many),
              1e-12 * std::abs(alone.square_of_mean));
  const DriftNoise shared = drift_noise(0, particles, batches, turned, 9, many, room, three);
  EXPECT_EQ(shared.variance, alone.variance);
  EXPECT_EQ(shared.square_of_mean, alone.square_of_mean);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), particles.drift().begin()));
}

TEST(DriftNoise, OfOneBatchOfAllIsZeroWithoutADrift) {
  Ensemble<double> particles = cloud();
  const Batches batches = Whole()(0, particles);
  const auto never = [](Step, Ensemble<double>&, const Batches&) { FAIL(); };
  EXPECT_EQ(drift_noise(0, particles, batches, never, 9).ratio(), 0);
}

TEST(DriftNoise, HasNoRatioWhereTheMeanIsLostInIt) {
  EXPECT_DOUBLE_EQ((DriftNoise{4, 1}).ratio(), 2);
  EXPECT_TRUE(std::isnan((DriftNoise{4, -1}).ratio()));
}

} // namespace
