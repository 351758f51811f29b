// Algorithm 2: draws with replacement move, score and remember for the drawn particles alone.
#include <starling/advance/explicit_step.hpp>
#include <starling/deal/draw.hpp>
#include <starling/drift/pairwise.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/observe/in_turn.hpp>
#include <starling/random/start.hpp>
#include <starling/rbm_svgd.hpp>
#include <starling/target/score.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace starling {
namespace {

constexpr std::size_t population = 30, batch = 4, parameters = 2;

/// A normal target that counts the rows it is asked for.
struct Counted {
  std::size_t rows = 0, calls = 0;

  std::size_t dim() const { return parameters; }
  void operator()(Step, Rows<const double> x, Rows<double> score) {
    rows += x.count;
    ++calls;
    for (std::size_t i = 0; i < x.size(); ++i)
      score.data[i] = -x.data[i];
  }
};

using Drift = PairwiseDrift<double, kernel::Gaussian<double>>;

Ensemble<double> cloud() {
  Ensemble<double> particles(population, parameters);
  start_normal(particles.position(), 1, 3, 1);
  return particles;
}

/// Runs draw by draw; after each, check(k, before, after, batches) compares.
template <typename Rule, typename Check>
Ensemble<double> run(Step draws, Rule rule, Counted& target, Check&& check) {
  Ensemble<double> particles = cloud();
  std::ranges::fill(particles.score(), std::numeric_limits<double>::quiet_NaN());
  Ensemble<double> before = particles;
  rbm_svgd(particles, Span{0, draws}, Draw(2, batch), score_of<double>(target),
           Drift(kernel::Gaussian<double>(1)), ExplicitStep<double, Rule>(rule),
           [&](Step k, const Ensemble<double>& after, const Batches& batches) {
             check(k, before, after, batches);
             before = after;
             return Signal::go_on;
           });
  return particles;
}

bool dealt(const Batches& batches, std::size_t i) {
  return std::ranges::find(batches.order(), i) != batches.order().end();
}

TEST(Algorithm2, CountsPseudoTimeInSweeps) {
  Draw draw(1, batch);
  for (const Step k : {0, 1, 15, 1000})
    EXPECT_DOUBLE_EQ(draw.deal(k, population).time,
                     static_cast<double>(k * batch) / static_cast<double>(population));
}

TEST(Algorithm2, TakesNOverPDrawsForASweep) {
  EXPECT_EQ(Draw(1, 2).draws(10, 256), 1280u);
  EXPECT_EQ(Draw(1, 256).draws(10, 256), 10u);
  EXPECT_EQ(Draw(1, 4).draws(3, 30), 23u); // 22.5, rounded up
  EXPECT_EQ(Draw(1, 4).draws(0, 30), 0u);
}

TEST(Algorithm2, MovesOnlyTheDrawnParticles) {
  Counted target;
  run(50, ConstantStep<double>(0.5), target,
      [](Step k, const auto& before, const auto& after, const Batches& batches) {
        for (std::size_t i = 0; i < population; ++i) {
          const bool moved = !std::ranges::equal(before.position()[i], after.position()[i]);
          EXPECT_EQ(moved, dealt(batches, i)) << "draw " << k << ", particle " << i;
          EXPECT_EQ(after.moves()[i] - before.moves()[i], dealt(batches, i) ? 1u : 0u);
        }
      });
}

TEST(Algorithm2, AsksForPScoresADraw) {
  Counted target;
  run(50, ConstantStep<double>(0.5), target,
      [](Step k, const auto&, const auto& after, const Batches&) {
        for (std::size_t i = 0; i < population; ++i) // nobody scored before being drawn
          EXPECT_EQ(std::isnan(after.score()[i][0]), after.moves()[i] == 0) << "draw " << k;
      });
  EXPECT_EQ(target.calls, 50u);
  EXPECT_EQ(target.rows, 50u * batch);
}

TEST(Algorithm2, CountsTheMovesOfEachParticle) {
  Counted target;
  std::vector<std::uint32_t> expected(population);
  const auto particles = run(100, ConstantStep<double>(0.5), target,
                             [&](Step, const auto&, const auto&, const Batches& batches) {
                               for (const std::uint32_t i : batches.order())
                                 ++expected[i];
                             });
  EXPECT_TRUE(std::ranges::equal(particles.moves(), expected));
  EXPECT_EQ(std::accumulate(expected.begin(), expected.end(), 0u), 100u * batch);
}

/// Follows the first moves under a rule; is_first(g, move) says whether a move looks like one.
template <typename Rule, typename IsFirst>
void expect_first_moves(Rule rule, IsFirst&& is_first) {
  Counted target;
  std::size_t late = 0, later_moves_alike = 0;
  run(60, rule, target, [&](Step k, const auto& before, const auto& after, const Batches& batches) {
    for (const std::uint32_t i : batches.order())
      for (std::size_t a = 0; a < parameters; ++a) {
        const bool alike =
            is_first(before.position()[i][a], after.drift()[i][a], after.position()[i][a]);
        if (after.moves()[i] == 1) {
          EXPECT_TRUE(alike) << "draw " << k << ", particle " << i;
          late += k > 5;
        } else {
          later_moves_alike += alike;
        }
      }
  });
  EXPECT_GT(late, 10u);             // particles first drawn when others had moved often
  EXPECT_LT(later_moves_alike, 5u); // and the check tells a first move from a later one
}

TEST(Algorithm2, LetsALateParticleMakeAFirstMoveUnderFadingAdaGrad) {
  expect_first_moves(FadingAdaGrad<double>(0.2), [](double x, double g, double y) {
    return y == x + 0.2 * g / (1e-6 + std::sqrt(g * g));
  });
}

TEST(Algorithm2, LetsALateParticleMakeAFirstMoveUnderAdam) {
  expect_first_moves(Adam<double>(0.2), [](double x, double g, double y) {
    return std::abs(y - (x + 0.2 * g / (std::abs(g) + 1e-8))) < 1e-14;
  });
}

TEST(Algorithm2, LetsADecayingStepFollowThePseudoTime) {
  Counted target;
  run(60, DecayingStep<double>(0.5, 2, 1), target,
      [](Step k, const auto& before, const auto& after, const Batches& batches) {
        const double time = static_cast<double>(k) * batch / population;
        for (const std::uint32_t i : batches.order())
          EXPECT_NEAR(after.position()[i][0] - before.position()[i][0],
                      0.5 / (1 + time / 2) * after.drift()[i][0], 1e-14)
              << "draw " << k;
      });
}

} // namespace
} // namespace starling
