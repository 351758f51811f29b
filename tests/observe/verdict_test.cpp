// The verdict on clouds and traces made by hand: each word, and what keeps it from being said.
#include <starling/judge/diagnose.hpp>

#include <starling/random/start.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace starling {

using namespace judge;
namespace {

using testing::HasSubstr;

/// Exact draws of the standard normal in two dimensions, times `scale`, plus `shift`, with its
/// scores.
struct Cloud {
  explicit Cloud(double scale = 1, double shift = 0, std::size_t count = 2000)
      : x(2 * count), s(2 * count), density(count) {
    start_normal(Rows<double>{x.data(), count, 2}, 3, shift, scale);
    for (std::size_t m = 0; m < x.size(); ++m)
      s[m] = -x[m];
  }
  Diagnosis diagnose(const std::vector<TraceRow>& trace = {}, bool periodic = false) const {
    return judge::diagnose({x.data(), density.size(), 2}, {s.data(), density.size(), 2}, density,
                           {"first", "second"}, 1, periodic, trace);
  }
  Diagnosis diagnose_scores_alone() const {
    return judge::diagnose({x.data(), density.size(), 2}, {s.data(), density.size(), 2}, {},
                           {"first", "second"}, 1, false, {});
  }
  std::vector<double> x, s, density;
};

/// Looks at a cloud whose spread and place are those functions of the share of the run that is
/// over.
template <typename Spread, typename Centre>
std::vector<TraceRow> looks(Spread spread, Centre centre) {
  std::vector<TraceRow> trace(100);
  for (std::size_t m = 0; m < trace.size(); ++m) {
    const double share = double(m) / 99;
    trace[m].step = m + 1;
    trace[m].spread = trace[m].score = spread(share);
    trace[m].centre = centre(share);
    trace[m].noise = 2;
    trace[m].verdict = Verdict::converged;
  }
  return trace;
}
double at_rest(double) { return 1; }
double nowhere(double) { return 0; }

TEST(Verdict, IsConvergedOnExactDraws) {
  const Diagnosis d = Cloud().diagnose(looks(at_rest, nowhere));
  EXPECT_EQ(d.judgement.verdict, Verdict::converged);
  EXPECT_LT(std::abs(d.ksd.value), 4 * d.ksd.se);
  EXPECT_LT(std::abs(d.ksd_gaussian.value), 4 * d.ksd_gaussian.se);
  EXPECT_EQ(Cloud().diagnose().judgement.verdict, Verdict::converged); // without a trace as well
}

TEST(Verdict, NamesTheParameterThatCollapsedAndByHowMuch) {
  Cloud cloud;
  for (std::size_t m = 1; m < cloud.x.size(); m += 2) {
    cloud.x[m] *= 0.6;
    cloud.s[m] *= 0.6;
  }
  const Diagnosis d = cloud.diagnose(looks(at_rest, nowhere));
  EXPECT_EQ(d.judgement.verdict, Verdict::collapsed);
  EXPECT_THAT(sentence(d.judgement),
              HasSubstr("1 of 2 parameters (worst: second, spread identity 0.3"));
}

TEST(Verdict, IsStillMovingWhereScoresDoNotBalance) {
  const Diagnosis d = Cloud(1, -3).diagnose(looks(at_rest, nowhere));
  EXPECT_EQ(d.judgement.verdict, Verdict::still_moving);
  EXPECT_THAT(sentence(d.judgement), HasSubstr("sd off, by its gradients"));
}

TEST(Verdict, IsStillMovingWhereScoresBalanceButTheCloudTravels) {
  const auto towards = [](double share) { return 1.5 * share; };
  EXPECT_EQ(Cloud().diagnose(looks(at_rest, towards)).judgement.verdict, Verdict::still_moving);
  // to and fro is not a move, nor is one that is over
  EXPECT_EQ(Cloud()
                .diagnose(looks(at_rest, [](double t) { return std::sin(300 * t); }))
                .judgement.verdict,
            Verdict::converged);
  EXPECT_EQ(Cloud()
                .diagnose(looks(at_rest, [](double t) { return std::min(3 * t, 1.5); }))
                .judgement.verdict,
            Verdict::converged);
}

// One cloud, three times too wide; where it comes from decides.
TEST(Verdict, OfAWideCloudDependsOnWhereItIsGoing) {
  const Cloud wide(3);
  EXPECT_EQ(wide.diagnose(looks(at_rest, nowhere)).judgement.verdict, Verdict::noisy);
  EXPECT_EQ(wide.diagnose(looks([](double t) { return 10 - 7 * t; }, nowhere)).judgement.verdict,
            Verdict::still_moving);
  EXPECT_EQ(wide.diagnose(looks([](double t) { return std::exp(t); }, nowhere)).judgement.verdict,
            Verdict::diverged);
  auto transport =
      looks([](double t) { return std::exp(t); }, nowhere); // wider, but up the density
  for (TraceRow& row : transport)
    row.score = 1 / row.spread;
  EXPECT_NE(wide.diagnose(transport).judgement.verdict, Verdict::diverged);
}

TEST(Verdict, OfANarrowCloudThatWidensIsStillMoving) {
  const auto widening = [](double t) { return 0.1 + 0.4 * t; };
  EXPECT_EQ(Cloud(0.5).diagnose(looks(widening, nowhere)).judgement.verdict, Verdict::still_moving);
  EXPECT_EQ(Cloud(0.5).diagnose(looks(at_rest, nowhere)).judgement.verdict, Verdict::collapsed);
}

TEST(Verdict, AdvisesLargerBatchesOnlyWhereThereAreBatches) {
  auto trace = looks(at_rest, nowhere);
  EXPECT_THAT(sentence(Cloud(1.5).diagnose(trace).judgement),
              HasSubstr("raise --batch, or lower --step-size"));
  trace.back().noise = 0;
  EXPECT_THAT(sentence(Cloud(1.5).diagnose(trace).judgement), testing::Not(HasSubstr("--batch")));
}

TEST(Verdict, CountsParticlesWhereTheDensityFails) {
  Cloud cloud;
  cloud.density[7] = -INFINITY;
  EXPECT_EQ(cloud.diagnose().judgement.verdict, Verdict::converged);
  EXPECT_THAT(sentence(cloud.diagnose().judgement),
              HasSubstr("the density fails at 1 of 2000 particles"));
  std::fill_n(cloud.density.begin(), 21, NAN);
  EXPECT_EQ(cloud.diagnose().judgement.verdict, Verdict::diverged);
  std::ranges::fill(cloud.density, NAN);
  EXPECT_EQ(cloud.diagnose().judgement.verdict, Verdict::diverged);
  EXPECT_EQ(cloud.diagnose_scores_alone().judgement.verdict, Verdict::converged);
}

TEST(Verdict, IsDivergedWhereSomethingIsNotANumber) {
  for (const double bad : {double(NAN), double(INFINITY), 1e200}) {
    Cloud cloud;
    cloud.x[5] = bad;
    cloud.s[5] = -bad;
    EXPECT_EQ(cloud.diagnose().judgement.verdict, Verdict::diverged) << bad;
  }
  EXPECT_EQ(diverged("it left").judgement.verdict, Verdict::diverged);
  EXPECT_EQ(sentence(diverged("it left").judgement), "it left");
  EXPECT_TRUE(diverged("it left").parameters.empty());
}

TEST(Verdict, SaysHowLittleASmallCloudCanTell) {
  EXPECT_EQ(Cloud(1, 0, 200).diagnose().judgement.verdict, Verdict::converged);
  EXPECT_THAT(sentence(Cloud(1, 0, 200).diagnose().judgement),
              HasSubstr("as far as this number of particles can show"));
  EXPECT_THAT(sentence(Cloud().diagnose().judgement), testing::Not(HasSubstr("as far as")));
}

// Three standard errors of the identity, 3 sqrt(2/N) of it for a normal, must be below half of it:
// N = 72.
TEST(Verdict, OfTooFewIsCannotTellWhateverTheFiguresAre) {
  for (const double scale : {1.0, 1.1, 1.3}) {
    const Diagnosis d = Cloud(scale, 0, 32).diagnose(looks(at_rest, nowhere));
    EXPECT_EQ(d.judgement.verdict, Verdict::cannot_tell) << scale;
    EXPECT_THAT(sentence(d.judgement), HasSubstr("32 particles are too few to be sure (the "))
        << scale;
    EXPECT_THAT(sentence(d.judgement), HasSubstr("or more")) << scale;
  }
  EXPECT_EQ(Cloud(1, 0, 40).diagnose().judgement.verdict, Verdict::cannot_tell);
  EXPECT_EQ(Cloud(1, 0, 150).diagnose().judgement.verdict, Verdict::converged);
  EXPECT_EQ(Cloud(1, -3, 32).diagnose().judgement.verdict,
            Verdict::still_moving); // what is clearly wrong is said
  EXPECT_EQ(Cloud(0.3, 0, 32).diagnose().judgement.verdict, Verdict::collapsed);
  EXPECT_EQ(Cloud(1, 0, 32).diagnose({}, true).judgement.verdict,
            Verdict::cannot_tell); // by the shift
}

// Out of bounds, but by less than three errors: neither right nor wrong can be said.
TEST(Verdict, OfAFigureOutOfBoundsThatMayBeChanceIsCannotTell) {
  Cloud cloud(1.25, 0, 90);
  const Diagnosis d = cloud.diagnose();
  EXPECT_GT(std::max(d.parameters[0].spread_identity, d.parameters[1].spread_identity), 1.25);
  EXPECT_EQ(d.judgement.verdict, Verdict::cannot_tell);
  EXPECT_EQ(Cloud(1.25, 0, 2000).diagnose().judgement.verdict, Verdict::noisy);
}

// A few particles far out make the identity uncertain, however many there are.
TEST(Verdict, OfScoresWithHeavyTailsIsCannotTell) {
  Cloud cloud(1, 0, 500);
  cloud.x[0] = 12;
  cloud.s[0] = -12;
  const Diagnosis d = cloud.diagnose();
  EXPECT_EQ(d.judgement.verdict, Verdict::cannot_tell);
  EXPECT_THAT(sentence(d.judgement), HasSubstr("the spread identity of first"));
}

TEST(Summarize, CountsWhatIsNotANumberAndLeavesItOut) {
  const ParameterSummary whole = summarize("mu", {1, 2, 3}),
                         with_gaps = summarize("mu", {NAN, 3, 1, NAN, 2});
  EXPECT_EQ(with_gaps.left_out, 2u);
  EXPECT_EQ(whole.left_out, 0u);
  EXPECT_EQ(with_gaps.mean, whole.mean);
  EXPECT_EQ(with_gaps.sd, whole.sd);
  EXPECT_EQ(with_gaps.q05, whole.q05);
  EXPECT_EQ(with_gaps.q95, whole.q95);
  const ParameterSummary nothing = summarize("mu", {NAN, NAN});
  EXPECT_TRUE(std::isnan(nothing.mean) && std::isnan(nothing.q50));
  EXPECT_EQ(missing_values_warning({whole}), "");
  EXPECT_EQ(missing_values_warning({whole, with_gaps}),
            "2 values of mu are NaN or infinite and are left out of its figures");
  EXPECT_EQ(missing_values_warning({summarize("a", {1, NAN})}),
            "one value of a is NaN or infinite and is left out of its figures");
  EXPECT_EQ(missing_values_warning({nothing, with_gaps, summarize("b", {1, NAN, NAN, NAN})}),
            "7 values of 3 parameters are NaN or infinite and are left out of their figures (most "
            "are of b: 3)");
}

TEST(Verdict, OnATorusJudgesScoresAlone) {
  const Diagnosis d = Cloud(0.5).diagnose({}, true);
  EXPECT_EQ(d.judgement.verdict, Verdict::converged);
  EXPECT_TRUE(std::isnan(d.ksd.value) && std::isnan(d.parameters[0].spread_identity));
}

TEST(Verdict, OfOneParticleIsAboutTheSlope) {
  Cloud cloud(1, 0, 1);
  EXPECT_EQ(cloud.diagnose().judgement.verdict, Verdict::still_moving);
  cloud.s = {1e-3, -1e-4};
  EXPECT_EQ(cloud.diagnose().judgement.verdict, Verdict::converged);
}

TEST(Settled, TakesALongStreakWithoutATrend) {
  auto trace = looks(at_rest, nowhere);
  EXPECT_TRUE(settled(trace));
  trace[80].verdict = Verdict::noisy;
  EXPECT_FALSE(settled(trace)); // 19 looks are no quarter of 100
  EXPECT_TRUE(settled({trace.begin(), trace.begin() + 20}));
  EXPECT_FALSE(settled({trace.begin(), trace.begin() + 19})); // not by luck on an early look
  EXPECT_FALSE(settled({}));
  EXPECT_FALSE(settled(looks([](double t) { return 1 + 0.2 * t; }, nowhere)));
  EXPECT_FALSE(settled(looks(at_rest, [](double t) { return 0.2 * t; })));
}

TEST(Strays, AreNamedWhenTheVarianceRestsOnThem) {
  std::vector<double> values(500);
  const Rows<double> x{values.data(), values.size(), 1};
  start_normal(x, 3, 0.0, 1.0);
  const ParameterSummary normal = summarize("mu", values);
  EXPECT_NEAR(normal.outer_share, 0.08, 0.03);
  EXPECT_EQ(outlier_warning({normal}, 500), "");
  values[7] = 40; // of 5 that may be outermost
  const ParameterSummary stray = summarize("tau", values);
  EXPECT_EQ(outlier_warning({normal, stray}, 500)
                .find("% of the variance of tau is in 5 of 500 particles"),
            3u);
  EXPECT_EQ(outlier_warning({stray}, 50), ""); // too few to speak of a hundredth
}

TEST(TraceCsv, HasAColumnForEachFieldAndAnEmptyCellForWhatCannotBeTold) {
  TraceRow row;
  row.step = 3;
  row.sweeps = 1.5;
  row.drift = 0.1;
  row.verdict = Verdict::still_moving;
  EXPECT_EQ(trace_csv({row}),
            "step,sweeps,seconds,batch,drift,score,spread,centre,noise,ksd,ksd_se,ksd_gaussian,"
            "ksd_gaussian_se,least_identity,most_identity,shift,verdict\n"
            "3,1.5,0,0,0.1,,,,,,,,,,,,still moving\n");
}

} // namespace
} // namespace starling
