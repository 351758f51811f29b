// Whole steps, drift and move in one sweep or two, and many at once, against the host's loop with
// the same batches.
#include "cuda_on_host/machines.hpp"
#include "device/from_outside.hpp"

#include <starling/advance/explicit_step.hpp>
#include <starling/observe/in_turn.hpp>
#include <starling/rbm_svgd.hpp>
#include <starling/target/score.hpp>

namespace {

using namespace cuda_tests;

// A device ensemble flies with roles of its own, and not with the host's.
using There = cuda::Ensemble<double>;
static_assert(Particles<There> && !HostParticles<There>);
static_assert(Dealer<Moebius, There> && Dealer<Matching, There>);
static_assert(!Scorer<Score<double, EvenNormal<double>>, There>);
static_assert(!Drifter<ReferenceDrift<double, kernel::Gaussian<double>>, There>);
static_assert(!Advancer<ExplicitStep<double, ConstantStep<double>>, There>);

/// A rule with one memory under which the size of the drift is seen.
struct Cautious {
  static constexpr std::size_t memories = 1;
  Scaled<float> at(double, std::uint32_t) const { return {0.1F, 0.9F, 0.1F, 1}; }
};

class Steps : public OnMachine {
protected:
  /// Steps of a Moebius or other dealer on both, from the same start; the farthest that a
  /// coordinate comes out apart.
  template <typename Real, typename Deal, typename Rule>
  double apart(std::size_t n, std::size_t dim, By by, BatchSize p, Deal deal, Rule rule, Step steps,
               double wrong = 1, double bandwidth = 0, bool outside = false) {
    auto asked = spec<Real>(n, dim, by, p.first());
    if (by == By::moebius)
      asked.orders = support::orders(by, asked.seed, p, n);
    asked.bandwidth = bandwidth > 0 ? bandwidth : double(dim);
    asked.pairs.terms[0].weight = Real(wrong);
    asked.rule = rule;
    if (outside)
      asked.outside = from_outside<Real>(asked);
    cuda::Cloud<Real> cloud(machine, asked);
    Ensemble<Real> host = start<Real>(n, dim), there(n, dim);
    cloud.particles().upload(host);
    for (Step k = 0; k < steps; ++k)
      cloud.record(k);
    cloud.flush();
    cloud.particles().download(there);
    Score<Real, EvenNormal<Real>> score(EvenNormal<Real>(dim, dim == 1 ? 0 : 0.2));
    ReferenceDrift<Real, kernel::Gaussian<Real>> drift(
        kernel::Gaussian<Real>(static_cast<Real>(asked.bandwidth)));
    rbm_svgd(host, Span{0, steps}, deal, score, drift, ExplicitStep<Real, Rule>(rule),
             NoObserver());
    double worst = 0;
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(there.id()[i], host.id()[i]);
      EXPECT_EQ(there.moves()[i], steps);
      for (std::size_t a = 0; a < dim; ++a)
        if (const double gap =
                std::abs(double(there.position()[i][a]) - double(host.position()[i][a]));
            !(gap <= worst))
          worst = gap; // NaN counts
    }
    return worst;
  }
};

constexpr double in_single = 2e-5,
                 in_double =
                     1e-12; // positions are about 1; a few steps of a few hundred operations

TEST_P(Steps, InOneSweepAreThoseOfTheLoop) {
  for (const std::size_t dim : {1u, 2u, 3u, 8u, 9u, 33u, 56u, 64u, 65u, 128u, 129u})
    for (const std::size_t p : {2u, 3u, 7u, 8u, 9u})
      for (const std::size_t n : {64u, 71u})
        EXPECT_LT(
            (apart<float>(n, dim, By::moebius, p, Moebius(5, p), ConstantStep<float>(0.1), 4)),
            in_single)
            << n << " in " << dim << " dimensions, batches of " << p;
}

