// The classical Runge-Kutta step: order four, four evaluations on the same batches, no half steps.
#include <starling/advance/runge_kutta.hpp>
#include <starling/concepts.hpp>
#include <starling/deal/draw.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/deal/whole.hpp>
#include <starling/rbm_svgd.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace {

using namespace starling;

static_assert(Advancer<RungeKutta4<double>, Ensemble<double>>);

// x' = A x with A = [[-0.5, -2], [2, -0.5]]: a spiral, x(t) = e^(-t/2) (cos 2t, sin 2t).
double spiral_error(int steps) {
  Ensemble<double> particles(1, 2);
  const auto x = particles.position()[0], v = particles.drift()[0];
  x[0] = 1;
  RungeKutta4<double> advance(1.0 / steps);
  Whole deal;
  for (Step k = 0; k < Step(steps); ++k)
    advance(k, particles, deal(k, particles), [&] {
      v[0] = -0.5 * x[0] - 2 * x[1];
      v[1] = 2 * x[0] - 0.5 * x[1];
    });
  EXPECT_EQ(particles.moves()[0], std::uint32_t(steps));
  return std::hypot(x[0] - std::exp(-0.5) * std::cos(2.0), x[1] - std::exp(-0.5) * std::sin(2.0));
}

TEST(RungeKutta4, HasOrderFour) {
  for (const int steps : {10, 20, 40}) {
    const double ratio = spiral_error(steps) / spiral_error(2 * steps);
    EXPECT_GT(ratio, 14) << steps << " steps";
    EXPECT_LT(ratio, 18) << steps << " steps";
  }
}

// On x' = x one step multiplies by 1 + e + e^2/2 + e^3/6 + e^4/24.
TEST(RungeKutta4, IsTheTaylorPolynomialOnAnExponential) {
  Ensemble<float> particles(3, 1);
  std::ranges::fill(particles.position(), 2.0f);
  Whole deal;
  RungeKutta4<float>(0.5)(0, particles, deal(0, particles), [&] {
    std::ranges::copy(particles.position(), particles.drift().begin());
  });
  const double e = 0.5, growth = 1 + e + e * e / 2 + e * e * e / 6 + e * e * e * e / 24;
  EXPECT_NEAR(particles.position()[2][0], 2 * growth, 1e-6);
}

TEST(RungeKutta4, EvaluatesTheFlowFourTimesOnTheSameBatches) {
  Ensemble<double> particles(9, 1);
  Shuffle shuffle(4, 3);
  std::vector<std::vector<std::uint32_t>> seen;
  std::vector<Step> steps;
  int dealt = 0;
  const auto deal = [&](Step k, const Ensemble<double>& all) -> const Batches& {
    ++dealt;
    return shuffle(k, all);
  };
  const auto score = [&](Step k, Ensemble<double>&, const Batches&) { steps.push_back(k); };
  const auto drift = [&](Step, Ensemble<double>&, const Batches& batches) {
    seen.emplace_back(batches.order().begin(), batches.order().end());
  };
  const auto observe = [](Step, const Ensemble<double>&, const Batches&) { return Signal::go_on; };
  rbm_svgd(particles, {0, 2}, deal, score, drift, RungeKutta4<double>(0.1), observe);
  EXPECT_EQ(dealt, 2);
  EXPECT_EQ(steps, (std::vector<Step>{0, 0, 0, 0, 1, 1, 1, 1}));
  ASSERT_EQ(seen.size(), 8u);
  for (const std::size_t n : {1u, 2u, 3u}) {
    EXPECT_EQ(seen[n], seen[0]);
    EXPECT_EQ(seen[4 + n], seen[4]);
  }
  EXPECT_NE(seen[0], seen[4]);
}

TEST(RungeKutta4, RestoresPositionsWhenTheFlowThrowsHalfWay) {
  for (const int last : {1, 2, 3, 4}) {
    Ensemble<double> particles(3, 1);
    const std::vector<double> before{0.1, -2.0, 3.0};
    std::ranges::copy(before, particles.position().begin());
    Whole deal;
    int calls = 0;
    RungeKutta4<double> advance(0.5);
    EXPECT_THROW(advance(0, particles, deal(0, particles),
                         [&] {
                           if (++calls == last)
                             throw std::runtime_error("no");
                           std::ranges::fill(particles.drift(), 1.0);
                         }),
                 std::runtime_error);
    EXPECT_EQ(calls, last);
    EXPECT_EQ(std::vector<double>(particles.position().begin(), particles.position().end()),
              before);
    EXPECT_EQ(particles.moves()[0], 0u);
  }
}

TEST(RungeKutta4, MovesOnlyThoseWhoWereDealt) {
  Ensemble<double> particles(10, 1);
  Draw deal(3, 4);
  const Batches& batches = deal(0, particles);
  const std::set<std::uint32_t> dealt(batches.order().begin(), batches.order().end());
  RungeKutta4<double>(0.5)(0, particles, batches,
                           [&] { std::ranges::fill(particles.drift(), 1.0); });
  for (std::uint32_t i = 0; i < 10; ++i) {
    EXPECT_EQ(particles.position()[i][0], dealt.count(i) ? 0.5 : 0.0);
    EXPECT_EQ(particles.moves()[i], dealt.count(i));
  }
}

TEST(RungeKutta4, WrapsPositionsOnTheTorus) {
  Ensemble<double> particles(1, 1);
  particles.position()[0][0] = 2.9;
  Whole deal;
  RungeKutta4<double, Torus<double>>(0.5, Torus<double>(3.0))(
      0, particles, deal(0, particles), [&] { particles.drift()[0][0] = 1.0; });
  EXPECT_NEAR(particles.position()[0][0], 0.4, 1e-14);
}

} // namespace
