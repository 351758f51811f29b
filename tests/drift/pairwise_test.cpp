// The threaded drift equals its slow twin: every kernel, dealer, dimension, domain and precision.
#include "drift/twins.hpp"

#include <starling/concepts.hpp>
#include <starling/deal/draw.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/deal/whole.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/kernel/inverse_multiquadric.hpp>
#include <starling/kernel/matern.hpp>
#include <starling/kernel/polynomial.hpp>
#include <starling/kernel/riesz.hpp>
#include <starling/kernel/sinc.hpp>
#include <starling/kernel/smooth_riesz.hpp>
#include <starling/kernel/sum.hpp>

#include <set>

namespace {

using namespace drift_tests;
using namespace starling::kernel;

template <typename Real>
class Twins : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(Twins, Precisions);

// All dealers: without replacement with p = 2, 3, 7 and N both divisible and not, with replacement,
// everyone, everyone in another order; on one thread and on three.
template <typename Real, typename K, typename Domain = Euclid<Real>>
void expect_twins(const K& kernel, std::size_t dim, Domain domain = {}) {
  Threads crew(3);
  for (const std::size_t count : {42u, 23u})
    for (Threads* threads : {&Threads::alone(), &crew}) {
      const auto gap = [&](const Batches& batches) {
        return twin_gap<Real>(kernel, count, dim, batches, *threads, domain);
      };
      const Ensemble<Real> population(count, dim);
      for (const std::size_t p : {2u, 3u, 7u}) {
        Shuffle shuffle(3, p);
        Draw draw(4, p);
        ASSERT_LE(gap(shuffle(5, population)), 1) << "shuffle, p " << p << ", dim " << dim;
        ASSERT_LE(gap(draw(5, population)), 1) << "draw, p " << p << ", dim " << dim;
      }
      Whole whole;
      ASSERT_LE(gap(whole(0, population)), 1) << "whole, dim " << dim;
      ASSERT_LE(gap(whole_in_another_order(count)), 1) << "another order, dim " << dim;
    }
}

TYPED_TEST(Twins, AgreeForTheGaussianInEveryDimension) {
  using Real = TypeParam;
  for (const std::size_t dim : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 31, 67})
    expect_twins<Real>(Gaussian<Real>(Real(dim)), dim); // h = d: r2 / 2h is about one
}

TYPED_TEST(Twins, AgreeForEveryRadialKernel) {
  using Real = TypeParam;
  for (const std::size_t dim : {1, 2, 5, 16, 67}) {
    const auto h = Real(dim);
    expect_twins<Real>(Gaussian<Real>(h, Height::paper), dim);
    expect_twins<Real>(InverseMultiquadric<Real>(h), dim);
    expect_twins<Real>(Matern32<Real>(h), dim);
    expect_twins<Real>(Matern52<Real>(h), dim);
    expect_twins<Real>(Riesz<Real>(Real(0.5)), dim);
    expect_twins<Real>(RieszAttraction<Real>(Real(0.5)), dim);
    expect_twins<Real>(SmoothRiesz<Real>(Real(0.5), Real(0.7), dim), dim);
  }
  expect_twins<Real>(Sinc<Real>(Real(1.5)), 1);
}

TYPED_TEST(Twins, AgreeForDotAndMixedKernels) {
  using Real = TypeParam;
  for (const std::size_t dim : {1, 2, 5, 16, 67}) {
    const Polynomial<Real> polynomial(1 / Real(dim), 2);
    expect_twins<Real>(polynomial, dim);
    expect_twins<Real>(Sum<Real, Gaussian<Real>, Polynomial<Real>>(
                           {Real(1), Real(0.2)}, Gaussian<Real>(Real(dim)), polynomial),
                       dim);
    expect_twins<Real>(Sum<Real, Riesz<Real>, Matern52<Real>>(
                           {Real(1), Real(0.2)}, Riesz<Real>(Real(0.5)), Matern52<Real>(Real(dim))),
                       dim);
  }
}