TEST_P(Steps, OfCloudsTooLargeForOneBlockAreThoseOfTheLoop) { // few dimensions, a thread a batch
  for (const std::size_t dim : {1u, 2u})
    for (const std::size_t p : {2u, 3u, 8u, 9u})
      for (const std::size_t n : {1062u, 1061u}) {
        EXPECT_LT(
            (apart<float>(n, dim, By::moebius, p, Moebius(5, p), ConstantStep<float>(0.1), 4)),
            in_single)
            << n << " in " << dim << " dimensions, batches of " << p;
        EXPECT_LT(
            (apart<double>(n, dim, By::moebius, p, Moebius(5, p), ConstantStep<double>(0.1), 4)),
            in_double);
      }
  EXPECT_GT(
      (apart<float>(1061, 2, By::moebius, 2, Moebius(5, 2), ConstantStep<float>(0.1), 4, 1.3)),
      100 * in_single);
}

TEST_P(Steps, OfPairsAndCosetsAreThoseOfTheLoop) {
  for (const std::size_t dim : {1u, 2u, 56u}) {
    EXPECT_LT((apart<float>(71, dim, By::matching, 2, Matching(5), ConstantStep<float>(0.1), 4)),
              in_single);
    EXPECT_LT((apart<float>(64, dim, By::cosets, 8, Cosets(5, 8), ConstantStep<float>(0.1), 4)),
              in_single);
    EXPECT_LT((apart<double>(64, dim, By::cosets, 8, Cosets(5, 8), ConstantStep<double>(0.1), 4)),
              in_double);
    EXPECT_LT((apart<double>(131, dim, By::everyone, 131, Whole(), ConstantStep<double>(0.1), 3)),
              in_double);
  }
}

/// In one sweep as well: memories that are asked for early, batches of one size side by side, rows
/// by four threads.
TEST_P(Steps, InOneSweepAreThoseOfTheLoopForEveryRule) {
  for (const std::size_t dim : {1u, 2u, 9u, 12u, 20u, 32u, 36u, 56u, 64u, 68u})
    for (const std::size_t p : {2u, 3u, 4u, 8u})
      for (const std::size_t n : {64u, 71u, 1088u}) { // the last: too many for one block
        if (n > 1000 && dim > 2)
          continue;
        const auto expect = [&](auto rule, double most) {
          EXPECT_LT((apart<float>(n, dim, By::moebius, p, Moebius(5, p), rule, 4)), most)
              << n << " in " << dim << " dimensions, batches of " << p;
        };
        expect(ConstantStep<float>(0.1), in_single);
        expect(FadingAdaGrad<float>(0.01), 10 * in_single); // g / sqrt(g^2) near g = 0
        expect(Adam<float>(0.01), 10 * in_single);
      }
}

/// Pairs at first, of which one block takes the steps another way than those of larger batches.
TEST_P(Steps, OfBatchesThatGrowInOneBlockAreThoseOfTheLoop) {
  const BatchSize grows = BatchSize::doubling(2, 3);
  for (const std::size_t n : {64u, 71u, 1024u})
    for (const std::size_t dim : {1u, 2u}) {
      const auto gap = [&](auto rule, double wrong) {
        return apart<float>(n, dim, By::moebius, grows, Moebius(5, grows), rule, 8, wrong);
      };
      EXPECT_LT(gap(ConstantStep<float>(0.1), 1), in_single) << n << " in " << dim;
      EXPECT_LT(gap(Cautious(), 1), in_single) << n << " in " << dim;
      EXPECT_GT(gap(Cautious(), 1.3), 100 * in_single);
    }
  EXPECT_GT((apart<float>(64, 2, By::moebius, 2u, Moebius(5, 2), ConstantStep<float>(0.1), 4, 1.3)),
            100 * in_single);
}

TEST_P(Steps, InOneSweepByScoresOfOthersAreThoseOfTheLoop) {
  for (const std::size_t dim : {2u, 9u, 12u, 32u, 56u, 64u})
    for (const std::size_t p : {2u, 4u, 8u}) {
      const auto gap = [&](double wrong, double bandwidth) {
        return apart<float>(64, dim, By::moebius, p, Moebius(5, p), ConstantStep<float>(0.1), 4,
                            wrong, bandwidth, true);
      };
      EXPECT_LT(gap(1, 0), in_single) << dim << " dimensions, batches of " << p;
      EXPECT_LT(gap(1, 1e-6), in_single) << "strangers: " << dim << " dimensions, batches of " << p;
      EXPECT_GT(gap(1.3, 0), 100 * in_single);
    }
}

