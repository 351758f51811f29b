// Step rules against sequences of three moves worked out by hand, and who moves in an explicit
// step.
#include <starling/advance/explicit_step.hpp>
#include <starling/advance/rules.hpp>
#include <starling/concepts.hpp>
#include <starling/deal/draw.hpp>
#include <starling/deal/whole.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>
#include <vector>

namespace {

using namespace starling;

// One particle on the line that starts at 0 and feels the drifts 2, -1, 0.5 in turn: where it is
// after each.
template <typename Real, typename Rule>
std::vector<double> path(Rule rule) {
  Ensemble<Real> particles(1, 1);
  ExplicitStep<Real, Rule> advance(rule);
  Whole deal;
  std::vector<double> places;
  const Real drifts[] = {2, -1, Real(0.5)};
  for (Step k = 0; k < 3; ++k) {
    advance(k, particles, deal(k, particles), [&] { particles.drift()[0][0] = drifts[k]; });
    places.push_back(particles.position()[0][0]);
  }
  EXPECT_EQ(particles.moves()[0], 3u);
  return places;
}

// Places from moves.
void expect_moves(const std::vector<double>& places, const std::vector<double>& moves, double eps) {
  double x = 0;
  for (std::size_t k = 0; k < moves.size(); ++k) {
    x += moves[k];
    EXPECT_NEAR(places[k], x, 4 * eps) << "move " << k;
  }
}

template <template <typename> class Rule, typename... Arguments>
void expect_path(const std::vector<double>& moves, Arguments... arguments) {
  expect_moves(path<double>(Rule<double>(arguments...)), moves, 1e-15);
  // 1 - 0.999 in float is good to 3e-5 only, of which a root and a move of 0.1 leave 1.5e-6.
  expect_moves(path<float>(Rule<float>(arguments...)), moves, 4e-7);
}

TEST(ConstantStep, MovesByEtaTimesTheDrift) { expect_path<ConstantStep>({0.2, -0.1, 0.05}, 0.1); }

TEST(DecayingStep, ShrinksWithTime) {
  // 0.1 (1 + k/4)^-0.75
  expect_path<DecayingStep>({0.2, -0.1 * std::pow(1.25, -0.75), 0.05 * std::pow(1.5, -0.75)}, 0.1,
                            4.0, 0.75);
}

// m = 4; 0.9 * 4 + 0.1 * 1 = 3.7; 0.9 * 3.7 + 0.1 * 0.25 = 3.355.
TEST(FadingAdaGrad, StartsAtTheFirstSquareThenFades) {
  expect_path<FadingAdaGrad>(
      {0.1 * 2 / (1e-6 + 2), -0.1 / (1e-6 + std::sqrt(3.7)), 0.1 * 0.5 / (1e-6 + std::sqrt(3.355))},
      0.1);
}

// m = 4, 5, 5.25.
TEST(SummingAdaGrad, SumsSquaresForEver) {
  expect_path<SummingAdaGrad>(
      {0.1 * 2 / (1e-6 + 2), -0.1 / (1e-6 + std::sqrt(5.0)), 0.1 * 0.5 / (1e-6 + std::sqrt(5.25))},
      0.1);
}

// m = 0.1 * 4 = 0.4; 0.36 + 0.1 = 0.46; 0.414 + 0.025 = 0.439.
TEST(RmsProp, FadesFromZero) {
  expect_path<RmsProp>({0.1 * 2 / (std::sqrt(0.4) + 1e-8), -0.1 / (std::sqrt(0.46) + 1e-8),
                        0.1 * 0.5 / (std::sqrt(0.439) + 1e-8)},
                       0.1);
}

// First m: 0.2, 0.08, 0.122 over 1 - 0.9^t = 0.1, 0.19, 0.271.
// Second v: 0.004, 0.004996, 0.005241004 over 1 - 0.999^t = 0.001, 0.001999, 0.002997001.
TEST(Adam, CorrectsBothMeansForStartingAtZero) {
  expect_path<Adam>({0.1 * (0.2 / 0.1) / (std::sqrt(0.004 / 0.001) + 1e-8),
                     0.1 * (0.08 / 0.19) / (std::sqrt(0.004996 / 0.001999) + 1e-8),
                     0.1 * (0.122 / 0.271) / (std::sqrt(0.005241004 / 0.002997001) + 1e-8)},
                    0.1);
}

// Time is sweeps: step k of a draw of p out of N is at k p/N.
TEST(DecayingStep, CountsTimeInSweepsUnderAlgorithmTwo) {
  Ensemble<double> particles(10, 1);
  ExplicitStep<double, DecayingStep<double>> advance(DecayingStep<double>(0.1, 2.0, 1.0));
  Draw deal(1, 5);
  const Batches& batches = deal(6, particles);
  ASSERT_EQ(batches.time, 3.0);
  advance(6, particles, batches, [&] { std::ranges::fill(particles.drift(), 1.0); });
  for (const std::uint32_t i : batches.order())
    EXPECT_NEAR(particles.position()[i][0], 0.1 / (1 + 3.0 / 2), 1e-16);
}

TEST(ExplicitStep, MovesAndCountsOnlyThoseWhoWereDealt) {
  Ensemble<double> particles(10, 2);
  ExplicitStep<double, ConstantStep<double>> advance(ConstantStep<double>(1.0));
  Draw deal(1, 3);
  const Batches& batches = deal(0, particles);
  const std::set<std::uint32_t> dealt(batches.order().begin(), batches.order().end());
  int calls = 0;
  advance(0, particles, batches, [&] {
    ++calls;
    std::ranges::fill(particles.drift(), 1.0);
  });
  EXPECT_EQ(calls, 1);
  for (std::uint32_t i = 0; i < 10; ++i) {
    EXPECT_EQ(particles.position()[i][1], dealt.count(i) ? 1.0 : 0.0);
    EXPECT_EQ(particles.moves()[i], dealt.count(i));
  }
}

// The memory is the particle's own: however late it is dealt first, its first move is a first move.
TEST(ExplicitStep, KeepsMemoryAndCountForEachParticle) {
  Ensemble<double> particles(6, 1);
  ExplicitStep<double, FadingAdaGrad<double>> advance(FadingAdaGrad<double>(0.1));
  Draw deal(2, 2);
  std::vector<double> memory(6, 0), place(6, 0);
  std::vector<int> moved(6, 0);
  for (Step k = 0; k < 20; ++k) {
    const Batches& batches = deal(k, particles);
    const auto drift = [&](std::uint32_t i) { return std::sin(double(k + 7 * i)) + 0.1; };
    advance(k, particles, batches, [&] {
      for (std::uint32_t i = 0; i < 6; ++i)
        particles.drift()[i][0] = drift(i);
    });
    for (const std::uint32_t i : batches.order()) {
      const double g = drift(i);
      memory[i] = moved[i]++ == 0 ? g * g : 0.9 * memory[i] + 0.1 * g * g;
      place[i] += 0.1 * g / (1e-6 + std::sqrt(memory[i]));
    }
  }
  for (std::uint32_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(particles.position()[i][0], place[i], 1e-14) << "particle " << i;
    EXPECT_NEAR(particles.memory(0)[i][0], memory[i], 1e-14) << "particle " << i;
    EXPECT_EQ(particles.moves()[i], std::uint32_t(moved[i]));
  }
  EXPECT_NE(moved, std::vector<int>(6, moved[0])); // some were dealt more often than others
}

TEST(ExplicitStep, WrapsPositionsOnTheTorus) {
  Ensemble<double> particles(2, 1);
  particles.position()[0][0] = 2.9;
  particles.position()[1][0] = 0.1;
  ExplicitStep<double, ConstantStep<double>, Torus<double>> advance(
      ConstantStep<double>(1.0), Threads::alone(), Torus<double>(3.0));
  Whole deal;
  advance(0, particles, deal(0, particles), [&] {
    particles.drift()[0][0] = 0.3;
    particles.drift()[1][0] = -7.0;
  });
  EXPECT_NEAR(particles.position()[0][0], 0.2, 1e-14);
  EXPECT_NEAR(particles.position()[1][0], 2.1, 1e-14);
}

TEST(ExplicitStep, MovesTheSameOnThreeThreads) {
  Threads crew(3);
  Ensemble<double> one(20000, 2), three(20000, 2); // three pieces
  ExplicitStep<double, Adam<double>> alone(Adam<double>(0.1)), shared(Adam<double>(0.1), crew);
  Whole deal;
  for (Step k = 0; k < 3; ++k)
    for (auto* particles : {&one, &three}) {
      auto& advance = particles == &one ? alone : shared;
      advance(k, *particles, deal(k, *particles), [&] {
        for (std::size_t n = 0; n < 40000; ++n)
          particles->drift().data[n] = std::sin(double(n + k));
      });
    }
  EXPECT_TRUE(std::equal(one.position().begin(), one.position().end(), three.position().begin()));
  EXPECT_NE(one.position()[19999][1], 0.0);
}

// Rows longer than a piece are cut: the same numbers in the same places as when they lie in shorter
// rows.
TEST(ExplicitStep, MovesLongRowsAsItMovesShortOnes) {
  using Advance = ExplicitStep<double, FadingAdaGrad<double>>;
  constexpr std::size_t parts = 40,
                        part = Advance::numbers_a_piece / parts + 1; // a row is more than a piece
  Ensemble<double> tall(3 * parts, part), wide(3, parts * part);
  Threads threads(3);
  Advance in_short(FadingAdaGrad<double>(0.1)), in_long(FadingAdaGrad<double>(0.1), threads);
  Whole deal, deal_wide;
  for (Step k = 0; k < 3; ++k) {
    const auto drift = [k](Ensemble<double>& of) {
      for (std::size_t n = 0; n < of.drift().size(); ++n)
        of.drift().data[n] = std::sin(double(n * (k + 1)));
    };
    in_short(k, tall, deal(k, tall), [&] { drift(tall); });
    in_long(k, wide, deal_wide(k, wide), [&] { drift(wide); });
  }
  EXPECT_TRUE(std::equal(tall.position().begin(), tall.position().end(), wide.position().begin()));
  EXPECT_TRUE(std::equal(tall.memory(0).begin(), tall.memory(0).end(), wide.memory(0).begin()));
  EXPECT_EQ(wide.moves()[2], 3u);
}

TEST(ExplicitStep, LeavesPositionsAsTheyWereWhenTheFlowThrows) {
  Ensemble<double> particles(2, 1);
  particles.position()[1][0] = 5;
  ExplicitStep<double, Adam<double>> advance(Adam<double>(0.1));
  Whole deal;
  EXPECT_THROW(advance(0, particles, deal(0, particles), [] { throw std::runtime_error("no"); }),
               std::runtime_error);
  EXPECT_EQ(particles.position()[1][0], 5);
  EXPECT_EQ(particles.moves()[1], 0u);
}

/// A rule of a user's own: momentum.
struct Momentum {
  static constexpr std::size_t memories = 1;
  auto at(double, std::uint32_t) const {
    return [](double g, auto& m) { return m[0] = 0.5 * m[0] + g; };
  }
};
static_assert(StepRule<Momentum, double>);
static_assert(Advancer<ExplicitStep<double, Momentum>, Ensemble<double>>);

TEST(ExplicitStep, TakesARuleOfOnesOwn) {
  expect_moves(path<double>(Momentum{}), {2.0, 0.0, 0.5}, 1e-16);
}

} // namespace
