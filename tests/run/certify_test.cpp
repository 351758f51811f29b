// The raw method between a scout and a certificate, and each stage of the other method alone.
#include "assemble/flight.hpp"
#include "plan/plan.hpp"

#include <starling/run/fly.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace {

using namespace starling;
using testing::HasSubstr;

plan::Recipe normal(std::uint64_t dim, std::uint64_t steps) {
  plan::Recipe recipe;
  recipe.target = "normal";
  recipe.set("dim", dim);
  recipe.particles = 100;
  recipe.steps = steps;
  recipe.method = "paper";
  recipe.threads = 1;
  return recipe;
}

run::Outcome flown(const plan::Recipe& recipe) {
  return run::fly(*assemble::make_flight(plan::resolve(recipe)));
}

std::string refused(const plan::Recipe& recipe) {
  try {
    plan::resolve(recipe);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

// A Gaussian kernel lets the cloud collapse in 20 dimensions: the certificate says so, whatever the
// identities say, and leaves the draws as they are.
TEST(Certify, JudgesTheRawMethodAndLeavesItsDrawsAlone) {
  plan::Recipe recipe = normal(20, 300);
  recipe.certify = "none";
  const run::Outcome before = flown(recipe);
  recipe.certify = "20";
  const run::Outcome after = flown(recipe);
  EXPECT_EQ(before.positions, after.positions);
  EXPECT_FALSE(before.stages);
  ASSERT_TRUE(after.stages && after.stages->certificate);
  EXPECT_EQ(after.stages->certificate->finding, judge::Finding::moved);
  EXPECT_EQ(after.diagnosis.judgement.verdict, judge::Verdict::still_moving);
  EXPECT_THAT(judge::sentence(after.diagnosis.judgement), HasSubstr("--method auto"));
  EXPECT_EQ(after.stages->gradients[0].second, 300u * 100u);
  EXPECT_GT(after.stages->gradients[1].second, 100u * 20u);
}

TEST(Certify, ConfirmsWhatIsRightUnaskedWhereItIsCheap) {
  plan::Recipe recipe = normal(1, 1000);
  recipe.particles = 400;
  recipe.kernel = "gaussian+bilinear";
  const run::Outcome cheap = flown(recipe);
  ASSERT_TRUE(cheap.stages);
  ASSERT_TRUE(cheap.stages->certificate) << judge::sentence(cheap.diagnosis.judgement);
  EXPECT_EQ(cheap.diagnosis.judgement.verdict, judge::Verdict::converged);
  EXPECT_THAT(judge::sentence(cheap.diagnosis.judgement), HasSubstr("HMC moves"));
  recipe.certify = "none";
  const run::Outcome unasked = flown(recipe);
  EXPECT_EQ(unasked.diagnosis.judgement.verdict, judge::Verdict::converged);
  EXPECT_THAT(judge::sentence(unasked.diagnosis.judgement),
              testing::EndsWith(" (not checked by HMC)"));
  recipe.certify = "";
  recipe.steps = 200;
  const run::Outcome dear = flown(recipe);
  ASSERT_TRUE(dear.stages);
  EXPECT_FALSE(dear.stages->certificate);
  if (dear.diagnosis.judgement.verdict == judge::Verdict::converged) {
    EXPECT_THAT(judge::sentence(dear.diagnosis.judgement),
                HasSubstr("(not checked by HMC: --certify 20"));
  }
}

// Strongly correlated: the scout's start knows it, N(0, 1) does not.
TEST(Certify, AScoutFindsTheStartOfTheRawMethod) {
  const auto correlation = [](const run::Outcome& o) {
    double xy = 0, xx = 0, yy = 0;
    for (std::size_t i = 0; i < o.positions.size(); i += 2) {
      xy += o.positions[i] * o.positions[i + 1];
      xx += o.positions[i] * o.positions[i];
      yy += o.positions[i + 1] * o.positions[i + 1];
    }
    return xy / std::sqrt(xx * yy);
  };
  plan::Recipe recipe = normal(2, 0);
  recipe.set("correlation", .99);
  recipe.certify = "none";
  EXPECT_LT(correlation(flown(recipe)), .4);
  recipe.prefit = "8";
  EXPECT_GT(correlation(flown(recipe)), .95);
}

TEST(Certify, SaysWhatDoesNotGoTogether) {
  plan::Recipe recipe = normal(2, 5);
  recipe.metric = "dense";
  EXPECT_THAT(refused(recipe),
              HasSubstr("metric: --method paper uses the target's own coordinates"));
  recipe = normal(2, 5);
  recipe.exact = "5";
  EXPECT_THAT(refused(recipe),
              HasSubstr("exact: --method paper makes no HMC moves that change the cloud"));
  recipe = normal(2, 5);
  recipe.certify = "5";
  recipe.precision = "single";
  EXPECT_THAT(refused(recipe), HasSubstr("certify: needs --precision double"));
  recipe = normal(2, 5);
  recipe.prefit = "4";
  recipe.start = "normal:0,1";
  EXPECT_THAT(refused(recipe), HasSubstr("start: cannot be used with --prefit"));
  recipe = plan::Recipe();
  recipe.target = "normal";
  recipe.method = "auto";
  recipe.start = "normal:0,1";
  EXPECT_THAT(refused(recipe), HasSubstr("--start works only with --prefit none"));
}

// Draws from anywhere, judged as they are; and settled where they are allowed to be.
TEST(Stages, CanBeTakenAlone) {
  plan::Recipe recipe;
  recipe.target = "normal";
  recipe.set("dim", std::uint64_t{3});
  recipe.particles = 256;
  recipe.method = "auto";
  recipe.prefit = "none";
  recipe.steps = 0;
  recipe.start = "normal:0,0.5";
  recipe.exact = "none";
  const run::Outcome judged = flown(recipe);
  EXPECT_EQ(judged.diagnosis.judgement.verdict, judge::Verdict::still_moving);
  double square = 0;
  for (const double x : judged.positions)
    square += x * x / double(judged.positions.size());
  EXPECT_NEAR(square, .25, .03); // as they came
  recipe.exact = "auto";
  EXPECT_EQ(flown(recipe).diagnosis.judgement.verdict, judge::Verdict::converged);

  recipe.start = "";
  recipe.prefit = "8";
  recipe.certify = "none";
  const run::Outcome scouted = flown(recipe);
  EXPECT_EQ(scouted.stages->gradients[1].second, 0u);
  EXPECT_FALSE(scouted.stages->certificate);
  EXPECT_EQ(scouted.diagnosis.judgement.verdict, judge::Verdict::cannot_tell);
  EXPECT_THAT(judge::sentence(scouted.diagnosis.judgement),
              HasSubstr("but HMC did not check it: use --certify 20"));
}

} // namespace
