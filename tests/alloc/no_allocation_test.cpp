// The loop allocates nothing after its first steps: counted by a new of our own.
#include "alloc/counted_new.hpp"

#include <starling/advance/explicit_step.hpp>
#include <starling/advance/stochastic_step.hpp>
#include <starling/cpu/algebra.hpp>
#include <starling/cpu/mixture.hpp>
#include <starling/cpu/pairwise_drift.hpp>
#include <starling/cpu/sum_drift.hpp>
#include <starling/deal/draw.hpp>
#include <starling/deal/matching.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/deal/whole.hpp>
#include <starling/drift/adaptive.hpp>
#include <starling/drift/bilinear.hpp>
#include <starling/drift/marginals.hpp>
#include <starling/observe/guard.hpp>
#include <starling/random/start.hpp>
#include <starling/rbm_svgd.hpp>
#include <starling/target/logistic_regression.hpp>
#include <starling/target/score.hpp>

#include <gtest/gtest.h>

namespace starling {
namespace {

using Gauss = kernel::Gaussian<double>;

/// Allocations in steps 3 to 69, after three to get used to the sizes; rows of a matching travel
/// at 64.
template <typename Deal, typename Target>
std::size_t allocations_in(Deal deal, Target& target, std::size_t n) {
  Threads threads(1); // with more, a thread allocates at its first piece, whenever that is
  Ensemble<double> particles(n, target.dim());
  start_normal(particles.position(), 1, 0, 1);
  auto score = score_of<double>(target);
  cpu::PairwiseDrift<double, Gauss> pairwise(Gauss(1), threads);
  AdaptiveDrift<double, decltype(pairwise), kernel::SampledMedianBandwidth<double>> drift(
      pairwise, kernel::SampledMedianBandwidth<double>(1, 100));
  ExplicitStep<double, FadingAdaGrad<double>> advance(FadingAdaGrad<double>(0.01), threads);
  Guard guard;
  rbm_svgd(particles, Span{0, 3}, deal, score, drift, advance, guard);
  const std::size_t before = allocations;
  rbm_svgd(particles, Span{3, 70}, deal, score, drift, advance, guard);
  return allocations - before;
}

TEST(Allocation, IsSeenByTheCounter) {
  const std::size_t before = allocations;
  ::operator delete(
      ::operator new(4)); // a call: a new and a delete may be left out by the compiler
  EXPECT_EQ(allocations - before, 1u);
}

TEST(Allocation, DoesNotHappenInTheLoopOnTheLine) {
  cpu::MixtureOnTheLine<double> target(Mixture<double>::paper());
  EXPECT_EQ(allocations_in(Matching(1), target, 3001), 0u);
  EXPECT_EQ(allocations_in(Shuffle(1, 8), target, 3000), 0u);
  EXPECT_EQ(allocations_in(Shuffle(1, 100), target, 3000), 0u);
  EXPECT_EQ(allocations_in(Whole(), target, 1500), 0u);
  EXPECT_EQ(allocations_in(Draw(1, 8), target, 3000), 0u);
}

TEST(Allocation, DoesNotHappenInTheLoopOfALogisticRegression) {
  auto data = std::make_shared<LabelledData<double>>();
  data->features.resize(500, 20);
  data->labels = Eigen::VectorXd::Zero(500);
  data->labels.head(250).setOnes();
  start_normal(Rows<double>{data->features.data(), 500, 20}, 3, 0, 1);
  LogisticRegression<double, cpu::Algebra<double>> target(data, 100, 1);
  EXPECT_EQ(allocations_in(Matching(1), target, 300), 0u);
  EXPECT_EQ(allocations_in(Shuffle(1, 100), target, 300), 0u);
  EXPECT_EQ(allocations_in(Whole(), target, 600), 0u);
}

template <typename Drift>
std::size_t allocations_of(Drift drift, std::size_t n, std::size_t dim, std::size_t p) {
  Ensemble<double> particles(n, dim);
  start_normal(particles.position(), 1, 0, 1);
  start_normal(particles.score(), 2, 0, 1);
  Shuffle deal(1, p);
  drift(0, particles, deal(0, particles));
  const Batches& batches = deal(1, particles);
  const std::size_t before = allocations;
  for (Step k = 0; k < 5; ++k)
    drift(k, particles, batches);
  return allocations - before;
}

TEST(Allocation, DoesNotHappenInTheBilinearPart) {
  using Pairs = cpu::PairwiseDrift<double, Gauss>;
  for (const std::size_t dim : {1u, 3u, 20u})
    for (const std::size_t n : {10u, 300u, 3000u})
      EXPECT_EQ(allocations_of(WithBilinear<double, Pairs>(Pairs(Gauss(1)), 0.1), n, dim, 2), 0u);
}

TEST(Allocation, DoesNotHappenInASumOfKernels) {
  for (const std::size_t dim : {1u, 20u})
    for (const std::size_t p : {2u, 8u, 300u}) {
      kernel::RuntimeSum<double> sum({{1.0, Gauss(1)},
                                      {2.0, kernel::Polynomial<double>(0.1, 2)},
                                      {0.5, kernel::SmoothRiesz<double>(0.5, 0.3, dim)}});
      EXPECT_EQ(allocations_of(cpu::SumDrift<double>(sum), 600, dim, p), 0u) << dim << " " << p;
    }
}

TEST(Allocation, DoesNotHappenInKernelsForEachCoordinate) {
  for (const std::size_t dim : {1u, 20u}) {
    for (const std::size_t p : {2u, 8u, 300u})
      EXPECT_EQ(allocations_of(cpu::SumDrift<double>(kernel::RuntimeSum<double>(
                                   {{1.0, kernel::Parameters<double>(0.1)}})),
                               600, dim, p),
                0u)
          << dim << " " << p;
    MarginalDrift<double> marginals(0.1);
    EXPECT_EQ(allocations_of([&](Step k, auto& particles,
                                 const Batches& batches) { marginals(k, particles, batches); },
                             600, dim, 2),
              0u)
        << dim;
  }
}

TEST(Allocation, DoesNotHappenInAStochasticStep) {
  for (const std::size_t p : {2u, 7u}) {
    Ensemble<double> particles(300, 3);
    start_normal(particles.position(), 1, 0, 1);
    StochasticStep<double, Gauss> step(1, {0.01, 1, 0}, Gauss(1), Threads::alone(), {}, {}, 0.3);
    Shuffle deal(1, p);
    std::size_t before = 0;
    for (Step k = 0; k < 9; ++k) {
      if (k == 3)
        before = allocations;
      step(k, particles, deal(k, particles), [] {});
    }
    EXPECT_EQ(allocations - before, 0u) << p;
  }
}

} // namespace
} // namespace starling
