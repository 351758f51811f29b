// The same bits for any number of threads, for every target, batch size, precision and step rule.
#include <starling/advance/explicit_step.hpp>
#include <starling/deal/draw.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/deal/whole.hpp>
#include <starling/drift/pairwise.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/observe/in_turn.hpp>
#include <starling/random/start.hpp>
#include <starling/rbm_svgd.hpp>
#include <starling/target/lift.hpp>
#include <starling/target/logistic_regression.hpp>
#include <starling/target/mixture.hpp>
#include <starling/target/normal.hpp>
#include <starling/target/score.hpp>

#include "support/hash.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace starling {
namespace {

template <typename Real>
class SameBits : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(SameBits, Precisions);

constexpr std::size_t everyone = 0; // as a batch size: SVGD

/// Three steps with a target made for these threads; the hash of where that leads.
template <typename Real, typename Rule, typename MakeTarget>
std::uint64_t run(std::size_t thread_count, std::size_t p, std::uint64_t seed, Rule rule,
                  MakeTarget&& make_target) {
  Threads threads(thread_count);
  auto target = make_target(threads);
  // Enough for several pieces of every sweep.
  Ensemble<Real> particles(p == everyone ? 700 : 20000, target.dim());
  start_normal(particles.position(), 1, 0, 1);
  const auto sample = [&](auto deal) {
    using Kernel = kernel::Gaussian<Real>;
    rbm_svgd(particles, Span{0, 3}, deal, score_of<Real>(target),
             PairwiseDrift<Real, Kernel>(Kernel(Real(0.5)), threads),
             ExplicitStep<Real, Rule>(rule, threads), NoObserver());
  };
  if (p == everyone)
    sample(Whole());
  else
    sample(Shuffle(seed, p));
  return support::hash_of(particles.position());
}

template <typename Real, typename Rule, typename MakeTarget>
void expect_same_bits(Rule rule, MakeTarget&& make_target) {
  for (const std::size_t p : {std::size_t{2}, std::size_t{8}, everyone}) {
    const std::uint64_t expected = run<Real>(1, p, 2, rule, make_target);
    EXPECT_EQ(run<Real>(2, p, 2, rule, make_target), expected) << "2 threads, p " << p;
    EXPECT_EQ(run<Real>(7, p, 2, rule, make_target), expected) << "7 threads, p " << p;
    if (p != everyone) { // another seed is another run: the hash does tell
      EXPECT_NE(run<Real>(2, p, 3, rule, make_target), expected) << "p " << p;
    }
  }
}

template <typename Real>
auto mixture(Threads& threads) {
  const Eigen::MatrixXd unit = Eigen::MatrixXd::Identity(2, 2);
  const Mixture<Real> density({{1.0, Eigen::Vector2d(-2, 0), unit},
                               {2.0, Eigen::Vector2d(2, 1), 0.5 * unit},
                               {0.5, Eigen::Vector2d(0, 3), 2 * unit}});
  return lift<Real>(2, density, threads);
}

template <typename Real>
Normal<Real> dense_normal(Threads& threads) {
  Eigen::MatrixXd covariance(5, 5);
  for (int a = 0; a < 5; ++a)
    for (int b = 0; b < 5; ++b)
      covariance(a, b) = std::pow(0.6, std::abs(a - b)) * (1 + 0.3 * std::min(a, b));
  return Normal<Real>(Eigen::VectorXd::LinSpaced(5, -1, 1), covariance, threads);
}

template <typename Real>
LogisticRegression<Real> logistic(Threads& threads) {
  auto data = std::make_shared<LabelledData<Real>>();
  data->features.resize(230, 6);
  data->labels.resize(230);
  const Philox philox(9);
  for (Eigen::Index r = 0; r < 230; ++r) {
    for (Eigen::Index c = 0; c < 6; ++c)
      data->features(r, c) =
          static_cast<Real>(normal_pair(philox(Stream::synthetic, Step(c), std::uint64_t(r)))[0]);
    data->labels[r] = data->features(r, 0) + data->features(r, 1) > 0 ? Real(1) : Real(0);
  }
  return LogisticRegression<Real>(data, 50, 4, threads);
}

TYPED_TEST(SameBits, ForAMixtureUnderFadingAdaGrad) {
  expect_same_bits<TypeParam>(FadingAdaGrad<TypeParam>(0.1), mixture<TypeParam>);
}
TYPED_TEST(SameBits, ForADenseNormalUnderAdam) {
  expect_same_bits<TypeParam>(Adam<TypeParam>(0.1), dense_normal<TypeParam>);
}
TYPED_TEST(SameBits, ForLogisticRegressionOnDataBatchesUnderRmsProp) {
  expect_same_bits<TypeParam>(RmsProp<TypeParam>(0.01), logistic<TypeParam>);
}
TYPED_TEST(SameBits, ForADenseNormalUnderADecayingStep) {
  expect_same_bits<TypeParam>(DecayingStep<TypeParam>(0.1, 2, 0.7), dense_normal<TypeParam>);
}

TYPED_TEST(SameBits, ForLargeDrawsWithReplacement) {
  const auto sample = [](std::size_t thread_count, std::uint64_t seed) {
    using Kernel = kernel::Gaussian<TypeParam>;
    Threads threads(thread_count);
    auto target = mixture<TypeParam>(threads);
    Ensemble<TypeParam> particles(1000, 2);
    start_normal(particles.position(), 1, 0, 1);
    rbm_svgd(
        particles, Span{0, 4}, Draw(seed, 600), score_of<TypeParam>(target),
        PairwiseDrift<TypeParam, Kernel>(Kernel(TypeParam(0.5)), threads),
        ExplicitStep<TypeParam, SummingAdaGrad<TypeParam>>(SummingAdaGrad<TypeParam>(0.1), threads),
        NoObserver());
    return support::hash_of(particles.position());
  };
  const std::uint64_t expected = sample(1, 2);
  EXPECT_EQ(sample(2, 2), expected);
  EXPECT_EQ(sample(7, 2), expected);
  EXPECT_NE(sample(2, 3), expected);
}

} // namespace
} // namespace starling
