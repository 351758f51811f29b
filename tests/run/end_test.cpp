// The start and the end of a run on all threads: the same as on one, and nothing is copied that
// need not be.
#include "run/cloud.hpp"

#include "judge/ranks.hpp"
#include "run/large_vectors.hpp"

#include <starling/deal/matching.hpp>
#include <starling/run/pool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace starling::run {
namespace {

TEST(LargeVectors, AreZeroAndThenWhatWasCopied) {
  Threads three(3);
  constexpr std::size_t many = large_column / sizeof(double); // from here on in large pages
  for (const std::size_t count : {std::size_t{0}, std::size_t{5}, many - 1, many, many + 70001}) {
    const std::vector<double> none = zeros(count, three);
    EXPECT_EQ(none.size(), count);
    EXPECT_TRUE(std::ranges::all_of(none, [](double value) { return value == 0; }));
    std::vector<float> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1.0f);
    const std::vector<double> copy = copied(Rows<const float>{numbers.data(), count, 1}, three);
    EXPECT_TRUE(std::ranges::equal(copy, numbers));
  }
}

TEST(Ensemble, MadeOnManyThreadsIsZeroAndKnowsItsRows) {
  Threads three(3);
  const std::size_t count = large_page / sizeof(std::uint64_t) + 11; // ids on more than one page
  Ensemble<double> cloud(count, 2, three);
  const auto zero = [](auto value) { return value == 0; };
  EXPECT_TRUE(std::all_of(cloud.position().begin(), cloud.position().end(), zero));
  EXPECT_TRUE(std::all_of(cloud.score().begin(), cloud.score().end(), zero));
  EXPECT_TRUE(std::all_of(cloud.drift().begin(), cloud.drift().end(), zero));
  EXPECT_TRUE(std::ranges::all_of(cloud.moves(), zero));
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_EQ(cloud.id()[i], i);
}

/// Two steps of many particles, whose rows travelled.
Outcome of_many(std::size_t threads) {
  Roles<double> many = roles(Matching(1, 1));
  many.deal_everyone = Shuffle(1, 2);
  many.threads = std::make_shared<Threads>(threads);
  const auto flight = begin(std::move(many), settings(judge::ranked_together + 123, 2), drawn(3));
  return fly(*flight);
}

TEST(Outcome, OfManyParticlesIsTheSameOnAnyNumberOfThreads) {
  const Outcome one = of_many(1), three = of_many(3);
  EXPECT_EQ(three.positions, one.positions);
  EXPECT_EQ(three.scores, one.scores);
  EXPECT_EQ(three.log_density, one.log_density);
  for (std::size_t n = 0; n < one.scores.size(); ++n)
    ASSERT_EQ(one.scores[n], -one.positions[n]);
  ASSERT_EQ(three.diagnosis.parameters.size(), 2u);
  for (std::size_t a = 0; a < 2; ++a) {
    EXPECT_EQ(three.diagnosis.parameters[a].q05, one.diagnosis.parameters[a].q05);
    EXPECT_EQ(three.diagnosis.parameters[a].mean, one.diagnosis.parameters[a].mean);
    EXPECT_EQ(three.diagnosis.parameters[a].shift, one.diagnosis.parameters[a].shift);
  }
  EXPECT_EQ(three.diagnosis.ksd.value, one.diagnosis.ksd.value);
  EXPECT_EQ(three.trace.back().drift, one.trace.back().drift);
  EXPECT_EQ(three.trace.back().ksd, one.trace.back().ksd);
  EXPECT_EQ(judge::sentence(three.diagnosis.judgement), judge::sentence(one.diagnosis.judgement));
}

TEST(Outcome, OfARunThatWasInterruptedIsNeverConverged) {
  const auto flight = begin(roles(Shuffle(1, 2)), settings(50, 5), drawn(3));
  Watch watch;
  watch.interrupted = [&] { return flight->done() == 2; };
  const Outcome stopped = fly(*flight, watch);
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_FALSE(stopped.diagnosis.judgement.converged());
  Outcome measured = flight->outcome(true);
  judge::Judgement& judgement = measured.diagnosis.judgement;
  judgement = {judge::Verdict::converged, judge::evidence::Balanced{}};
  const std::string before = judge::sentence(judgement);
  mark_interrupted(measured);
  EXPECT_TRUE(measured.interrupted);
  EXPECT_EQ(judgement.verdict, judge::Verdict::cannot_tell);
  EXPECT_EQ(judge::sentence(judgement),
            "the run was interrupted after 2 steps and is not confirmed; so far " + before);
  EXPECT_EQ(measured.trace.back().verdict, judge::Verdict::cannot_tell);
  judgement.verdict = judge::Verdict::collapsed;
  mark_interrupted(measured);
  EXPECT_EQ(judgement.verdict, judge::Verdict::collapsed); // what speaks against it stays
}

TEST(Pooled, OfOneRunIsThatRunAndOfSeveralTheirPool) {
  std::vector<Outcome> runs;
  runs.push_back(fly(*begin(roles(Shuffle(1, 2)), settings(50, 5), drawn(3))));
  EXPECT_EQ(&*Pooled(runs), runs.data());
  runs.push_back(fly(*begin(roles(Shuffle(2, 2)), settings(50, 5), drawn(4))));
  const Pooled both(runs);
  EXPECT_EQ(both->positions, pool(runs).positions);
  EXPECT_EQ(both->positions.size(), 200u);
}

} // namespace
} // namespace starling::run
