// A run that stops and goes on ends where an uninterrupted one does, bit for bit.
#include <starling/advance/explicit_step.hpp>
#include <starling/deal/draw.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/drift/adaptive.hpp>
#include <starling/drift/pairwise.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/observe/in_turn.hpp>
#include <starling/random/start.hpp>
#include <starling/rbm_svgd.hpp>
#include <starling/target/lift.hpp>
#include <starling/target/score.hpp>
#include <starling/target/shapes.hpp>

#include "support/hash.hpp"

#include <gtest/gtest.h>

namespace starling {
namespace {

using Kernel = kernel::Gaussian<double>;
using Drift = PairwiseDrift<double, Kernel>;

Ensemble<double> cloud() {
  Ensemble<double> particles(60, 2);
  start_normal(particles.position(), 1, -3, 1);
  return particles;
}

/// Takes the steps with roles made anew, as another process would.
template <typename Deal, typename Rule>
void go_on(Ensemble<double>& particles, Span steps, const Deal& deal, const Rule& rule) {
  auto target = lift<double>(2, Banana<double>(0.3, 1.5));
  using Bandwidth = kernel::SampledMedianBandwidth<double>;
  rbm_svgd(particles, steps, Deal(deal), score_of<double>(target),
           AdaptiveDrift<double, Drift, Bandwidth>(Drift(Kernel(1)), Bandwidth(3, 50)),
           ExplicitStep<double, Rule>(rule), NoObserver());
}

template <typename Deal, typename Rule>
void expect_resumed(const Deal& deal, const Rule& rule) {
  Ensemble<double> whole = cloud(), parts = cloud();
  go_on(whole, Span{0, 500}, deal, rule);
  go_on(parts, Span{0, 200}, deal, rule);
  EXPECT_NE(support::hash_of(parts.position()), support::hash_of(whole.position()));
  Ensemble<double> restarted = parts;
  go_on(parts, Span{200, 500}, deal, rule);
  EXPECT_EQ(support::hash_of(parts.position()), support::hash_of(whole.position()));
  go_on(restarted, Span{0, 300}, deal, rule); // counted from 0 again it is another run
  EXPECT_NE(support::hash_of(restarted.position()), support::hash_of(whole.position()));
}

TEST(Resume, EqualsAnUninterruptedRunUnderAdaGradAndShuffle) {
  expect_resumed(Shuffle(2, 4), FadingAdaGrad<double>(0.1));
}
TEST(Resume, EqualsAnUninterruptedRunUnderAdaGradAndDraw) {
  expect_resumed(Draw(2, 4), FadingAdaGrad<double>(0.1));
}
TEST(Resume, EqualsAnUninterruptedRunUnderAdamAndShuffle) {
  expect_resumed(Shuffle(2, 4), Adam<double>(0.05));
}
TEST(Resume, EqualsAnUninterruptedRunUnderAdamAndDraw) {
  expect_resumed(Draw(2, 4), Adam<double>(0.05));
}
TEST(Resume, EqualsAnUninterruptedRunWithGrowingBatchesAndADecayingStep) {
  expect_resumed(Shuffle(2, BatchSize::doubling(2, 150)), DecayingStep<double>(0.3, 20, 0.6));
}

TEST(Resume, IsAskedForByAnObserverThatStops) {
  Ensemble<double> whole = cloud(), parts = cloud();
  const Shuffle deal(2, 4);
  const FadingAdaGrad<double> rule(0.1);
  go_on(whole, Span{0, 50}, deal, rule);
  auto target = lift<double>(2, Banana<double>(0.3, 1.5));
  using Bandwidth = kernel::SampledMedianBandwidth<double>;
  const Step next =
      rbm_svgd(parts, Span{0, 50}, Shuffle(deal), score_of<double>(target),
               AdaptiveDrift<double, Drift, Bandwidth>(Drift(Kernel(1)), Bandwidth(3, 50)),
               ExplicitStep<double, FadingAdaGrad<double>>(rule),
               [](Step k, const Ensemble<double>&, const Batches&) {
                 return k == 17 ? Signal::stop : Signal::go_on;
               });
  EXPECT_EQ(next, 18u);
  go_on(parts, Span{next, 50}, deal, rule);
  EXPECT_EQ(support::hash_of(parts.position()), support::hash_of(whole.position()));
}

TEST(Start, GivesAParticleTheSamePlaceWhateverNIs) {
  Ensemble<double> few(10, 3), many(1000, 3);
  start_normal(few.position(), 7, 1, 2);
  start_normal(many.position(), 7, 1, 2);
  EXPECT_EQ(support::hash_of(few.position()), support::hash_of(many.position().slice(0, 10)));
  start_uniform(few.position(), 7, -1, 2);
  start_uniform(many.position(), 7, -1, 2);
  EXPECT_EQ(support::hash_of(few.position()), support::hash_of(many.position().slice(0, 10)));
  start_normal(many.position(), 8, 1, 2);
  EXPECT_NE(support::hash_of(few.position()), support::hash_of(many.position().slice(0, 10)));
}

} // namespace
} // namespace starling
