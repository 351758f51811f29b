// Few particles in very many dimensions: blocks of columns against the slow twin, for any number of
// threads.
#include "drift/twins.hpp"
#include "simd/every_level.hpp"
#include "support/hash.hpp"

#include "cpu/layouts.hpp"

#include <starling/cpu/pairwise_drift.hpp>
#include <starling/cpu/sum_drift.hpp>
#include <starling/deal/shuffle.hpp>

namespace drift_tests {
namespace {

template <typename Real, typename K>
void expect_equal_to_the_slow_twin(const K& kernel, std::size_t count, std::size_t p,
                                   std::size_t dim) {
  Shuffle deal(3, p);
  const Batches& batches = deal.deal(5, count);
  auto slow = cloud<Real>(count, dim);
  ReferenceDrift<Real, K>{kernel}(0, slow, batches);
  const auto bounds = bound(std::as_const(slow), batches, kernel, Euclid<Real>());
  simd_tests::at_every_level([&] {
    std::vector<std::uint64_t> bits;
    for (const std::size_t threads : {1u, 3u}) {
      auto fast = cloud<Real>(count, dim);
      std::fill(fast.drift().begin(), fast.drift().end(), Real(5)); // written over
      Threads crew(threads);
      cpu::PairwiseDrift<Real, K>(kernel, crew)(0, fast, batches);
      EXPECT_LE(apart(fast, slow, bounds), 1) << "N " << count << ", p " << p << ", d " << dim;
      bits.push_back(support::hash_of(fast.drift()));
    }
    EXPECT_EQ(bits[0], bits[1]) << "N " << count << ", p " << p << ", d " << dim;
  });
}

TEST(WideBatches, EqualTheSlowTwinOnBothSidesOfTheThreshold) {
  for (const std::size_t dim :
       {cpu::wide_dim - 1, cpu::wide_dim, cpu::wide_dim + cpu::wide_columns + 3})
    for (const std::size_t p :
         {std::size_t{2}, std::size_t{3}, std::size_t{4}, cpu::few, std::size_t{7}}) {
      const auto h = static_cast<double>(dim);
      expect_equal_to_the_slow_twin<double>(kernel::Gaussian<double>(h), 11, p, dim);
      expect_equal_to_the_slow_twin<double>(kernel::Polynomial<double>(1 / h, 2), 11, p, dim);
      expect_equal_to_the_slow_twin<float>(kernel::Gaussian<float>(static_cast<float>(h)), 11, p,
                                           dim);
    }
}

TEST(WideBatches, EqualTheSlowTwinInOneBatchOfAll) {
  const std::size_t dim = cpu::wide_dim + 1;
  expect_equal_to_the_slow_twin<double>(
      kernel::InverseMultiquadric<double>(static_cast<double>(dim)), 20, 20, dim);
}

// As many as BLAS takes in fewer dimensions, and all threads share in more.
TEST(WideBatches, EqualTheSlowTwinWhereFewerDimensionsGoByProducts) {
  constexpr std::size_t p = cpu::gemm_least_in(cpu::wide_dim - 1);
  static_assert(p < cpu::gemm_least_in(cpu::wide_dim));
  for (const std::size_t dim : {cpu::wide_dim - 1, cpu::wide_dim})
    expect_equal_to_the_slow_twin<double>(kernel::Gaussian<double>(static_cast<double>(dim)), p, p,
                                          dim);
}

TEST(WideBatches, AddTheTermsOfASum) {
  const std::size_t dim = cpu::wide_dim + 5, count = 6;
  const kernel::Gaussian<double> near(static_cast<double>(dim)), far(10 * static_cast<double>(dim));
  Shuffle deal(3, 3);
  const Batches& batches = deal.deal(5, count);
  auto one = cloud<double>(count, dim), other = one, both = one;
  cpu::sweep(near, one, batches, Threads::alone());
  cpu::sweep(far, other, batches, Threads::alone(), Part<double>{0.5, false});
  cpu::sweep(near, both, batches, Threads::alone());
  cpu::sweep(far, both, batches, Threads::alone(), Part<double>{0.5, true});
  for (std::size_t n = 0; n < count * dim; ++n)
    ASSERT_NEAR(both.drift().data[n], one.drift().data[n] + other.drift().data[n], 1e-14);
}

} // namespace
} // namespace drift_tests
