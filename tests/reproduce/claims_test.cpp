// Claims: each verdict, and that a wrong expectation is not let pass.
#include "experiment.hpp"
#include "names.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace starling::reproduce {
namespace {

TEST(ClaimNear, HoldsWithinTheToleranceInStandardErrors) {
  EXPECT_EQ(claim_near("", "", 1.02, 0.01, 1, 3, 0.1).verdict, Verdict::holds);
  EXPECT_EQ(claim_near("", "", 0.98, 0.01, 1, 3, 0.1).verdict, Verdict::holds);
}

TEST(ClaimNear, DiffersWhenTheExpectedValueIsWrong) {
  EXPECT_EQ(claim_near("", "", 1.02, 0.01, 1.1, 3, 0.1).verdict, Verdict::differs);
  EXPECT_EQ(claim_near("", "", 1.02, 0.01, 0.9, 3, 0.1).verdict, Verdict::differs);
}

TEST(ClaimNear, IsUnclearWhenTheErrorExceedsWhatMatters) {
  EXPECT_EQ(claim_near("", "", 1.02, 0.2, 1, 3, 0.1).verdict, Verdict::unclear);
}

TEST(ClaimNear, DiffersEvenThenWhenTheDistanceIsBeyondTheError) {
  EXPECT_EQ(claim_near("", "", 9, 0.2, 1, 3, 0.1).verdict, Verdict::differs);
}

TEST(ClaimNear, NeverHoldsForWhatIsNotANumber) {
  EXPECT_EQ(claim_near("", "", NAN, 0.01, 1, 3, 0.1).verdict, Verdict::differs);
  EXPECT_NE(claim_near("", "", 1, NAN, 1, 3, 0.1).verdict, Verdict::holds);
  EXPECT_NE(claim_near("", "", 1, INFINITY, 1, 3, 0.1).verdict, Verdict::holds);
}

TEST(ClaimLess, HoldsDiffersOrIsUnclearByTwiceTheErrorOfTheDifference) {
  EXPECT_EQ(claim_less("", "", 1, 0.3, 2.1, 0.4).verdict, Verdict::holds); // error .5
  EXPECT_EQ(claim_less("", "", 1, 0.3, 1.9, 0.4).verdict, Verdict::unclear);
  EXPECT_EQ(claim_less("", "", 2.1, 0.3, 1, 0.4).verdict, Verdict::differs);
  EXPECT_EQ(claim_less("", "", 1, 0, 1, 0).verdict, Verdict::unclear);
  EXPECT_EQ(claim_less("", "", NAN, 0.1, 1, 0.1).verdict, Verdict::unclear);
}

TEST(Claim, BecomesJsonWithAllItsFields) {
  const Json json = to_json(claim_near("it is one", "Table 1", 1.02, 0.01, 1, 3, 0.1));
  EXPECT_EQ(json.at("says"), "it is one");
  EXPECT_EQ(json.at("where"), "Table 1");
  EXPECT_EQ(json.at("verdict"), "holds");
  EXPECT_NE(json.at("measured").get<std::string>().find("1.02 +- 0.01"), std::string::npos);
  EXPECT_FALSE(json.at("because").get<std::string>().empty());
}

Json with_verdicts(const std::vector<Verdict>& verdicts) {
  Json claims = Json::array();
  for (const Verdict verdict : verdicts)
    claims.push_back({{"verdict", to_text(verdict)}});
  return claims;
}

TEST(VerdictOnAll, IsTheWorst) {
  using enum Verdict;
  EXPECT_EQ(verdict_on_all(with_verdicts({holds, holds})), "holds");
  EXPECT_EQ(verdict_on_all(with_verdicts({holds, unclear})), "unclear");
  EXPECT_EQ(verdict_on_all(with_verdicts({unclear, differs, holds})), "differs");
  EXPECT_EQ(verdict_on_all(with_verdicts({})), "unclear");
}

TEST(Experiments, AreListedByTheirNames) {
  std::vector<std::string_view> names;
  for (const Experiment& experiment : experiments())
    names.push_back(experiment.name);
  EXPECT_EQ(names, std::vector<std::string_view>(experiment_names.begin(), experiment_names.end()));
}

TEST(Experiments, HaveNamesOfTheirOwnAndSayWhatTheyAreFor) {
  std::set<std::string> names;
  for (const Experiment& experiment : experiments()) {
    EXPECT_TRUE(names.insert(experiment.name).second) << experiment.name;
    EXPECT_FALSE(experiment.title.empty() || experiment.paper.empty()) << experiment.name;
    EXPECT_TRUE(experiment.question.ends_with("?")) << experiment.name;
  }
}

} // namespace
} // namespace starling::reproduce
