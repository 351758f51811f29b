// sample --evidence and compare: the figures of a known integral, and what is refused.
#include "results.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cmath>

namespace starling::cli {
namespace {

using testing::HasSubstr;

TEST(Evidence, StandsInSummaryJsonWithItsError) {
  const Place place;
  const std::string shown =
      succeed(place, "sample normal --dim 3 --particles 128 --evidence --out out/n");
  const Json found = summary_of(place, "out/n").at("log_evidence");
  const double truth = 1.5 * std::log(2 * 3.14159265358979), se = found.at("se");
  EXPECT_LT(std::abs(found.at("value").get<double>() - truth), 4 * se);
  EXPECT_LT(se, 0.1);
  EXPECT_EQ(found.at("method"), "bridge");
  EXPECT_TRUE(found.at("doubt").is_null());
  EXPECT_THAT(shown, HasSubstr("log evidence 2.7"));
  EXPECT_GT(summary_of(place, "out/n").at("gradients").at("evidence"), 0);
}

TEST(Evidence, OfSeveralRunsIsTheirMean) {
  const Place place;
  succeed(place, "sample normal --dim 2 --particles 64 --runs 2 --evidence --out out/n");
  const Json found = summary_of(place, "out/n").at("log_evidence");
  EXPECT_NEAR(found.at("value").get<double>(), std::log(2 * 3.14159265358979),
              4 * found.at("se").get<double>());
}

TEST(Evidence, IsRefusedWhereItCannotBe) {
  const Place place;
  expect_refused(place, "sample normal --evidence --method paper --out o", usage,
                 "evidence: is a part of --method auto; this run uses --method paper");
  expect_refused(place, "sample normal --temper --prefit none --out o", usage,
                 "temper: begins around what the scout found: remove --prefit none");
}

// Few rows lead, and the evidence is that of all, by tempering too; that of other data is not.
TEST(Evidence, OverRowsIsThatOfAllRows) {
  const Place place;
  place.write("d.csv", SmallData().text(400));
  place.write("less.csv", SmallData().text(390));
  const auto found = [&](const std::string& folder, const std::string& data) {
    const std::string said =
        succeed(place, "sample logistic --evidence --temper --particles 128 --method auto --out " +
                           folder + " --data " + data);
    EXPECT_EQ(said.find("modes were not searched"), std::string::npos) << said; // by tempering
    const Json made = summary_of(place, folder).at("log_evidence"), second = made.at("tempered");
    EXPECT_LT(std::abs(made.at("value").get<double>() - second.at("value").get<double>()),
              4 * std::hypot(made.at("se").get<double>(), second.at("se").get<double>()));
    EXPECT_TRUE(made.at("doubt").is_null());
    return std::array<double, 2>{made.at("value"), made.at("se")};
  };
  const auto whole = found("whole", "d.csv"), rows = found("rows", "d.csv --data-batch 50"),
             less = found("less", "less.csv");
  EXPECT_LT(std::abs(rows[0] - whole[0]), 4 * std::hypot(rows[1], whole[1]));
  EXPECT_GT(std::abs(less[0] - whole[0]), 4 * std::hypot(less[1], whole[1]));
}

TEST(Compare, ShowsDifferencesBestFirst) {
  const Place place;
  const auto run = [&](const std::string& name, double value, double se) {
    place.write(
        name + "/summary.json",
        "{\"verdict\": \"converged\", \"log_evidence\": {\"value\": " + std::to_string(value) +
            ", \"se\": " + std::to_string(se) + ", \"doubt\": null}}");
  };
  run("a", -12, 0.03);
  run("b", -10, 0.04);
  const Json found = Json::parse(succeed(place, "compare a b --json"));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].at("folder"), "b");
  EXPECT_NEAR(found[1].at("difference").get<double>(), -2, 1e-9);
  EXPECT_NEAR(found[1].at("difference_se").get<double>(), 0.05, 1e-9);
  const auto lines = lines_of(succeed(place, "compare a b"));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[2], HasSubstr("-2.000"));
}

TEST(Compare, RefusesRunsWithoutEvidenceAndWhatIsNotThere) {
  const Place place;
  place.write("a/summary.json", "{\"verdict\": \"converged\"}");
  place.write("b/summary.json", "{");
  expect_refused(place, "compare a", bad_data,
                 "a/summary.json: has no log evidence: sample with --evidence");
  expect_refused(place, "compare b", bad_data, "b/summary.json: is not the summary.json of a run");
  expect_refused(place, "compare nowhere", input_missing, "nowhere: no such file");
  expect_refused(place, "compare", usage, "DIR: must be given; see starling compare --help");
}

} // namespace
} // namespace starling::cli
