// What does not compile: types that look like a role or a part but are none.
#include <starling/advance/rules.hpp>
#include <starling/concepts.hpp>
#include <starling/deal/draw.hpp>
#include <starling/deal/matching.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/deal/whole.hpp>
#include <starling/drift/force.hpp>
#include <starling/drift/reference.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/kernel/polynomial.hpp>
#include <starling/kernel/riesz.hpp>
#include <starling/kernel/sum.hpp>
#include <starling/observe/in_turn.hpp>
#include <starling/rbm_svgd.hpp>
#include <starling/target/lift.hpp>
#include <starling/target/score.hpp>

#include <gtest/gtest.h>

namespace {

using namespace starling;

// Dealers

struct DealsANumber {
  int operator()(Step, const Ensemble<double>&) { return 3; }
};
struct DealsWithoutTheStep {
  const Batches& operator()(const Ensemble<double>&);
};
struct DealsForFloat {
  const Batches& operator()(Step, const Ensemble<float>&);
};
struct LetsRowsTravel {
  const Batches& operator()(Step, Ensemble<double>&);
};
static_assert(Dealer<Shuffle, Ensemble<double>> && Dealer<Draw, Ensemble<float>>);
static_assert(Dealer<Whole, Ensemble<double>> && !Dealer<Whole, double>); // no particles
static_assert(!Dealer<DealsANumber, Ensemble<double>>);
static_assert(!Dealer<DealsWithoutTheStep, Ensemble<double>>);
static_assert(Dealer<DealsForFloat, Ensemble<float>> && !Dealer<DealsForFloat, Ensemble<double>>);
static_assert(Dealer<LetsRowsTravel, Ensemble<double>> && Dealer<Matching, Ensemble<double>>);

// Scorers, drifters, advancers, observers

struct ScoresWithoutBatches {
  void operator()(Step, Ensemble<double>&);
};
struct AdvancesWithoutTheFlow {
  void operator()(Step, Ensemble<double>&, const Batches&);
};
struct ObservesInSilence {
  void operator()(Step, const Ensemble<double>&, const Batches&);
};
struct ObservesYesOrNo {
  bool operator()(Step, const Ensemble<double>&, const Batches&);
};
struct ObservesAndTouches {
  Signal operator()(Step, Ensemble<double>&, const Batches&);
};
static_assert(!Scorer<ScoresWithoutBatches, Ensemble<double>>);
static_assert(!Drifter<ScoresWithoutBatches, Ensemble<double>>);
static_assert(!Looker<ScoresWithoutBatches, Ensemble<double>>);
static_assert(Looker<NoLook, Ensemble<double>> && Looker<NoLook, Ensemble<float>>);
static_assert(!Advancer<AdvancesWithoutTheFlow, Ensemble<double>>);
static_assert(Observer<NoObserver, Ensemble<double>>);
static_assert(!Observer<ObservesInSilence, Ensemble<double>>);
static_assert(!Observer<ObservesYesOrNo, Ensemble<double>>);
static_assert(!Observer<ObservesAndTouches, Ensemble<double>>);

// The loop refuses them too.

struct AdvancesNothing {
  template <typename Flow>
  void operator()(Step, Ensemble<double>&, const Batches&, Flow&&) {}
};
template <typename Deal, typename Observe>
concept LoopTakes = requires(Ensemble<double>& particles, Deal deal, Observe observe) {
  rbm_svgd(particles, Span{0, 1}, deal, NoScore{}, NoScore{}, AdvancesNothing{}, observe);
};
static_assert(LoopTakes<Whole, NoObserver>);
static_assert(!LoopTakes<DealsANumber, NoObserver>);
static_assert(!LoopTakes<Whole, ObservesYesOrNo>);

// Kernels

struct Nothing {};
struct ReturnsANumber {
  double at_distance(double r2) const { return r2; }
};
struct ForgetsConst {
  PairWeights<double> at_distance(double r2) { return {r2, 0, 0}; }
};
static_assert(!Kernel<Nothing, double>);
static_assert(!Kernel<ReturnsANumber, double>);
static_assert(!Kernel<ForgetsConst, double>); // shared among threads: it must not change
static_assert(!Kernel<double, double>);
static_assert(RadialKernel<kernel::Gaussian<double>, double>);
static_assert(!DotKernel<kernel::Gaussian<double>, double>);
static_assert(DotKernel<kernel::Polynomial<double>, double>);
static_assert(!RadialKernel<kernel::Polynomial<double>, double>);
static_assert(HasBandwidth<kernel::Gaussian<double>, double>);
static_assert(!HasBandwidth<kernel::Riesz<double>, double>);

template <typename K>
concept DriftTakes = requires {
  typename ReferenceDrift<double, K>;
};
static_assert(DriftTakes<kernel::Gaussian<double>>);
static_assert(!DriftTakes<Nothing> && !DriftTakes<ReturnsANumber>);

template <typename K>
concept SumTakes = requires {
  typename kernel::Sum<double, kernel::Gaussian<double>, K>;
};
static_assert(SumTakes<kernel::Polynomial<double>>);
static_assert(!SumTakes<ForgetsConst>);

// Targets

struct KnowsNoDimension {
  void operator()(Step, Rows<const double>, Rows<double>);
};
struct ScoresInFloat {
  std::size_t dim() const { return 1; }
  void operator()(Step, Rows<const float>, Rows<float>);
};
struct WritesToPositions {
  std::size_t dim() const { return 1; }
  void operator()(Step, Rows<double>, Rows<double>);
};
struct OneParticle {
  double operator()(std::span<const double>, std::span<double>) const;
};
using Lifted = Lift<double, OneParticle>;
static_assert(Target<Lifted, double> && Density<Lifted, double>);
static_assert(!Target<Lifted, float>);
static_assert(!Target<KnowsNoDimension, double>);
static_assert(!Target<ScoresInFloat, double> && Target<ScoresInFloat, float>);
static_assert(!Density<ScoresInFloat, float>); // it scores, but knows no density
static_assert(!Target<WritesToPositions, double>);
static_assert(!Target<OneParticle, double>); // of one particle: lift it first

template <typename T>
concept ScoreTakes = requires {
  typename Score<double, T>;
};
static_assert(ScoreTakes<Lifted> && ScoreTakes<Lifted&>);
static_assert(!ScoreTakes<KnowsNoDimension> && !ScoreTakes<ScoresInFloat>);

// Step rules and forces

struct RuleWithoutMemories {
  auto at(double, std::uint32_t) const {
    return [](double g, auto&) { return g; };
  }
};
struct RuleWithoutTime {
  static constexpr std::size_t memories = 0;
  auto at(std::uint32_t) const {
    return [](double g, auto&) { return g; };
  }
};
static_assert(StepRule<ConstantStep<double>, double> && StepRule<Adam<float>, float>);
static_assert(!StepRule<RuleWithoutMemories, double>);
static_assert(!StepRule<RuleWithoutTime, double>);

struct ForceOfOne {
  void operator()(std::span<const double>, std::span<double>) const;
};
static_assert(!PairForce<ForceOfOne, double>);

// Views: a view that may write turns into one that may not, never the other way.

static_assert(std::is_convertible_v<Rows<double>, Rows<const double>>);
static_assert(!std::is_convertible_v<Rows<const double>, Rows<double>>);
static_assert(!std::is_convertible_v<Rows<float>, Rows<const double>>);
static_assert(!std::is_copy_constructible_v<Threads>);

// All of the above is checked when this file compiles.
TEST(Concepts, GiveAConstViewOfAConstEnsemble) {
  const Ensemble<double> particles(2, 1);
  EXPECT_TRUE((std::is_same_v<decltype(particles.position()), Rows<const double>>));
  EXPECT_TRUE((std::is_same_v<decltype(particles.moves()), std::span<const std::uint32_t>>));
}

} // namespace
