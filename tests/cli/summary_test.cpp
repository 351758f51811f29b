// starling summary: the same figures again, from the files.
#include "results.hpp"

namespace starling::cli {
namespace {

TEST(Summary, OfAFolderIsItsSummaryJson) {
  const Place place;
  const std::string table = succeed(place, "sample banana --particles 40 --steps 30 --out out/m");
  EXPECT_EQ(Json::parse(succeed(place, "summary out/m --json")), summary_of(place, "out/m"));
  // The table of the run, line by line, is in what the run printed.
  const auto lines = lines_of(succeed(place, "summary out/m"));
  ASSERT_EQ(lines.size(), 4u); // names, two parameters, verdict
  for (const std::string& line : lines)
    EXPECT_NE(table.find(line + "\n"), std::string::npos) << line;
}

TEST(Summary, OfDrawsAgreesWithSummaryJson) {
  const Place place;
  succeed(place, "sample banana --particles 40 --steps 30 --out out/m");
  const Json from_draws = Json::parse(succeed(place, "summary out/m/draws.csv --json"));
  const Json from_run = summary_of(place, "out/m");
  EXPECT_EQ(from_draws.at("draws"), 40);
  ASSERT_EQ(from_draws.at("parameters").size(), 3u);
  EXPECT_EQ(from_draws.at("parameters")[0].at("name"), "lp__");
  for (std::size_t a = 0; a < 2; ++a)
    for (const char* figure : {"mean", "sd", "q05", "q50", "q95"})
      EXPECT_EQ(from_draws.at("parameters")[a + 1].at(figure),
                from_run.at("parameters")[a].at(figure))
          << a << " " << figure;
}

TEST(Summary, OfDrawsLeavesOutWhatIsNotANumberAndSaysSo) {
  const Place place;
  place.write("whole.csv", "lp__,a,b\n-1,1,7\n-1,3,8\n-1,2,9\n");
  place.write("gaps.csv", "lp__,a,b\n-1,1,7\n-1,nan,8\n-1,3,9\n-1,nan,7\n-1,2,8\n");
  const Json whole = Json::parse(succeed(place, "summary whole.csv --json"));
  const Json gaps = Json::parse(succeed(place, "summary gaps.csv --json"));
  for (const char* figure : {"mean", "sd", "q05", "q50", "q95"})
    EXPECT_EQ(gaps.at("parameters")[1].at(figure), whole.at("parameters")[1].at(figure)) << figure;
  EXPECT_EQ(gaps.at("parameters")[1].at("left_out"), 2);
  EXPECT_FALSE(gaps.at("parameters")[2].contains("left_out"));
  EXPECT_NE(succeed(place, "summary gaps.csv")
                .find("2 values of a are NaN or infinite and are left out of its figures\n"),
            std::string::npos);
}

TEST(Summary, ShowsTheTestAccuracy) {
  const Place place;
  place.write("d.csv", SmallData().text(100));
  succeed(place,
          "sample logistic --data d.csv --holdout 0.3 --particles 16 --steps 20 --out out/m");
  const std::string shown = succeed(place, "summary out/m");
  char expected[40];
  std::snprintf(expected, sizeof expected, "test accuracy %.4f\n",
                summary_of(place, "out/m").at("test_accuracy").get<double>());
  EXPECT_NE(shown.find(expected), std::string::npos) << shown;
}

TEST(Summary, RefusesWhatIsNotThereOrNoRun) {
  const Place place;
  place.write("empty/x", "");
  place.write("odd/summary.json", "[1, 2]");
  place.write("broken/summary.json", "{\"parameters\": [");
  place.write("no.csv", "a,b\n1,zz\n");
  expect_refused(place, "summary nowhere", 66, "nowhere: no such file");
  expect_refused(place, "summary empty", 66, "empty/summary.json: no such file");
  expect_refused(place, "summary odd", 65, "odd: is not the summary.json of a run");
  expect_refused(place, "summary broken", 65,
                 "broken/summary.json: is not the summary.json of a run");
  expect_refused(place, "summary no.csv", 65, "no.csv:2: column 2 (b): must be a number; got 'zz'");
}

TEST(Summary, AndAllThatReadRefuseANameThatNoFileCanHave) {
  const Place place;
  const std::string name(300, 'x');
  for (const std::string& command :
       {"summary " + name, "convert " + name + " to.csv", "thin " + name + " --to 3"}) {
    const Ended ended = place.run(command);
    EXPECT_EQ(ended.code, 66) << command;
    EXPECT_TRUE(ended.err.starts_with("starling: " + name + ": ")) << ended.err;
    EXPECT_EQ(lines_of(ended.err).size(), 1u) << ended.err;
  }
}

} // namespace
} // namespace starling::cli