TYPED_TEST(Twins, AgreeOnTheTorus) {
  using Real = TypeParam;
  const Torus<Real> torus(Real(2.5));
  for (const std::size_t dim : {1, 3, 8, 31}) {
    const auto h = Real(dim) / 4;
    expect_twins<Real>(Gaussian<Real>(h), dim, torus);
    expect_twins<Real>(InverseMultiquadric<Real>(h), dim, torus);
    expect_twins<Real>(Matern32<Real>(h), dim, torus);
    expect_twins<Real>(Matern52<Real>(h), dim, torus);
    expect_twins<Real>(Riesz<Real>(Real(0.5)), dim, torus);
    expect_twins<Real>(SmoothRiesz<Real>(Real(0.5), Real(0.7), dim), dim, torus);
  }
  expect_twins<Real>(Sinc<Real>(Real(1.5)), 1, torus);
}

// Large enough that a sweep is cut into pieces: 9001 particles into two, and inside a batch of
// seven; one batch of 600 into six.
TYPED_TEST(Twins, AgreeBitForBitOnAnyNumberOfThreads) {
  using Real = TypeParam;
  const std::size_t dim = 3;
  const Gaussian<Real> kernel(Real(1.5));
  Threads crew(3);
  const auto expect_same = [&](const Batches& batches, std::size_t count) {
    auto one = cloud<Real>(count, dim), three = cloud<Real>(count, dim);
    PairwiseDrift<Real, Gaussian<Real>>{kernel}(0, one, batches);
    PairwiseDrift<Real, Gaussian<Real>>{kernel, crew}(0, three, batches);
    EXPECT_TRUE(std::equal(one.drift().begin(), one.drift().end(), three.drift().begin()));
    EXPECT_LE(twin_gap<Real>(kernel, count, dim, batches, crew), 1);
  };
  for (const std::size_t p : {2u, 3u, 7u}) {
    Shuffle shuffle(3, p);
    expect_same(shuffle(1, Ensemble<Real>(9001, dim)), 9001);
  }
  Whole whole;
  expect_same(whole(0, Ensemble<Real>(600, dim)), 600);
  expect_same(whole_in_another_order(600), 600);
}

// Weight 1/p for all, oneself included, is what a population of p gives.
TYPED_TEST(Twins, AreFoundApartWhenOneTakesTheBatchMean) {
  using Real = TypeParam;
  const Gaussian<Real> kernel(Real(2));
  auto right = cloud<Real>(42, 3), wrong = cloud<Real>(42, 3);
  Shuffle shuffle(3, 7);
  const Batches batches = shuffle(0, right);
  Batches mean = batches;
  mean.population = 7;
  PairwiseDrift<Real, Gaussian<Real>>{kernel}(0, right, batches);
  ReferenceDrift<Real, Gaussian<Real>>{kernel}(0, wrong, mean);
  EXPECT_GT(apart(right, wrong, bound(std::as_const(right), batches, kernel, Euclid<Real>{})), 1e3);
}

// One bandwidth wrong by 500 eps is seen: the bound is close to what rounding does.
TYPED_TEST(Twins, AreFoundApartWhenAWeightIsSlightlyOff) {
  using Real = TypeParam;
  const Real h = 2, off = h * (1 + 500 * std::numeric_limits<Real>::epsilon());
  auto right = cloud<Real>(42, 3), wrong = cloud<Real>(42, 3);
  Shuffle shuffle(3, 3);
  const Batches batches = shuffle(0, right);
  PairwiseDrift<Real, Gaussian<Real>>{Gaussian<Real>(h)}(0, right, batches);
  ReferenceDrift<Real, Gaussian<Real>>{Gaussian<Real>(off)}(0, wrong, batches);
  EXPECT_GT(
      apart(right, wrong, bound(std::as_const(right), batches, Gaussian<Real>(h), Euclid<Real>{})),
      2);
}

TEST(PairwiseDrift, WritesTheDriftOfThoseDealtOnly) {
  auto particles = cloud<double>(20, 2);
  std::fill(particles.drift().begin(), particles.drift().end(), 123.0);
  Draw draw(7, 5);
  const Batches& batches = draw(2, particles);
  const std::set<std::uint32_t> dealt(batches.order().begin(), batches.order().end());
  PairwiseDrift<double, Gaussian<double>>{Gaussian<double>(1.0)}(2, particles, batches);
  for (std::uint32_t i = 0; i < 20; ++i)
    EXPECT_EQ(particles.drift()[i][0] == 123.0, dealt.count(i) == 0) << "particle " << i;
}

static_assert(Drifter<PairwiseDrift<double, Gaussian<double>>, Ensemble<double>>);
static_assert(Drifter<ReferenceDrift<float, Polynomial<float>>, Ensemble<float>>);

} // namespace
