// Roles over any particles: another kind, which lies otherwise in memory, flies the same bits; and
// one of which only some rows are here has the places and the weights of the whole.
#include <starling/advance/explicit_step.hpp>
#include <starling/advance/riesz_splitting.hpp>
#include <starling/advance/runge_kutta.hpp>
#include <starling/deal/draw.hpp>
#include <starling/deal/matching.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/deal/whole.hpp>
#include <starling/drift/adaptive.hpp>
#include <starling/drift/force.hpp>
#include <starling/drift/pairwise.hpp>
#include <starling/drift/reference.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/kernel/polynomial.hpp>
#include <starling/kernel/riesz.hpp>
#include <starling/observe/guard.hpp>
#include <starling/observe/in_turn.hpp>
#include <starling/observe/moments.hpp>
#include <starling/observe/noise.hpp>
#include <starling/observe/recorder.hpp>
#include <starling/random/start.hpp>
#include <starling/rbm_svgd.hpp>
#include <starling/target/lift.hpp>
#include <starling/target/score.hpp>

#include "support/two_halves.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace starling {
namespace {

using support::TwoHalves;
static_assert(HostParticles<Ensemble<double>, double> && HostParticles<TwoHalves<double>, double>);
static_assert(PlainColumn<decltype(std::declval<Ensemble<double>&>().position()), double>);
static_assert(!PlainColumn<decltype(std::declval<TwoHalves<double>&>().position()), double>);

constexpr std::size_t parameters = 3;

template <typename Real>
auto saddle() { // nothing about it is symmetric
  return lift<Real>(parameters, [](std::span<const Real> x, std::span<Real> score) {
    score[0] = std::sin(x[1]) - x[0];
    score[1] = Real(0.5) - x[1] * std::abs(x[2]) - x[1];
    score[2] = x[0] - 2 * x[2];
    return Real(0);
  });
}

/// All that outlives a step, and what moved it, as numbers.
template <typename P>
std::vector<double> bits(const P& particles) {
  std::vector<double> all;
  for (std::size_t i = 0; i < particles.count(); ++i) {
    all.push_back(double(particles.id()[i]));
    all.push_back(double(particles.moves()[i]));
    for (std::size_t a = 0; a < particles.dim(); ++a) {
      all.push_back(double(particles.position()[i][a]));
      all.push_back(double(particles.score()[i][a]));
      all.push_back(double(particles.drift()[i][a]));
      for (std::size_t c = 0; c < particles.memories(); ++c)
        all.push_back(double(particles.memory(c)[i][a]));
    }
  }
  return all;
}

// Behind a call per sweep, so that the loop is compiled once for each kind of particles.
template <typename P>
using Deal = std::function<const Batches&(Step, P&)>;
template <typename P>
using Drift = std::function<void(Step, P&, const Batches&)>;
template <typename P>
using Advance = std::function<void(Step, P&, const Batches&, const std::function<void()>&)>;

template <typename P>
std::vector<double> flown(P particles, Deal<P> deal, Drift<P> drift, Advance<P> advance) {
  using Real = typename P::Real;
  auto target = saddle<Real>();
  start_normal(particles, 7, 0.5, 1.5);
  std::vector<double> seen;
  const auto look = [&](Step k, P& now, const Batches& batches) {
    if (k % 5 == 0 && batches.whole())
      seen.push_back(drift_noise(k, now, batches, drift, 3).variance);
  };
  Moments moments;
  Recorder<Real> recorder;
  Expectations<Real> expectations({[](std::span<const Real> x) { return double(x[0] * x[2]); }});
  rbm_svgd(particles, Span{0, 23}, deal, score_of<Real>(target), drift, look, advance,
           InTurn(Guard(), moments, recorder, expectations));
  const auto add = [&](const auto& values) {
    seen.insert(seen.end(), values.begin(), values.end());
  };
  add(bits(particles));
  add(moments.variance());
  add(expectations.values());
  add(recorder.snapshots().back().position);
  return seen;
}

template <typename Real>
class AnyParticles : public testing::Test {
public:
  /// The same flight of both kinds, with every dealer.
  template <typename Drifting, typename Advancing>
  void expect_the_same(const std::string& what, Drifting drift, Advancing advance) {
    const auto with = [&](const std::string& dealer, auto deal) {
      for (const std::size_t n : {14u, 17u}) {
        const auto plain = flown<Ensemble<Real>>({n, parameters}, deal, drift, advance);
        const auto halves = flown<TwoHalves<Real>>({n, parameters}, deal, drift, advance);
        EXPECT_EQ(plain, halves) << what << ", " << dealer << ", N " << n;
      }
    };
    with("shuffle", Shuffle(5, 3));
    with("growing", Shuffle(5, BatchSize::doubling(2, 6)));
    with("matching", Matching(5, 4)); // rows travel
    with("draw", Draw(5, 4));
    with("whole", Whole());
  }
};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(AnyParticles, Reals);

template <typename Real>
using Gauss = kernel::Gaussian<Real>;

TYPED_TEST(AnyParticles, FlyTheSameBitsUnderEveryStepRule) {
  using Real = TypeParam;
  const PairwiseDrift<Real, Gauss<Real>> drift(Gauss<Real>(Real(0.8)));
  const auto with = [&](const std::string& what, auto rule) {
    this->expect_the_same(what, drift, ExplicitStep<Real, decltype(rule)>(rule));
  };
  with("constant", ConstantStep<Real>(0.1));
  with("decaying", DecayingStep<Real>(0.3, 5, 0.7));
  with("adagrad", FadingAdaGrad<Real>(0.1));
  with("adagrad sum", SummingAdaGrad<Real>(0.1));
  with("rmsprop", RmsProp<Real>(0.1));
  with("adam", Adam<Real>(0.1));
  this->expect_the_same("rk4", drift, RungeKutta4<Real>(0.2));
}

TYPED_TEST(AnyParticles, FlyTheSameBitsUnderEveryDrift) {
  using Real = TypeParam;
  const ExplicitStep<Real, Adam<Real>> advance(Adam<Real>(0.1));
  this->expect_the_same("reference", ReferenceDrift<Real, Gauss<Real>>(Gauss<Real>(1)), advance);
  using Dot = kernel::Polynomial<Real>;
  this->expect_the_same("dot", PairwiseDrift<Real, Dot>(Dot(Real(0.2), 2)), advance);
  using Adaptive =
      AdaptiveDrift<Real, PairwiseDrift<Real, Gauss<Real>>, kernel::SampledMedianBandwidth<Real>>;
  this->expect_the_same("median",
                        Adaptive(PairwiseDrift<Real, Gauss<Real>>(Gauss<Real>(1)),
                                 kernel::SampledMedianBandwidth<Real>(3, 20)),
                        advance);
  const auto force = [](std::span<const Real> x, std::span<const Real> y, std::span<Real> out) {
    for (std::size_t a = 0; a < x.size(); ++a)
      out[a] = std::sin(x[a] - 2 * y[(a + 1) % y.size()]);
  };
  this->expect_the_same("force", ForceDrift<Real, decltype(force)>(force), advance);
  using Attraction = kernel::RieszAttraction<Real>;
  this->expect_the_same("riesz", PairwiseDrift<Real, Attraction>(Attraction(Real(0.5))),
                        RieszSplitting<Real>(0.05, 0.5));
}

TYPED_TEST(AnyParticles, FlyTheSameBitsOnATorus) {
  using Real = TypeParam;
  const Torus<Real> torus(Real(2.5));
  const PairwiseDrift<Real, Gauss<Real>, Torus<Real>> drift(Gauss<Real>(1), Threads::alone(),
                                                            torus);
  this->expect_the_same("torus", drift,
                        ExplicitStep<Real, ConstantStep<Real>, Torus<Real>>(
                            ConstantStep<Real>(0.2), Threads::alone(), torus));
  this->expect_the_same("torus, rk4", drift, RungeKutta4<Real, Torus<Real>>(0.2, torus));
}

// The control: another bandwidth is another flight, and the comparison says so.
TYPED_TEST(AnyParticles, AreToldApartWhenTheyFlyOtherwise) {
  using Real = TypeParam;
  const ExplicitStep<Real, Adam<Real>> advance(Adam<Real>(0.1));
  const auto at = [&](Real h) { return PairwiseDrift<Real, Gauss<Real>>(Gauss<Real>(h)); };
  const Shuffle deal(5, 3);
  const auto plain = flown<Ensemble<Real>>({14, parameters}, deal, at(1), advance);
  const auto halves = flown<TwoHalves<Real>>({14, parameters}, deal, at(Real(1.01)), advance);
  EXPECT_EQ(plain.size(), halves.size());
  EXPECT_NE(plain, halves);
}

// -- only some rows are here

TEST(SomeOfAll, StartWhereTheirIdsStart) {
  Ensemble<double> all(40, parameters);
  TwoHalves<double> some(10, parameters, 40, 25);
  const auto expect_same = [&](const std::string& what) {
    for (std::size_t i = 0; i < 10; ++i)
      for (std::size_t a = 0; a < parameters; ++a)
        EXPECT_EQ(some.position()[i][a], all.position()[25 + i][a]) << what;
  };
  start_normal(all, 3, 1, 2);
  start_normal(some, 3, 1, 2);
  expect_same("normal");
  start_uniform(all, 3, -1, 2);
  start_uniform(some, 3, -1, 2);
  expect_same("uniform");
  start_from_prior(all, 3);
  start_from_prior(some, 3);
  expect_same("prior");
}

// Rows that travelled before the start are placed by who they are.
TEST(SomeOfAll, StartByIdAndNotByRow) {
  Ensemble<double> home(6, 2), travelled(6, 2);
  const std::uint32_t order[] = {3, 0, 5, 1, 4, 2};
  travelled.reorder(order);
  start_normal(home, 3, 0, 1);
  start_normal(travelled, 3, 0, 1);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_EQ(travelled.position()[i][1], home.position()[order[i]][1]);
}

template <typename Deal>
void expect_all_here_dealt(Deal deal, std::size_t batch) {
  TwoHalves<double> some(10, parameters, 40, 25);
  const Batches& batches = deal(3, some);
  EXPECT_EQ(batches.population, 40u);
  EXPECT_EQ(batches.order().size(), 10u);
  EXPECT_TRUE(batches.whole()); // all that are here, not all there are
  EXPECT_DOUBLE_EQ(batches.self_weight(), 1.0 / 40);
  EXPECT_DOUBLE_EQ(batches.pair_weight(batch), 39.0 / (40.0 * double(batch - 1)));
}

TEST(SomeOfAll, AreDealtWithTheWeightsOfAll) {
  expect_all_here_dealt(Shuffle(1, 5), 5);
  expect_all_here_dealt(Matching(1), 2);
  expect_all_here_dealt(Whole(), 10);
  TwoHalves<double> some(10, parameters, 40, 25);
  Draw draw(1, 10);
  EXPECT_TRUE(draw(0, some).whole());
  Draw few(1, 4);
  EXPECT_FALSE(few(0, some).whole());
  EXPECT_EQ(few(0, some).population, 40u);
}

// Two machines with half the rows each, dealt within, move as one cloud dealt the same batches.
TEST(SomeOfAll, MoveAsTheyWouldAmongAll) {
  constexpr std::size_t half = 9;
  Ensemble<double> all(2 * half, parameters);
  TwoHalves<double> low(half, parameters, 2 * half, 0), high(half, parameters, 2 * half, half);
  auto target = saddle<double>();
  const auto fly = [&](auto& particles, auto deal) {
    start_normal(particles, 4, 0, 1);
    rbm_svgd(particles, Span{0, 9}, deal, score_of<double>(target),
             PairwiseDrift<double, Gauss<double>>(Gauss<double>(0.7)),
             ExplicitStep<double, Adam<double>>(Adam<double>(0.1)), Guard());
  };
  Shuffle within(8, 3);
  Batches both;
  fly(all, [&](Step k, const auto&) -> const Batches& {
    const auto order = within.deal(k, half).order();
    both.population = 2 * half;
    const auto joined = both.lay_out(2 * half, 6);
    for (std::size_t m = 0; m < half; ++m) {
      joined[m] = order[m];
      joined[half + m] = order[m] + half;
    }
    return both;
  });
  fly(low, within);
  fly(high, within);
  for (std::size_t i = 0; i < half; ++i)
    for (std::size_t a = 0; a < parameters; ++a) {
      EXPECT_EQ(low.position()[i][a], all.position()[i][a]);
      EXPECT_EQ(high.position()[i][a], all.position()[half + i][a]);
    }
}

TEST(SomeOfAll, AreNamedByIdWhenTheyFail) {
  TwoHalves<double> some(4, 1, 40, 30);
  some.position()[2][0] = INFINITY;
  Batches batches = Whole()(0, some);
  try {
    Guard()(5, some, batches);
    FAIL() << "nothing was thrown";
  } catch (const Diverged& error) {
    EXPECT_EQ(error.particle(), 32u);
  }
}

} // namespace
} // namespace starling
