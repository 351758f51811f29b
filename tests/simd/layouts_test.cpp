// Every layout of the pair drift, on both sides of each threshold, on clouds that are hard to
// round.
#include "drift/twins.hpp"
#include "simd/every_level.hpp"
#include "support/hash.hpp"

#include "cpu/layouts.hpp"

#include <starling/cpu/pairwise_drift.hpp>
#include <starling/deal/shuffle.hpp>

namespace drift_tests {
namespace {

using namespace starling::cpu;

enum class Shape { plain, shifted, two_modes, one_stray };
constexpr Shape shapes[] = {Shape::plain, Shape::shifted, Shape::two_modes, Shape::one_stray};
constexpr std::size_t stray = 7;

template <typename Real>
Ensemble<Real> shaped(Shape shape, std::size_t count, std::size_t dim) {
  constexpr bool wide = sizeof(Real) == 8;
  Ensemble<Real> particles = cloud<Real>(count, dim);
  for (std::size_t i = 0; i < count; ++i)
    for (Real& x : particles.position()[i]) {
      if (shape == Shape::shifted)
        x += wide ? Real(1e8) : Real(1e3);
      if (shape == Shape::two_modes)
        x += (i % 2 ? 1 : -1) * (wide ? Real(1e7) : Real(5e3));
      if (shape == Shape::one_stray && i == stray)
        x = Real(1e6);
    }
  return particles;
}

/// Row i of the drift from the formula, in a wider type.
template <typename Wide, typename Real, typename K>
std::vector<Wide> exact_row(const Ensemble<Real>& particles, const Batches& batches, std::size_t q,
                            std::uint32_t i, const K& kernel) {
  const std::size_t dim = particles.dim();
  const auto x = particles.position(), s = particles.score();
  std::vector<Wide> phi(dim);
  for (const std::uint32_t j : batches[q]) {
    Wide r2 = 0, product = 0;
    for (std::size_t a = 0; a < dim; ++a) {
      r2 += (Wide(x[i][a]) - Wide(x[j][a])) * (Wide(x[i][a]) - Wide(x[j][a]));
      product += Wide(x[i][a]) * Wide(x[j][a]);
    }
    const auto w = pair_weights<Wide>(kernel, r2, product);
    const Wide c = i == j ? batches.self_weight() : batches.pair_weight(batches[q].size());
    for (std::size_t a = 0; a < dim; ++a)
      phi[a] += c * (w.weight * Wide(s[j][a]) + w.repulsion * (Wide(x[i][a]) - Wide(x[j][a])) +
                     w.lift * Wide(x[i][a]));
  }
  return phi;
}

/// The worst relative errors of some rows of two drifts.
struct Errors {
  double fast = 0, slow = 0;
};

template <typename Real>
using Wider = std::conditional_t<sizeof(Real) == 8, long double, double>;

template <typename Real, typename K, typename WideK>
void expect_as_good_as_the_slow_twin(Shape shape, std::size_t count, std::size_t p, std::size_t dim,
                                     const K& own_kernel, const WideK& wide) {
  using Wide = Wider<Real>;
  Ensemble<Real> fast = shaped<Real>(shape, count, dim), slow = fast;
  Shuffle deal(3, p);
  const Batches& batches = deal.deal(5, count);
  ReferenceDrift<Real, K> twin(own_kernel);
  twin(0, slow, batches);
  simd_tests::at_every_level([&] {
    cpu::PairwiseDrift<Real, K> simd(own_kernel);
    simd(0, fast, batches);
    Errors worst;
    for (std::size_t q = 0; q < batches.count(); q += 1 + batches.count() / 6)
      for (std::size_t n = 0; n < batches[q].size(); ++n) {
        const std::uint32_t i = batches[q][n];
        if (n % (1 + batches[q].size() / 6) != 0 && i != stray)
          continue;
        const auto exact = exact_row<Wide>(std::as_const(slow), batches, q, i, wide);
        Wide size = 0, fast_gap = 0, slow_gap = 0;
        for (std::size_t a = 0; a < dim; ++a) {
          size += exact[a] * exact[a];
          fast_gap += std::pow(Wide(fast.drift()[i][a]) - exact[a], Wide(2));
          slow_gap += std::pow(Wide(slow.drift()[i][a]) - exact[a], Wide(2));
        }
        worst.fast = std::max(worst.fast, double(std::sqrt(fast_gap / size)));
        worst.slow = std::max(worst.slow, double(std::sqrt(slow_gap / size)));
      }
    // A twin that met no rounding at all in a few small sums is no better than eps.
    const double own = std::max(worst.slow, double(std::numeric_limits<Real>::epsilon()));
    EXPECT_LE(worst.fast, 10 * own) << "shape " << int(shape) << ", N " << count << ", p " << p
                                    << ", d " << dim << ", slow twin " << worst.slow;
  });
}

template <typename Real, template <typename> typename K>
void expect_as_good_as_the_slow_twin(Shape shape, std::size_t count, std::size_t p, std::size_t dim,
                                     double h) {
  expect_as_good_as_the_slow_twin<Real>(shape, count, p, dim, K<Real>(Real(h)),
                                        K<Wider<Real>>(Wider<Real>(h)));
}

template <typename Real>
void expect_good_in_many_dimensions(std::size_t count, std::size_t p, std::size_t dim) {
  for (const Shape shape : shapes)
    expect_as_good_as_the_slow_twin<Real, kernel::Gaussian>(shape, count, p, dim, double(dim));
}

TEST(Layouts, AreAsGoodAsTheSlowTwinAroundTheThresholdOfProducts) {
  for (const std::size_t p :
       {gemm_least - 1, gemm_least, gemm_least + 1, gemm_block + gemm_block / 2,
        shared_products - 1, shared_products, std::size_t{700}}) {
    expect_good_in_many_dimensions<double>(p, p, small_dim + 1);
    expect_good_in_many_dimensions<float>(p, p, 20);
  }
}

TEST(Layouts, AreAsGoodAsTheSlowTwinAroundTheThresholdOfRows) {
  for (const std::size_t p : {few - 1, few, few + 1, std::size_t{64}}) {
    expect_good_in_many_dimensions<double>(4 * p + 1, p, 20);
    expect_good_in_many_dimensions<float>(4 * p + 1, p, small_dim + 1);
  }
}

TEST(Layouts, AreAsGoodAsTheSlowTwinInFewDimensions) {
  for (const std::size_t p : {std::size_t{2}, one_vector_most, one_vector_most + 1, small_most,
                              small_most + 1, panel_block + 1})
    for (const Shape shape : shapes) { // 2 x widest batches fill two vectors of any level
      expect_as_good_as_the_slow_twin<double, kernel::Gaussian>(shape, 2 * widest * p, p, 1, 1);
      expect_as_good_as_the_slow_twin<float, kernel::Gaussian>(shape, 3 * p + 1, p, 2, 1);
    }
  for (const std::size_t dim : {small_dim, small_dim + 1, lane_dim, lane_dim + 1})
    for (const std::size_t p :
         {few, few + 1, std::size_t{8}, small_room / dim, small_room / dim + 1})
      for (const Shape shape : shapes)
        expect_as_good_as_the_slow_twin<double, kernel::Gaussian>(shape, 2 * widest * p + 1, p, dim,
                                                                  8);
  for (const std::size_t p : {shared_panel - 1, shared_panel, shared_panel + 1})
    expect_as_good_as_the_slow_twin<double, kernel::Gaussian>(Shape::two_modes, p, p, 2, 1);
}

TEST(Layouts, AreAsGoodAsTheSlowTwinWithEveryKernel) {
  for (const Shape shape : shapes)
    for (const std::size_t p : {few, std::size_t{100}, gemm_least + 50}) {
      expect_as_good_as_the_slow_twin<float, kernel::InverseMultiquadric>(shape, p, p, 20, 1);
      expect_as_good_as_the_slow_twin<double, kernel::InverseMultiquadric>(shape, p, p, 20, 1);
      expect_as_good_as_the_slow_twin<float, kernel::Matern32>(shape, p, p, 20, 20);
      expect_as_good_as_the_slow_twin<double, kernel::Matern52>(shape, p, p, 20, 20);
    }
  for (const std::size_t p : {few, std::size_t{100}, gemm_least + 50})
    expect_as_good_as_the_slow_twin<double>(Shape::plain, p, p, 20,
                                            kernel::Polynomial<double>(0.125, 2),
                                            kernel::Polynomial<long double>(0.125, 2));
}

// Matches of blocks are played by whoever is free, and what they add is added in the order of the
// rounds.
TEST(Layouts, AreBitForBitTheSameOnThreadsThatShareABatch) {
  const auto expect_same = [](auto kernel, std::size_t size, std::size_t dim) {
    std::uint64_t alone = 0;
    for (const std::size_t count : {1u, 2u, 3u, 9u}) {
      Threads crew(count);
      auto particles = shaped<double>(Shape::two_modes, size, dim);
      Shuffle deal(3, size);
      cpu::PairwiseDrift<double, decltype(kernel)> drift(kernel, crew);
      for (int again = 0; again < 2; ++again) // what lay aside is gone
        drift(0, particles, deal.deal(5, size));
      const std::uint64_t hash = starling::support::hash_of(Rows<const double>(particles.drift()));
      alone = count == 1 ? hash : alone;
      EXPECT_EQ(hash, alone) << count << " threads, N " << size << ", d " << dim;
    }
  };
  for (const std::size_t size :
       {shared_panel, shared_panel + 1, shared_panel + panel_columns + 3, 5 * panel_block})
    for (const std::size_t dim : {1u, 2u, 3u}) {
      expect_same(kernel::Gaussian<double>(1), size, dim);
      expect_same(kernel::Polynomial<double>(0.5, 2), size, dim);
    }
  for (const std::size_t size : {shared_products, 4 * gemm_block + 67, 9 * gemm_block})
    for (const std::size_t dim : {small_dim + 1, std::size_t{20}}) {
      expect_same(kernel::Gaussian<double>(20), size, dim);
      expect_same(kernel::InverseMultiquadric<double>(20), size, dim);
      expect_same(kernel::Polynomial<double>(0.5, 2), size, dim);
    }
}

// Pairs taken apart are added block by block, in the order of the rounds.
TEST(Layouts, AreBitForBitTheSameOnThreadsWherePairsAreTakenApart) {
  std::uint64_t alone = 0;
  for (const std::size_t count : {1u, 2u, 7u}) {
    Threads crew(count);
    auto particles = shaped<double>(Shape::two_modes, 700, 12);
    Shuffle deal(3, 700);
    cpu::PairwiseDrift<double, kernel::Gaussian<double>> drift(kernel::Gaussian<double>(12), crew);
    for (int again = 0; again < 2; ++again) // what lay aside is gone
      drift(0, particles, deal.deal(5, 700));
    const std::uint64_t hash = starling::support::hash_of(Rows<const double>(particles.drift()));
    alone = count == 1 ? hash : alone;
    EXPECT_EQ(hash, alone) << count;
  }
}

} // namespace
} // namespace drift_tests
