// The verdict guides: where it names a remedy, taking it brings the cloud nearer to the truth.
#include <starling/run/fly.hpp>
#include <starling/run/staged.hpp>

#include "assemble/flight.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace starling {
namespace {

using testing::HasSubstr;

run::Outcome outcome_of(const plan::Recipe& recipe,
                        const assemble::UserTarget* user_target = nullptr) {
  return run::fly(*assemble::make_flight(plan::resolve(recipe), 0, user_target));
}

/// The largest |log(sd / truth)| and |mean| / truth over the parameters.
double error_of(const run::Outcome& o, const std::vector<double>& sds) {
  double worst = 0;
  for (std::size_t a = 0; a < sds.size(); ++a) {
    const judge::ParameterSummary& p = o.diagnosis.parameters[a];
    worst = std::max({worst, std::abs(std::log(p.sd / sds[a])), std::abs(p.mean) / sds[a]});
  }
  return worst;
}

plan::Recipe normal_in_20() {
  plan::Recipe recipe;
  recipe.target = "normal";
  recipe.particles = 256;
  recipe.threads = 1;
  recipe.set("dim", std::uint64_t{20});
  return recipe;
}

TEST(Advice, ForACollapsedCloudNamesAKernelThatHelpsAndAMethodThatHelpsMore) {
  plan::Recipe recipe = normal_in_20();
  recipe.steps = 1000;
  const run::Outcome raw = outcome_of(recipe);
  EXPECT_EQ(raw.diagnosis.judgement.verdict, judge::Verdict::collapsed);
  EXPECT_THAT(judge::sentence(raw.diagnosis.judgement),
              HasSubstr("use --method auto, or --kernel gaussian+bilinear"));
  recipe.kernel = "gaussian+bilinear";
  const run::Outcome helped = outcome_of(recipe);
  const run::Outcome stages = outcome_of(normal_in_20());
  const std::vector<double> ones(20, 1.0);
  EXPECT_LT(error_of(helped, ones), error_of(raw, ones) / 3);
  EXPECT_LT(error_of(stages, ones), 0.1); // 256 particles: what is asked of posteriors
  EXPECT_EQ(stages.diagnosis.judgement.verdict, judge::Verdict::converged);
}

/// Five independent normals with widths from 1 to 10^5.
assemble::UserTarget scales() {
  assemble::UserTarget user_target;
  user_target.dim = 5;
  user_target.in_double = [](Step, Rows<const double> x, Rows<double> s,
                             std::span<double> density) {
    for (std::size_t i = 0; i < x.count; ++i) {
      double sum = 0;
      for (std::size_t a = 0; a < 5; ++a) {
        const double z = x[i][a] / std::pow(10.0, 1.25 * double(a));
        s[i][a] = -z / std::pow(10.0, 1.25 * double(a));
        sum -= z * z / 2;
      }
      if (!density.empty())
        density[i] = sum;
    }
  };
  return user_target;
}

TEST(Advice, ForWidthsThatDifferNamesThemAndTheirRemedyAndNotMoreSteps) {
  const assemble::UserTarget user_target = scales();
  std::vector<double> truth;
  for (int a = 0; a < 5; ++a)
    truth.push_back(std::pow(10.0, 1.25 * a));
  plan::Recipe recipe;
  recipe.target = "guest";
  recipe.particles = 256;
  recipe.threads = 1;
  const run::Outcome stages = outcome_of(recipe, &user_target);
  EXPECT_EQ(stages.diagnosis.judgement.verdict, judge::Verdict::converged);
  EXPECT_LT(error_of(stages, truth), 0.1);
  recipe.steps = 500;
  recipe.step_size = 20; // large enough for the wide ones to have begun to spread
  const run::Outcome raw = outcome_of(recipe, &user_target);
  EXPECT_NE(raw.diagnosis.judgement.verdict, judge::Verdict::converged);
  EXPECT_THAT(judge::sentence(raw.diagnosis.judgement), HasSubstr("use --method auto"));
  EXPECT_GT(error_of(raw, truth), 1);
}

// A cloud of the right shape gets no advice: it is confirmed.
TEST(Advice, IsNotGivenWhereNothingIsWrong) {
  plan::Recipe recipe;
  recipe.target = "normal";
  recipe.particles = 256;
  recipe.threads = 1;
  const run::Outcome stages = outcome_of(recipe);
  EXPECT_EQ(stages.diagnosis.judgement.verdict, judge::Verdict::converged);
  EXPECT_EQ(judge::sentence(stages.diagnosis.judgement).find("--"), std::string::npos)
      << judge::sentence(stages.diagnosis.judgement);
}

} // namespace
} // namespace starling