/// So many steps at once that each row's memory lies behind its position meanwhile, for batches
/// that come from all over.
TEST_P(Steps, OfRowsSideBySideAreThoseOfTheLoop) {
  const Step steps = cuda::layout::side_by_side_turns + 2;
  const std::size_t many = cuda::layout::one_block + 8;
  const auto gap = [&](std::size_t n, std::size_t dim, std::size_t p, double wrong) {
    return apart<float>(n, dim, By::moebius, p, Moebius(5, p), Cautious(), steps, wrong);
  };
  for (const std::size_t p : {2u, 4u, 8u}) {
    for (const std::size_t dim : {1u, 2u, 12u, 32u, 56u})
      for (const std::size_t n : {std::size_t{24}, many}) {
        if (dim <= 2 && n < many)
          continue; // one block takes their steps
        EXPECT_LT(gap(n, dim, p, 1), in_single)
            << n << " in " << dim << " dimensions, batches of " << p;
      }
    EXPECT_GT(gap(many, 2, p, 1.3), 100 * in_single);
    EXPECT_GT(gap(24, 56, p, 1.3), 100 * in_single);
  }
}

/// A narrow kernel, of which nobody sees anybody: only the score is left, and nothing may cancel
/// beside it.
TEST_P(Steps, OfStrangersAreTheirScores) {
  for (const std::size_t dim : {2u, 12u, 13u, 56u})
    for (const std::size_t p : {2u, 4u, 8u})
      EXPECT_LT((apart<float>(64, dim, By::moebius, p, Moebius(5, p), ConstantStep<float>(1), 4, 1,
                              1e-6)),
                in_single)
          << dim << " dimensions, batches of " << p;
}

TEST_P(Steps, OfEveryRuleAreThoseOfTheLoop) {
  const auto expect = [&](auto rule) {
    EXPECT_LT((apart<double>(41, 3, By::moebius, 4, Moebius(5, 4), rule, 12)),
              1e-9); // g / sqrt(g^2) near g = 0
    EXPECT_LT((apart<double>(41, 2, By::moebius, 4, Moebius(5, 4), rule, 12)), 1e-9);
  };
  expect(ConstantStep<double>(0.1));
  expect(DecayingStep<double>(0.5, 20, 0.7));
  expect(FadingAdaGrad<double>(0.1));
  expect(SummingAdaGrad<double>(0.1));
  expect(RmsProp<double>(0.01));
  expect(Adam<double>(0.01));
}

/// On either side of the memory that a block has: the first in one go, the second not.
TEST_P(Steps, OfCloudsThatHardlyFitIntoABlockAreThoseOfTheLoop) {
  using Sweep = cuda::ManySteps<double, 2>;
  const auto bytes = [](std::uint32_t n) {
    cuda::Work<double> work;
    work.count = n;
    work.dim = 2;
    return Sweep{work, 0, 64}.room() * sizeof(double);
  };
  std::uint32_t n = Sweep::rows;
  while (bytes(n) > cuda::layout::most_block_bytes)
    --n;
  ASSERT_LT(n, Sweep::rows);
  for (const std::size_t count : {n, n + 1})
    EXPECT_LT(
        (apart<double>(count, 2, By::moebius, 2, Moebius(5, 2), ConstantStep<double>(0.1), 64)),
        1e-9)
        << count;
}

TEST_P(Steps, GoOnAlikeWhenRowsHaveTravelled) {
  EXPECT_LT((apart<double>(300, 2, By::moebius, 4, Moebius(5, 4), ConstantStep<double>(0.1), 140)),
            1e-9);
  EXPECT_LT((apart<double>(1100, 1, By::moebius, 2, Moebius(5, 2), ConstantStep<double>(0.1), 70)),
            1e-9); // not in one go
  EXPECT_LT((apart<double>(101, 9, By::matching, 2, Matching(5), ConstantStep<double>(0.1), 70)),
            1e-9);
}

TEST_P(Steps, ThatAreWrongAreFound) {
  EXPECT_GT((apart<float>(71, 56, By::moebius, 2, Moebius(5, 2), ConstantStep<float>(0.1), 4, 1.3)),
            100 * in_single);
  EXPECT_GT((apart<float>(71, 2, By::moebius, 8, Moebius(5, 8), ConstantStep<float>(0.1), 4, 1.3)),
            100 * in_single);
}

STARLING_ON_MACHINES(Steps);

} // namespace
