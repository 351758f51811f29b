// Flights from roles: one trace, whatever deals and wherever it stops, and what their ends are
// called.
#include "run/cloud.hpp"

#include <starling/deal/matching.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace starling::run {
namespace {

using testing::HasSubstr;

/// Everyone in batches of p, for dealers that deal a few.
AnyDealer<double> everyone(std::uint64_t seed, std::size_t p) { return Shuffle(seed, p); }

Roles<double> replacing() {
  Roles<double> r = roles(Draw(1, 8), 0.4);
  r.deal_everyone = everyone(1, 8);
  return r;
}
/// Its scores balance at the end, but it has not come to rest: only the trace tells.
std::unique_ptr<Flight> with_replacement() {
  return begin(replacing(), settings(200, 25 * 90), drawn(3, 2));
}

void expect_the_same_trace(const Outcome& one, const Outcome& other) {
  ASSERT_EQ(one.trace.size(), other.trace.size());
  for (std::size_t m = 0; m < one.trace.size(); ++m) {
    judge::TraceRow a = one.trace[m], b = other.trace[m];
    a.seconds = b.seconds = 0;
    EXPECT_EQ(judge::trace_csv({a}), judge::trace_csv({b})) << m;
  }
  EXPECT_EQ(one.diagnosis.judgement.verdict, other.diagnosis.judgement.verdict);
  EXPECT_EQ(judge::sentence(one.diagnosis.judgement), judge::sentence(other.diagnosis.judgement));
}

// With replacement no look on the way is judged, but all of them are rows of the trace: the last
// look must rest on them as the verdict does.
TEST(Flight, HasOneTraceThatItsLastLookAndItsVerdictRestOn) {
  const Outcome o = fly(*with_replacement());
  ASSERT_GT(o.trace.size(), 20u);
  EXPECT_FALSE(o.trace[5].verdict);
  EXPECT_EQ(o.diagnosis.judgement.verdict, judge::Verdict::still_moving);
  EXPECT_EQ(o.trace.back().verdict, o.diagnosis.judgement.verdict);
  const std::vector<judge::TraceRow> last = {
      o.trace.back()}; // without the looks before, it would be
  std::vector<double> scores(o.positions.size());
  std::ranges::transform(o.positions, scores.begin(), std::negate<>());
  EXPECT_EQ(judge::diagnose({o.positions.data(), 200, 2}, {scores.data(), 200, 2}, o.log_density,
                            o.names, 1, false, last)
                .judgement.verdict,
            judge::Verdict::converged);
}

template <typename Make>
void expect_resumed(Make make, Roles<double> again, Step stop) {
  const Outcome whole = fly(*make());
  const auto first = make();
  first->take(stop, {});
  const Checkpoint kept = unpack(pack(first->save()), "c");
  const auto second = resume(std::move(again), first->settings(), kept, "c");
  EXPECT_EQ(second->done(), stop);
  const Outcome parts = fly(*second);
  EXPECT_EQ(parts.positions, whole.positions);
  expect_the_same_trace(parts, whole);
}

TEST(Flight, GivesPositionsInTheOrderOfTheParticlesThoughRowsTravel) {
  const auto flight = begin(roles(Matching(2), 1e-12), settings(20, 100), drawn(3));
  const std::vector<double> before = flight->positions();
  flight->take(100, {}); // rows travel at step 64, and nobody goes far
  const std::vector<double> after = flight->positions();
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_NEAR(after[i], before[i], 1e-8);
}

// Rows travel at step 64, and Adam keeps two numbers for each coordinate: all of that is in the
// checkpoint.
TEST(Flight, GoesOnWithWhatItsStepRuleRemembers) {
  const auto with_adam = [] {
    return roles_of<double>(normal(), Matching(2), PairwiseDrift<double, Kernel>(Kernel(0.35)),
                            ExplicitStep<double, Adam<double>>(Adam<double>(0.05)));
  };
  expect_resumed([&] { return begin(with_adam(), settings(20, 100), drawn(3)); }, with_adam(), 70);
}

TEST(Flight, GoesOnFromACheckpointAndJudgesAsIfNeverStopped) {
  expect_resumed([] { return with_replacement(); }, replacing(), 1000);
  expect_resumed([] { return begin(roles(Shuffle(1, 8)), settings(100, 300), drawn(3)); },
                 roles(Shuffle(1, 8)), 123);
  expect_resumed([] { return begin(roles(Matching(1)), settings(100, 300), drawn(3)); },
                 roles(Matching(1)), 123);
}

TEST(Flight, IsNotResumedByOthers) {
  const auto flight = begin(roles(Shuffle(1, 8)), settings(50, 20), drawn(3));
  flight->take(5, {});
  const Checkpoint kept = flight->save();
  EXPECT_THROW(resume(roles(Shuffle(1, 8)), settings(51, 20), kept, "c"), io::BadData);
  EXPECT_THROW(resume(roles(Shuffle(1, 8)), settings(50, 20, 2), kept, "c"), io::BadData);
  EXPECT_THROW(resume(roles(Shuffle(1, 8)), settings(50, 4), kept, "c"), std::invalid_argument);
  EXPECT_EQ(resume(roles(Shuffle(1, 8)), settings(50, 60), kept, "c")->total(), 60u);
}

TEST(Flight, WantsAllItsRoles) {
  Roles<double> without = roles(Shuffle(1, 8));
  without.advance = {};
  EXPECT_THROW(begin(std::move(without), settings(10, 1), drawn(1)), std::invalid_argument);
  Roles<double> unnamed = roles(Shuffle(1, 8));
  unnamed.target.names.pop_back();
  EXPECT_THROW(begin(std::move(unnamed), settings(10, 1), drawn(1)), std::invalid_argument);
}

// Rows travel under Matching; positions, densities and figures are told in the order of the
// particles.
TEST(Flight, MeasuresParticlesInTheirOrderThoughRowsTravel) {
  const auto flight = begin(roles(Matching(1)), settings(101, 200), drawn(3));
  const Outcome o = fly(*flight);
  EXPECT_EQ(o.positions, flight->positions());
  for (std::size_t i = 0; i < 101; ++i)
    EXPECT_DOUBLE_EQ(o.log_density[i], -(o.positions[2 * i] * o.positions[2 * i] +
                                         o.positions[2 * i + 1] * o.positions[2 * i + 1]) /
                                           2);
}

// Never moved, 1.3 times too wide, 32 particles: nothing can be told from so few.
TEST(Flight, OfAFewParticlesEndsInCannotTell) {
  const Outcome o = fly(*begin(roles(Shuffle(1, 8)), settings(32, 0), drawn(3, 0, 1.3)));
  EXPECT_EQ(o.diagnosis.judgement.verdict, judge::Verdict::cannot_tell);
  EXPECT_THAT(judge::sentence(o.diagnosis.judgement),
              HasSubstr("32 particles are too few to be sure"));
  EXPECT_EQ(fly(*begin(roles(Shuffle(1, 8)), settings(1000, 0), drawn(3, 0, 1.3)))
                .diagnosis.judgement.verdict,
            judge::Verdict::noisy);
  EXPECT_EQ(
      fly(*begin(roles(Shuffle(1, 8)), settings(1000, 0), drawn(3))).diagnosis.judgement.verdict,
      judge::Verdict::converged);
}

template <typename T>
judge::Verdict verdict_on(T target) {
  auto r = roles_of<double>(std::move(target), Shuffle(1, 8),
                            PairwiseDrift<double, Kernel>(Kernel(0.35)),
                            ExplicitStep<double, ConstantStep<double>>(ConstantStep<double>(0.05)));
  return fly(*begin(std::move(r), settings(500, 0), drawn(3))).diagnosis.judgement.verdict;
}

/// The same scores, without a density.
struct ScoresAlone {
  std::size_t dim() const { return 2; }
  void operator()(Step, Rows<const double> x, Rows<double> score) const {
    std::transform(x.begin(), x.end(), score.begin(), std::negate<>());
  }
};

TEST(Flight, OnADensityThatFailsEverywhereDivergedButNotWhereThereIsNone) {
  EXPECT_EQ(verdict_on(normal([](double) { return NAN; })), judge::Verdict::diverged);
  EXPECT_EQ(verdict_on(normal()), judge::Verdict::converged);
  EXPECT_EQ(verdict_on(ScoresAlone()), judge::Verdict::converged);
}

TEST(Flight, UntilConvergedStopsWhereTheLooksHaveSettled) {
  Settings s = settings(300, 4000);
  s.until_converged = true;
  const auto flight = begin(roles(Shuffle(1, 32)), s, drawn(3));
  const Outcome o = fly(*flight);
  EXPECT_TRUE(flight->over());
  EXPECT_LT(o.steps_done, 2000u);
  EXPECT_TRUE(judge::settled(flight->trace()));
}

} // namespace
} // namespace starling::run
