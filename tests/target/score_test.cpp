// The scoring role: who is scored, and what becomes of a density that fails.
#include <starling/batches.hpp>
#include <starling/concepts.hpp>
#include <starling/deal/draw.hpp>
#include <starling/deal/whole.hpp>
#include <starling/random/start.hpp>
#include <starling/target/lift.hpp>
#include <starling/target/score.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace {

using namespace starling;

constexpr double poison = 77; // a coordinate of this value makes the target fail

auto failing(bool throws, Threads& threads = Threads::alone()) {
  return lift<double>(
      2,
      [throws](std::span<const double> x, std::span<double> score) {
        if (x[1] == poison && throws)
          throw std::runtime_error("no such place");
        score[0] = -x[0];
        score[1] = x[1] == poison ? NAN : -x[1];
        return 0.0;
      },
      threads);
}

Ensemble<double> cloud(std::size_t count) {
  Ensemble<double> particles(count, 2);
  start_normal(particles.position(), 1, 0, 1);
  return particles;
}

template <typename Scorer>
TargetError failure(Scorer&& score, Step k, Ensemble<double>& particles, const Batches& batches) {
  const std::vector<double> before(particles.position().begin(), particles.position().end());
  try {
    score(k, particles, batches);
  } catch (const TargetError& error) {
    EXPECT_EQ(std::vector<double>(particles.position().begin(), particles.position().end()),
              before);
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {0, 0, ""};
}

static_assert(Scorer<Score<double, decltype(failing(true))>, Ensemble<double>>);
static_assert(Scorer<NoScore, Ensemble<double>>);

TEST(Score, NamesStepAndParticleOfAScoreThatIsNotFinite) {
  auto particles = cloud(6);
  particles.position()[4][1] = poison;
  Whole deal;
  const auto error = failure(score_of<double>(failing(false)), 9, particles, deal(9, particles));
  EXPECT_EQ(error.step(), 9u);
  EXPECT_EQ(error.particle(), 4u);
  EXPECT_THAT(error.what(), testing::MatchesRegex("target: failed at step 9, particle 4: "
                                                  "the score of parameter 1 is -?nan"));
}

TEST(Score, NamesStepAndParticleOfATargetThatThrows) {
  auto particles = cloud(6);
  particles.position()[2][1] = poison;
  Whole deal;
  const auto error = failure(score_of<double>(failing(true)), 9, particles, deal(9, particles));
  EXPECT_EQ(error.step(), 9u);
  EXPECT_EQ(error.particle(), 2u);
  EXPECT_STREQ(error.what(), "target: failed at step 9, particle 2: no such place");
}

TEST(Score, NamesTheLowestParticleWhateverTheThreads) {
  auto particles = cloud(5000); // five pieces
  for (const std::size_t i : {1500u, 1600u, 4900u})
    particles.position()[i][1] = poison;
  Threads crew(3);
  Whole deal;
  for (const bool throws : {false, true}) {
    const auto error =
        failure(score_of<double>(failing(throws, crew)), 0, particles, deal(0, particles));
    EXPECT_EQ(error.particle(), 1500u);
  }
}

// Under Algorithm 2 the target sees a block of p rows; the error still names the particle, and by
// its identity, not by the row it lies in.
TEST(Score, NamesTheParticleOfADrawnSubsetByItsIdentity) {
  for (const bool throws : {false, true}) {
    auto particles = cloud(20);
    for (std::size_t i = 0; i < 20; ++i)
      particles.id()[i] = 1000 + 3 * i;
    Draw deal(5, 4);
    const Batches& batches = deal(11, particles);
    const std::uint32_t row = batches.order()[2];
    particles.position()[row][1] = poison;
    const auto error = failure(score_of<double>(failing(throws)), 11, particles, batches);
    EXPECT_EQ(error.particle(), 1000 + 3 * row);
    EXPECT_EQ(error.step(), 11u);
  }
}

TEST(Score, DoesNotMindAParticleThatWasNotDealt) {
  auto particles = cloud(20);
  Draw deal(5, 4);
  const Batches& batches = deal(0, particles);
  const std::set<std::uint32_t> dealt(batches.order().begin(), batches.order().end());
  for (std::uint32_t i = 0; i < 20; ++i) {
    particles.score()[i][0] = 123;
    if (!dealt.count(i))
      particles.position()[i][1] = poison;
  }
  EXPECT_NO_THROW(score_of<double>(failing(true))(0, particles, batches));
  for (std::uint32_t i = 0; i < 20; ++i)
    EXPECT_EQ(particles.score()[i][0], dealt.count(i) ? -particles.position()[i][0] : 123) << i;
}

TEST(Score, RefusesInfinityAsWell) {
  auto particles = cloud(3);
  auto target = lift<double>(2, [](std::span<const double>, std::span<double> score) {
    score[0] = 1;
    score[1] = -INFINITY;
    return 0.0;
  });
  Whole deal;
  const auto error = failure(score_of<double>(target), 1, particles, deal(1, particles));
  EXPECT_EQ(error.particle(), 0u);
  EXPECT_THAT(error.cause(), testing::HasSubstr("parameter 1 is -inf"));
}

TEST(Score, LetsScoresOfAnySizePassThatAreFinite) {
  auto particles = cloud(3);
  auto target = lift<double>(2, [](std::span<const double>, std::span<double> score) {
    score[0] = 1e308;
    score[1] = -1e308;
    return 0.0;
  });
  Whole deal;
  EXPECT_NO_THROW(score_of<double>(target)(0, particles, deal(0, particles)));
  EXPECT_EQ(particles.score()[2][1], -1e308);
}

struct Counting {
  int calls = 0;
  std::size_t dim() const { return 2; }
  void operator()(Step, Rows<const double> x, Rows<double> score) {
    ++calls;
    for (std::size_t n = 0; n < x.size(); ++n)
      score.data[n] = 0;
  }
};

TEST(Score, KeepsATargetGivenAsAnLvalueByReference) {
  auto particles = cloud(3);
  Whole deal;
  Counting target;
  auto score = score_of<double>(target);
  score(0, particles, deal(0, particles));
  score(1, particles, deal(1, particles));
  EXPECT_EQ(target.calls, 2); // once per step for the whole ensemble
}

TEST(Lift, ReportsLogDensitiesRowByRow) {
  auto target = lift<double>(1, [](std::span<const double> x, std::span<double> score) {
    score[0] = -x[0];
    return -x[0] * x[0] / 2;
  });
  const std::vector<double> x{1, 2, 3};
  std::vector<double> score(3), density(3);
  target.evaluate({x.data(), 3, 1}, {score.data(), 3, 1}, density);
  EXPECT_EQ(density, (std::vector<double>{-0.5, -2, -4.5}));
  EXPECT_EQ(score, (std::vector<double>{-1, -2, -3}));
}

} // namespace
