// A kernel for each coordinate against its slow twin: every level, both layouts, alone and in sums.
#include "drift/twins.hpp"
#include "simd/every_level.hpp"
#include "support/hash.hpp"

#include "cpu/layouts.hpp"

#include <starling/cpu/coordinate_drift.hpp>
#include <starling/cpu/sum_drift.hpp>
#include <starling/deal/draw.hpp>
#include <starling/deal/shuffle.hpp>

namespace drift_tests {
namespace {

using kernel::RuntimeSum;

constexpr double h = 0.1;

/// For each dealt coordinate eps (operations of its sum) (its terms without their signs). A
/// difference and its square are good to 4 eps, which moves exp(-z) by 4 z exp(-z) eps: a term
/// counts 1 + z times.
template <typename Real>
std::vector<double> coordinate_bound(const Ensemble<Real>& particles, const Batches& batches) {
  const std::size_t dim = particles.dim();
  std::vector<double> bounds(particles.count() * dim);
  const auto x = particles.position(), s = particles.score();
  Precisions<Real> precisions;
  const auto q = precisions(x, Threads::alone());
  for (std::size_t b = 0; b < batches.count(); ++b)
    for (const std::uint32_t i : batches[b])
      for (const std::uint32_t j : batches[b]) {
        const double c = i == j ? batches.self_weight() : batches.pair_weight(batches[b].size());
        const double operations = 3.0 * double(batches[b].size()) + 16;
        for (std::size_t a = 0; a < dim; ++a) {
          const double u = double(x[i][a]) - double(x[j][a]), z = u * u * double(q[a]) / (2 * h);
          bounds[i * dim + a] += std::numeric_limits<Real>::epsilon() * operations * c * (1 + z) *
                                 std::exp(-z) *
                                 (std::abs(double(s[j][a])) + std::abs(u) * double(q[a]) / h);
        }
      }
  for (double& b : bounds)
    b += 1e-30; // exp in vectors is zero where that of numbers is below 1e-37
  return bounds;
}

template <typename Real>
double gap(std::size_t count, std::size_t dim, const Batches& batches, Threads& crew,
           Real wrong = 1) {
  auto fast = cloud<Real>(count, dim), slow = cloud<Real>(count, dim);
  for (auto* particles : {&fast, &slow}) { // scales differ; who is not dealt keeps what he has
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t a = 0; a < dim; ++a)
        particles->position()[i][a] *= Real(1 + 10 * (a % 3));
    std::fill(particles->drift().begin(), particles->drift().end(), Real(5));
  }
  using K = kernel::Parameters<Real>;
  cpu::CoordinateDrift<Real, K>(K(Real(h) * wrong), crew)(0, fast, batches);
  ReferenceDrift<Real, K>(K{Real(h)})(0, slow, batches);
  return apart(fast, slow, coordinate_bound(std::as_const(slow), batches));
}

TEST(CoordinateDrift, EqualsItsSlowTwinAtEveryLevel) {
  Threads crew(2);
  simd_tests::at_every_level([&] {
    for (const std::size_t dim : {1u, 2u, 3u, 8u, 9u, 20u, 67u})
      for (const std::size_t p :
           {std::size_t{2}, std::size_t{3}, std::size_t{8}, std::size_t{17}, cpu::coordinate_most,
            cpu::coordinate_most + 1, 3 * cpu::coordinate_most}) {
        const std::size_t count = 2 * p + 31;
        Shuffle deal(3, p);
        const Batches& batches = deal.deal(5, count);
        EXPECT_LE(gap<double>(count, dim, batches, crew), 1)
            << p << " of " << count << ", d " << dim;
        EXPECT_LE(gap<float>(count, dim, batches, crew), 1)
            << p << " of " << count << ", d " << dim;
      }
  });
}

// More batches side by side than fit, and coordinates more than the room of a block.
TEST(CoordinateDrift, EqualsItsSlowTwinWhereBlocksEnd) {
  Threads crew(2);
  for (const std::size_t dim :
       {std::size_t{3}, cpu::coordinate_room - 1, cpu::coordinate_room + 1}) {
    const std::size_t count = 5 * (2 * cpu::coordinate_room / dim + 3);
    Shuffle deal(3, 5);
    EXPECT_LE(gap<double>(count, dim, deal.deal(5, count), crew), 1) << dim;
  }
}

TEST(CoordinateDrift, IsToldApartFromAWrongWidth) {
  Threads crew(2);
  Shuffle deal(3, 8);
  EXPECT_GT(gap<double>(64, 3, deal.deal(5, 64), crew, 1.001), 1e6);
}

TEST(CoordinateDrift, IsTheSameOnAnyNumberOfThreads) {
  using K = kernel::Parameters<double>;
  for (const std::size_t p : {std::size_t{2}, cpu::coordinate_most + 1, std::size_t{3000}}) {
    Shuffle deal(3, p);
    const Batches& batches = deal.deal(5, 3000);
    std::vector<std::uint64_t> hashes;
    for (const std::size_t threads : {1u, 2u, 5u}) {
      Threads crew(threads);
      auto particles = cloud<double>(3000, 3);
      cpu::CoordinateDrift<double, K>(K(h), crew)(0, particles, batches);
      hashes.push_back(starling::support::hash_of(Rows<const double>(particles.drift())));
    }
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_EQ(hashes[0], hashes[2]);
  }
}

TEST(CoordinateDrift, WritesTheDealtOnly) {
  Draw draw(1, 9);
  auto particles = cloud<double>(50, 2);
  const Batches& batches = draw(3, particles);
  Threads crew(1);
  EXPECT_LE(gap<double>(50, 2, batches, crew), 1); // both began with 5 everywhere
}

// In sums it is one term more, written or added; on a torus it is refused.
TEST(CoordinateDrift, IsATermOfSums) {
  const kernel::Parameters<double> each(h);
  const kernel::Gaussian<double> gaussian(2);
  Shuffle deal(3, 7);
  const Batches& batches = deal.deal(5, 50);
  for (const RuntimeSum<double>& sum : {RuntimeSum<double>({{0.5, each}, {2.0, gaussian}}),
                                        RuntimeSum<double>({{2.0, gaussian}, {0.5, each}})}) {
    EXPECT_TRUE(sum.has_coordinates());
    auto fast = cloud<double>(50, 4), slow = cloud<double>(50, 4);
    cpu::SumDrift<double> drift(sum);
    ReferenceDrift<double, RuntimeSum<double>> twin(sum);
    drift(0, fast, batches);
    twin(0, slow, batches);
    std::vector<double> bounds = coordinate_bound(std::as_const(slow), batches);
    const std::vector<double> more =
        bound(std::as_const(slow), batches, gaussian, Euclid<double>());
    for (std::size_t n = 0; n < bounds.size(); ++n)
      bounds[n] += 16 * more[n];
    EXPECT_LE(apart(fast, slow, bounds), 1);
  }
  EXPECT_THROW((cpu::SumDrift<double, Torus<double>>(RuntimeSum<double>({{1.0, each}}),
                                                     Threads::alone(), Torus<double>(3))),
               std::invalid_argument);
}

} // namespace
} // namespace drift_tests
