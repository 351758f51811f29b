// starling demo: both problems with both methods, a table, and results that a second run replaces.
#include "results.hpp"

namespace starling::cli {
namespace {

TEST(Demo, PrintsItsTableAndLeavesEveryRunBehindAndIsReplaced) {
  TOO_LONG_UNDER_SANITIZERS();
  const Place place;
  succeed(place, "demo");
  const std::string shown = succeed(place, "demo"); // in the place of the first
  int rbm = 0, svgd = 0, commands = 0;
  for (const std::string& line : lines_of(shown)) {
    rbm += line.starts_with("RBM-SVGD, batches of ") && line.find("x") != line.npos;
    svgd += line.starts_with("SVGD, all pairs ");
    commands += line.starts_with("  starling sample ");
  }
  EXPECT_EQ(rbm, 2) << shown;
  EXPECT_EQ(svgd, 2) << shown;
  EXPECT_EQ(commands, 2) << shown;
  for (const std::string run :
       {"mixture/svgd", "mixture/rbm-svgd", "logistic/svgd", "logistic/rbm-svgd"})
    for (const std::string file :
         {"draws.csv", "draws.npz", "summary.json", "config.toml", "trace.csv"})
      EXPECT_TRUE(place.has("out/demo/" + run + "/" + file)) << run << " " << file;

  const Json all = summary_of(place, "out/demo/mixture/svgd");
  const Json batches = summary_of(place, "out/demo/mixture/rbm-svgd");
  EXPECT_EQ(all.at("batch"), "all");
  EXPECT_GT(all.at("seconds").get<double>(), 0);
  EXPECT_GT(batches.at("seconds").get<double>(), 0);
  // Squared errors over starts, of a quarter as many particles: 0.0014 for E x and 0.018 for E x^2.
  // Four roots of those are 0.15 and 0.54, and (0.54 + 2 (2/3) 0.15) / (2 sd) = 0.17 for the sd.
  for (const Json& one : {all, batches}) {
    EXPECT_NEAR(one.at("parameters")[0].at("mean").get<double>(), 2.0 / 3, 0.15);
    EXPECT_NEAR(one.at("parameters")[0].at("sd").get<double>(), std::sqrt(5 - 4.0 / 9), 0.17);
  }
  // The rule that made the data errs on about one row in six.
  EXPECT_GT(summary_of(place, "out/demo/logistic/rbm-svgd").at("test_accuracy").get<double>(),
            0.75);

  // The command that the table shows gives the run that the table shows.
  for (const std::string& line : lines_of(shown))
    if (line.starts_with("  starling sample logistic")) {
      succeed(place, line.substr(line.find("sample")) + " --quiet --out out/again");
      EXPECT_EQ(place.read("out/again/draws.npz"),
                place.read("out/demo/logistic/rbm-svgd/draws.npz"));
    }
}

} // namespace
} // namespace starling::cli
