// The SIMD drift against its slow twin: every level, kernel, layout, odd sizes, threads.
#include "drift/twins.hpp"
#include "simd/every_level.hpp"
#include "support/hash.hpp"

#include <starling/cpu/pairwise_drift.hpp>
#include <starling/deal/draw.hpp>
#include <starling/deal/matching.hpp>
#include <starling/deal/shuffle.hpp>

namespace drift_tests {
namespace {

using simd_tests::at_every_level;

/// As twins.hpp's bound, with what the SIMD drift adds: r2 is summed in another order, or, for
/// large batches in many dimensions, taken as |x|^2 + |y|^2 - 2 x.y about the mean. An error of
/// 4 (d + 2) eps (|x|^2 + |y|^2) in r2 moves the kernel by no more than its largest slope times
/// that; every kernel here has |f'| <= 1/h in r2 at h = 1, and |f''| likewise for the repulsion.
template <typename Real, typename K>
std::vector<double> simd_bound(const Ensemble<Real>& particles, const Batches& batches,
                               const K& kernel) {
  auto bounds = bound(particles, batches, kernel, Euclid<Real>());
  const std::size_t dim = particles.dim();
  const auto x = particles.position(), s = particles.score();
  const double eps = std::numeric_limits<Real>::epsilon();
  for (std::size_t q = 0; q < batches.count(); ++q)
    for (const std::uint32_t i : batches[q])
      for (const std::uint32_t j : batches[q]) {
        double squares = 0;
        for (std::size_t a = 0; a < dim; ++a)
          squares += double(x[i][a]) * x[i][a] + double(x[j][a]) * x[j][a];
        const double c = i == j ? batches.self_weight() : batches.pair_weight(batches[q].size());
        for (std::size_t a = 0; a < dim; ++a)
          bounds[i * dim + a] +=
              c * eps * 4 * double(dim + 2) * squares *
              (std::abs(double(s[j][a])) + std::abs(double(x[i][a])) + std::abs(double(x[j][a])));
      }
  return bounds;
}

template <typename Real, typename K>
double gap(const K& kernel, std::size_t count, std::size_t dim, const Batches& batches,
           Threads& crew = Threads::alone()) {
  auto fast = cloud<Real>(count, dim), slow = cloud<Real>(count, dim);
  cpu::PairwiseDrift<Real, K> simd(kernel, crew);
  ReferenceDrift<Real, K> twin(kernel);
  simd(0, fast, batches);
  twin(0, slow, batches);
  return apart(fast, slow, simd_bound(slow, batches, kernel));
}

template <typename Real, typename K>
void expect_twins(const K& kernel) {
  at_every_level([&] {
    for (const std::size_t dim : {1u, 2u, 3u, 5u, 8u, 9u, 16u, 31u, 56u, 67u})
      for (const std::size_t count : {2u, 3u, 7u, 33u, 130u})
        for (const std::size_t p : {2u, 3u, 8u, 17u, 64u, 130u})
          if (p <= count) {
            Shuffle deal(3, p);
            EXPECT_LE((gap<Real>(kernel, count, dim, deal.deal(5, count))), 1)
                << "N " << count << ", p " << p << ", d " << dim;
          }
  });
}

TEST(SimdDrift, EqualsItsSlowTwinWithTheGaussian) {
  expect_twins<double>(kernel::Gaussian<double>(1));
  expect_twins<float>(kernel::Gaussian<float>(1, kernel::Height::paper));
}
TEST(SimdDrift, EqualsItsSlowTwinWithTheInverseMultiquadric) {
  expect_twins<double>(kernel::InverseMultiquadric<double>(1));
  expect_twins<float>(kernel::InverseMultiquadric<float>(1));
}
TEST(SimdDrift, EqualsItsSlowTwinWithThePolynomial) {
  expect_twins<double>(kernel::Polynomial<double>(0.1, 2));
  expect_twins<float>(kernel::Polynomial<float>(0.1f, 1));
}

// The root in the Matern kernels has an infinite slope at r2 = 0, so large batches in many
// dimensions (r2 by cancellation) are bounded by the root of the error: checked apart, with that
// bound.
template <typename Real, typename K>
void expect_matern_twins() {
  at_every_level([] {
    for (const std::size_t dim : {1u, 3u, 9u, 20u})
      for (const std::size_t p : {2u, 5u, 17u}) {
        Shuffle deal(3, p);
        EXPECT_LE((gap<Real>(K(1), 40, dim, deal.deal(5, 40))), 1) << "p " << p << ", d " << dim;
      }
    auto fast = cloud<Real>(130, 20), slow = cloud<Real>(130, 20);
    Shuffle deal(3, 130);
    const Batches& batches = deal.deal(5, 130);
    cpu::PairwiseDrift<Real, K>(K(1))(0, fast, batches);
    ReferenceDrift<Real, K>(K(1))(0, slow, batches);
    const double bound = std::sqrt(std::numeric_limits<Real>::epsilon());
    for (std::size_t n = 0; n < 130 * 20; ++n)
      ASSERT_NEAR(fast.drift().data[n], slow.drift().data[n], bound);
  });
}
TEST(SimdDrift, EqualsItsSlowTwinWithTheMaternKernels) {
  expect_matern_twins<double, kernel::Matern32<double>>();
  expect_matern_twins<double, kernel::Matern52<double>>();
  expect_matern_twins<float, kernel::Matern52<float>>();
}

TEST(SimdDrift, EqualsItsSlowTwinOnMatchingsDrawsAndAnyOrder) {
  const kernel::Gaussian<double> kernel(1);
  at_every_level([&] {
    for (const std::size_t dim : {1u, 2u, 4u, 20u}) {
      Matching pairs(1);
      EXPECT_LE((gap<double>(kernel, 101, dim, pairs.deal(3, 101))), 1);
      EXPECT_LE((gap<double>(kernel, 100, dim, pairs.deal(3, 100))), 1);
      Draw draw(1, 9);
      EXPECT_LE((gap<double>(kernel, 50, dim, draw.deal(3, 50))), 1);
      EXPECT_LE((gap<double>(kernel, 150, dim, whole_in_another_order(150))), 1);
    }
  });
}

TEST(SimdDrift, IsBitForBitTheSameForAnyNumberOfThreads) {
  const kernel::Gaussian<double> kernel(1);
  const auto hash_with = [&](std::size_t crew, std::size_t count, std::size_t dim, std::size_t p) {
    Threads threads(crew);
    auto particles = cloud<double>(count, dim);
    Shuffle deal(2, p);
    cpu::PairwiseDrift<double, kernel::Gaussian<double>>(kernel, threads)(0, particles,
                                                                          deal.deal(1, count));
    return starling::support::hash_of(Rows<const double>(particles.drift()));
  };
  struct Case {
    std::size_t count, dim, p;
  };
  // Small batches; panels; blocks of a large batch; wide rows; products of many and of large
  // batches.
  for (const Case c :
       {Case{30001, 1, 2}, Case{20000, 3, 8}, Case{5000, 2, 100}, Case{1500, 1, 1500},
        Case{4000, 12, 6}, Case{900, 20, 90}, Case{700, 12, 700}}) {
    const auto alone = hash_with(1, c.count, c.dim, c.p);
    EXPECT_EQ(alone, hash_with(2, c.count, c.dim, c.p)) << c.count << " " << c.dim << " " << c.p;
    EXPECT_EQ(alone, hash_with(7, c.count, c.dim, c.p)) << c.count << " " << c.dim << " " << c.p;
  }
}

TEST(SimdDrift, IsToldApartFromAWrongWeight) {
  auto fast = cloud<double>(64, 2), slow = cloud<double>(64, 2);
  Shuffle deal(3, 8);
  const Batches& right = deal.deal(0, 64);
  Batches wrong = right;
  wrong.population = 65; // weights of a cloud with one particle more
  cpu::PairwiseDrift<double, kernel::Gaussian<double>>(kernel::Gaussian<double>(1))(0, fast, wrong);
  ReferenceDrift<double, kernel::Gaussian<double>>(kernel::Gaussian<double>(1))(0, slow, right);
  EXPECT_GT(apart(fast, slow, simd_bound(slow, right, kernel::Gaussian<double>(1))), 1e6);
}

} // namespace
} // namespace drift_tests
