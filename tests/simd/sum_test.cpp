// Sums of kernels put together at run time against their slow twin: every two terms, every layout.
#include "drift/twins.hpp"
#include "support/hash.hpp"

#include "cpu/layouts.hpp"

#include <starling/cpu/pairwise_drift.hpp>
#include <starling/cpu/sum_drift.hpp>
#include <starling/deal/draw.hpp>
#include <starling/deal/shuffle.hpp>

namespace drift_tests {
namespace {

using kernel::RuntimeSum;
using kernel::Term;

template <typename Real>
std::vector<Term<Real>> one_of_each(std::size_t dim) {
  return {{Real(1), kernel::Gaussian<Real>(Real(dim))},
          {Real(0.5), kernel::InverseMultiquadric<Real>(1)},
          {Real(2), kernel::Matern32<Real>(Real(dim))},
          {Real(0.3), kernel::Matern52<Real>(Real(dim))},
          {Real(0.1), kernel::Polynomial<Real>(Real(0.1), 2)},
          {Real(3), kernel::Sinc<Real>(Real(0.5))},
          {Real(0.7), kernel::Riesz<Real>(Real(0.5))},
          {Real(0.7), kernel::RieszAttraction<Real>(Real(0.5))},
          {Real(1.1), kernel::SmoothRiesz<Real>(Real(0.5), Real(0.4), dim)}};
}

/// The bounds of the terms added up, each with what r2 and x.y in another order add: a relative
/// error of d eps in r2, which moves no weight here by more than 4 times that; twice for slopes of
/// slopes.
template <typename Real>
std::vector<double> bound_of(const RuntimeSum<Real>& sum, const Ensemble<Real>& particles,
                             const Batches& batches) {
  std::vector<double> all(particles.count() * particles.dim());
  for (const Term<Real>& term : sum.terms()) {
    const auto bounds = std::visit(
        [&]<typename K>(const K& one) {
          if constexpr (Kernel<K, Real>) // those for each coordinate: coordinates_test.cpp
            return bound(particles, batches, one, Euclid<Real>());
          else
            return std::vector<double>(particles.count() * particles.dim());
        },
        term.kernel);
    for (std::size_t n = 0; n < all.size(); ++n)
      all[n] += double(term.weight) * 8 * bounds[n];
  }
  return all;
}

template <typename Real>
double sum_gap(const RuntimeSum<Real>& sum, std::size_t count, std::size_t dim,
               const Batches& batches) {
  auto fast = cloud<Real>(count, dim), slow = cloud<Real>(count, dim);
  for (auto* particles : {&fast, &slow}) // who is not dealt keeps what he has
    std::fill(particles->drift().begin(), particles->drift().end(), Real(5));
  Threads crew(2);
  cpu::SumDrift<Real> simd(sum, crew);
  ReferenceDrift<Real, RuntimeSum<Real>> twin(sum);
  simd(0, fast, batches);
  twin(0, slow, batches);
  return apart(fast, slow, bound_of(sum, std::as_const(slow), batches));
}

template <typename Real>
void expect_twins(std::size_t dim) {
  const auto each = one_of_each<Real>(dim);
  const std::size_t sizes[] = {2, 3, cpu::few, cpu::few + 1, 17, cpu::one_vector_most + 1};
  for (std::size_t a = 0; a < each.size(); ++a)
    for (std::size_t b = a; b < each.size(); ++b) {
      const RuntimeSum<Real> sum({each[a], each[b]});
      for (const std::size_t p : {sizes[(a + b) % 6], sizes[(a + b + 1) % 6]}) {
        const std::size_t count = 2 * p + 30;
        Shuffle deal(3, p);
        EXPECT_LE((sum_gap(sum, count, dim, deal.deal(5, count))), 1)
            << "terms " << a << " and " << b << ", p " << p << ", d " << dim;
      }
    }
}

TEST(SumDrift, EqualsItsSlowTwinForEveryTwoTerms) {
  for (const std::size_t dim : {1u, 2u, 3u, 8u, 9u, 20u, 67u}) {
    expect_twins<double>(dim);
    expect_twins<float>(dim);
  }
}

TEST(SumDrift, EqualsItsSlowTwinInLargeBatches) {
  for (const std::size_t dim : {1u, 2u, 9u, 20u})
    for (const std::size_t p :
         {cpu::small_most + 1, cpu::gemm_least - 1, cpu::gemm_least, cpu::shared_products + 1}) {
      const auto each = one_of_each<double>(dim);
      Shuffle deal(3, p);
      const Batches& batches = deal.deal(5, p);
      EXPECT_LE(sum_gap(RuntimeSum<double>({each[0], each[4]}), p, dim, batches), 1) << p;
      EXPECT_LE(sum_gap(RuntimeSum<double>({each[4], each[1], each[2]}), p, dim, batches), 1) << p;
      EXPECT_LE(sum_gap(RuntimeSum<double>({each[6], each[0], each[5]}), p, dim, batches), 1) << p;
    }
}

TEST(SumDrift, WritesTheDealtOnly) {
  const auto each = one_of_each<double>(2);
  for (const RuntimeSum<double>& sum :
       {RuntimeSum<double>({each[0], each[1]}), RuntimeSum<double>({})}) {
    Draw draw(1, 9);
    auto particles = cloud<double>(50, 2);
    std::ranges::fill(particles.drift(), 5.0);
    const Batches& batches = draw(3, particles);
    cpu::SumDrift<double> drift(sum);
    drift(3, particles, batches);
    std::vector<bool> dealt(50);
    for (const std::uint32_t i : batches.order())
      dealt[i] = true;
    for (std::size_t i = 0; i < 50; ++i)
      EXPECT_EQ(particles.drift()[i][0] == 5.0, !dealt[i]) << i;
  }
}

// Weight 1 is the term itself to the last bit; a weight goes into those of the pairs.
TEST(SumDrift, OfOneTermHasTheBitsOfThatTerm) {
  for (const std::size_t dim : {1u, 20u})
    for (const std::size_t p : {2u, 8u, 300u}) {
      auto one = cloud<double>(600, dim), other = cloud<double>(600, dim);
      Shuffle deal(3, p);
      const Batches& batches = deal.deal(5, 600);
      const kernel::InverseMultiquadric<double> imq(1);
      cpu::SumDrift<double> sum(RuntimeSum<double>({{1.0, imq}}));
      cpu::PairwiseDrift<double, kernel::InverseMultiquadric<double>> plain(imq);
      sum(0, one, batches);
      plain(0, other, batches);
      EXPECT_EQ(starling::support::hash_of(Rows<const double>(one.drift())),
                starling::support::hash_of(Rows<const double>(other.drift())));
      cpu::SumDrift<double> twice(RuntimeSum<double>({{2.0, imq}}));
      twice(0, one, batches);
      for (std::size_t n = 0; n < 600 * dim; ++n) // twice a number is exact
        ASSERT_EQ(one.drift().data[n], 2 * other.drift().data[n]);
    }
}

// One particle alone feels F(x, x) and nothing else: K(0) s. Riesz has no K(0), the Gaussian has.
TEST(SumDrift, DropsTheSelfTermOfSingularTermsOnly) {
  Batches batches;
  batches.population = 1;
  batches.lay_out(1, 1);
  auto alone = cloud<double>(1, 3), by_twin = cloud<double>(1, 3);
  const RuntimeSum<double> sum(
      {{1.0, kernel::Gaussian<double>(1)}, {1.0, kernel::Riesz<double>(0.5)}});
  EXPECT_TRUE(sum.singular());
  EXPECT_FALSE(sum.has_product());
  cpu::SumDrift<double> drift(sum);
  drift(0, alone, batches);
  ReferenceDrift<double, RuntimeSum<double>> twin(sum);
  twin(0, by_twin, batches);
  for (std::size_t a = 0; a < 3; ++a) {
    EXPECT_EQ(alone.drift()[0][a], alone.score()[0][a]);
    EXPECT_EQ(by_twin.drift()[0][a], alone.score()[0][a]);
  }
}

TEST(SumDrift, TakesChordsOnATorusAndNoInnerProduct) {
  const Torus<double> torus(3);
  const auto each = one_of_each<double>(2);
  auto fast = cloud<double>(40, 2), slow = cloud<double>(40, 2);
  Shuffle deal(3, 5);
  const Batches& batches = deal.deal(5, 40);
  cpu::SumDrift<double, Torus<double>> drift(RuntimeSum<double>({each[0], each[1]}),
                                             Threads::alone(), torus);
  drift(0, fast, batches);
  const RuntimeSum<double> sum({each[0], each[1]});
  ReferenceDrift<double, RuntimeSum<double>, Torus<double>> twin(sum, torus);
  twin(0, slow, batches);
  EXPECT_LE(apart(fast, slow, bound(std::as_const(slow), batches, sum, torus)), 1);
  EXPECT_THROW((cpu::SumDrift<double, Torus<double>>(RuntimeSum<double>({each[0], each[4]}),
                                                     Threads::alone(), torus)),
               std::invalid_argument);
}

TEST(SumDrift, IsToldApartFromAWrongWeight) {
  auto each = one_of_each<double>(2);
  auto fast = cloud<double>(64, 2), slow = cloud<double>(64, 2);
  Shuffle deal(3, 8);
  const Batches& batches = deal.deal(0, 64);
  const RuntimeSum<double> right({each[0], each[1]});
  each[1].weight *= 1.001;
  cpu::SumDrift<double> wrong(RuntimeSum<double>({each[0], each[1]}));
  wrong(0, fast, batches);
  ReferenceDrift<double, RuntimeSum<double>> twin(right);
  twin(0, slow, batches);
  EXPECT_GT(apart(fast, slow, bound_of(right, std::as_const(slow), batches)), 1e6);
}

TEST(RuntimeSum, SetsTheBandwidthOfTheTermsThatHaveOne) {
  RuntimeSum<double> sum({{1.0, kernel::Gaussian<double>(1)}, {0.5, kernel::Sinc<double>(1)}});
  EXPECT_TRUE(sum.has_bandwidth());
  EXPECT_FALSE(RuntimeSum<double>({{0.5, kernel::Sinc<double>(1)}}).has_bandwidth());
  sum.set_bandwidth(4);
  EXPECT_DOUBLE_EQ(sum.at(2, 0).weight,
                   std::exp(-0.25) + 0.5 * kernel::Sinc<double>(1).at_distance(2).weight);
  EXPECT_THROW(RuntimeSum<double>({{-1.0, kernel::Sinc<double>(1)}}), std::invalid_argument);
}

} // namespace
} // namespace drift_tests
