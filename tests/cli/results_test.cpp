// What a finished run leaves behind, and what it prints.
#include "results.hpp"

#include "io/stan_csv.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

namespace starling::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string small_run =
    "sample banana --particles 40 --batch 4 --steps 30 --seed 5 --out out/m ";

TEST(Results, AreFiveFilesAndTheirMark) {
  const Place place;
  succeed(place, small_run);
  std::vector<std::string> names;
  for (const auto& [name, content] : place.everything())
    names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"out", "out/m", "out/m/.starling", "out/m/config.toml",
                                             "out/m/draws.csv", "out/m/draws.npz",
                                             "out/m/summary.json", "out/m/trace.csv"}));
}

TEST(Results, SayHowLongTheDensityTook) {
  const Place place;
  const std::string small = " --particles 64 --seed 3 --method auto --out out/s --force --quiet";
  std::ofstream(place.path("rows.csv")) << "x,y\n0,0\n1,1\n2,0\n3,1\n4,1\n5,0\n6,1\n";
  for (const std::string target : {"banana", "logistic --data rows.csv --label y --data-batch 5"}) {
    succeed(place, "sample " + target + small);
    const Json s = summary_of(place, "out/s");
    EXPECT_GT(s.at("seconds_score").get<double>(), 0) << target;
    EXPECT_LE(s.at("seconds_score").get<double>(), s.at("seconds").get<double>()) << target;
  }
}

TEST(Results, SummaryHasWhatScriptsRelyOn) {
  const Place place;
  succeed(place, small_run);
  const Json s = summary_of(place, "out/m");
  EXPECT_EQ(lines_of(succeed(place, "--version")).at(0), s.at("version").get<std::string>());
  EXPECT_EQ(s.at("target"), "banana");
  EXPECT_EQ(s.at("particles"), 40);
  EXPECT_EQ(s.at("dim"), 2);
  EXPECT_EQ(s.at("batch"), 4);
  EXPECT_EQ(s.at("steps"), 30);
  EXPECT_EQ(s.at("seed"), 5);
  EXPECT_GE(s.at("threads").get<int>(), 1);
  EXPECT_EQ(s.at("precision"), "double");
  double parts = 0;
  for (const char* part : {"seconds_score", "seconds_drift", "seconds_advance", "seconds_look"}) {
    EXPECT_GE(s.at(part).get<double>(), 0) << part;
    parts += s.at(part).get<double>();
  }
  EXPECT_GT(s.at("seconds").get<double>(), 0);
  EXPECT_LE(parts, s.at("seconds").get<double>());
  ASSERT_EQ(s.at("parameters").size(), 2u);
  EXPECT_EQ(s.at("parameters")[0].at("name"), "x[1]");
  EXPECT_EQ(s.at("parameters")[1].at("name"), "x[2]");
  for (const Json& p : s.at("parameters")) {
    EXPECT_GT(p.at("sd").get<double>(), 0);
    EXPECT_LT(p.at("q05").get<double>(), p.at("q50").get<double>());
    EXPECT_LT(p.at("q50").get<double>(), p.at("q95").get<double>());
    EXPECT_TRUE(p.at("mean").is_number());
    EXPECT_TRUE(p.at("spread_identity").is_number());
  }
  EXPECT_TRUE(s.at("ksd").at("value").is_number());
  EXPECT_GT(s.at("ksd").at("se").get<double>(), 0);
  const std::vector<std::string> verdicts = {"converged", "cannot tell", "still moving",
                                             "collapsed", "noisy"};
  EXPECT_NE(std::ranges::find(verdicts, s.at("verdict").get<std::string>()), verdicts.end());
  EXPECT_TRUE(s.at("warnings").is_array());
  EXPECT_FALSE(s.contains("test_accuracy"));
}

TEST(Results, DrawsAgreeBetweenCsvNpzAndSummary) {
  const Place place;
  succeed(place, small_run);
  const io::Draws csv = io::read_stan_csv(place.path("out/m/draws.csv"));
  const auto npz = io::read_npz(place.path("out/m/draws.npz"));
  EXPECT_EQ(csv.names, (std::vector<std::string>{"lp__", "x[1]", "x[2]"}));
  ASSERT_EQ(csv.rows, 40u);
  ASSERT_EQ(npz.at("draws").shape, (std::vector<std::size_t>{40, 2}));
  ASSERT_EQ(npz.at("log_density").shape, (std::vector<std::size_t>{40}));
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(csv.values[3 * i], npz.at("log_density").values[i]);
    EXPECT_EQ(csv.values[3 * i + 1], npz.at("draws").values[2 * i]);
    EXPECT_EQ(csv.values[3 * i + 2], npz.at("draws").values[2 * i + 1]);
    sum += csv.values[3 * i + 1];
    squares += csv.values[3 * i + 1] * csv.values[3 * i + 1];
  }
  const Json first = summary_of(place, "out/m").at("parameters")[0];
  const double mean = sum / 40;
  EXPECT_NEAR(first.at("mean").get<double>(), mean, 1e-12);
  EXPECT_NEAR(first.at("sd").get<double>(), std::sqrt(squares / 40 - mean * mean), 1e-9);
}

TEST(Results, TraceHasARowPerLookUpToTheLastStep) {
  const Place place;
  succeed(place, small_run);
  const auto rows = lines_of(place.read("out/m/trace.csv"));
  ASSERT_EQ(rows.size(), 32u); // the header, the start, a look after each step
  EXPECT_TRUE(rows[0].starts_with("step,sweeps,seconds,batch,drift,")) << rows[0];
  EXPECT_TRUE(rows[0].ends_with(",verdict")) << rows[0];
  EXPECT_TRUE(rows[1].starts_with("0,0,")) << rows[1];
  EXPECT_TRUE(rows[31].starts_with("30,30,")) << rows[31];
  for (const std::string& row : rows)
    EXPECT_EQ(std::count(row.begin(), row.end(), ','),
              std::count(rows[0].begin(), rows[0].end(), ','))
        << row;
}

TEST(Results, JsonPrintsTheSummaryAndQuietPrintsNothing) {
  const Place place;
  const Json printed = Json::parse(succeed(place, small_run + "--json"));
  EXPECT_EQ(printed, summary_of(place, "out/m"));
  const Ended quiet = place.run(small_run + "--quiet --force");
  EXPECT_EQ(quiet.code, 0);
  EXPECT_EQ(quiet.out + quiet.err, "");
  const Ended plain = place.run(small_run + "--force");
  EXPECT_NE(plain.out.find("x[1]"), std::string::npos);
  EXPECT_EQ(plain.err, "");
}

TEST(Results, WarningsGoToStderrAndIntoTheSummary) {
  const Place place;
  const std::string line = "sample mixture --particles 16 --steps 2 --kernel riesz --out out/";
  const Ended ended = place.run(line + "m");
  EXPECT_EQ(ended.code, 0);
  const auto warnings = summary_of(place, "out/m").at("warnings").get<std::vector<std::string>>();
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(ended.err,
            "starling: warning: " + warnings[0] + "\nstarling: warning: " + warnings[1] + "\n");
  EXPECT_EQ(place.run(line + "n --quiet").err, "");
}

TEST(Results, OfARunThatHasNotConvergedExitWithTwoWhereAsked) {
  const Place place;
  const std::string far = "sample mixture --start normal:-10,1 --particles 64 --steps 3 --quiet "
                          "--fail-unless-converged --out out/m";
  EXPECT_EQ(place.run(far).code, 2);
  EXPECT_EQ(summary_of(place, "out/m").at("verdict"), "still moving");
  EXPECT_EQ(
      place
          .run("sample normal --dim 1 --particles 512 --batch 32 --steps 300 --bandwidth 0.35 "
               "--quiet --fail-unless-converged --out out/n")
          .code,
      0);
  EXPECT_EQ(summary_of(place, "out/n").at("verdict"), "converged");
  // Too few to tell is not converged either, whatever their figures are.
  EXPECT_EQ(place
                .run("sample normal --dim 1 --particles 32 --steps 0 --start normal:0,1.3 --quiet "
                     "--fail-unless-converged --out out/few")
                .code,
            2);
  EXPECT_EQ(summary_of(place, "out/few").at("verdict"), "cannot tell");
}

TEST(Results, OfNoStepsAreTheStart) {
  const Place place;
  succeed(place,
          "sample mixture --steps 0 --particles 1000 --start uniform:3,5 --quiet --out out/m");
  const Json x = summary_of(place, "out/m").at("parameters")[0];
  EXPECT_NEAR(x.at("mean").get<double>(), 4, 4 * 0.577 / std::sqrt(1000.0)); // four standard errors
  for (const double value : draws_of(place, "out/m").values) {
    EXPECT_GE(value, 3);
    EXPECT_LT(value, 5);
  }
}

// Section 4.1 of the paper. An independent program has, over 100 starts at p = 32, squared errors
// of 0.00084 for E x and 0.0101 for E x^2, so 0.029 and 0.100 in the root mean square. Four of
// those: 0.12 and 0.40. Var x = E x^2 - (E x)^2 adds 2 (2/3) times the error of the mean: 0.40 +
// 0.16.
TEST(Results, OfTheMixtureHaveItsMeanAndVariance) {
  const Place place;
  succeed(place, "sample mixture --particles 256 --batch 32 --steps 500 --bandwidth 0.35 "
                 "--step-size 0.2 --start normal:-10,1 --seed 1 --out out/m");
  const Json x = summary_of(place, "out/m").at("parameters")[0];
  const double mean = x.at("mean"), sd = x.at("sd");
  EXPECT_NEAR(mean, 2.0 / 3, 0.12);
  EXPECT_NEAR(sd * sd + mean * mean, 5, 0.40);
  EXPECT_NEAR(sd * sd, 5 - 4.0 / 9, 0.56);
}

// Whoever adds an option of the method to a run that tuned itself should hear what that did.
TEST(Results, SayWhichOptionMadeARunRaw) {
  const Place place;
  const std::string run = "sample normal --dim 20 --particles 64 ",
                    why = "This run used --method paper, because --batch and --steps were given";
  EXPECT_THAT(succeed(place, run + "--batch 8 --steps 20"), HasSubstr(why));
  EXPECT_THAT(succeed(place, run + "--batch 8 --steps 20 --method paper"),
              Not(HasSubstr("This run used --method paper")));
  EXPECT_THAT(succeed(place, run), Not(HasSubstr("This run used --method paper")));
  place.write("c.toml", "batch = 8\n");
  EXPECT_THAT(succeed(place, run + "--config c.toml --steps 20"), HasSubstr(why));
}

// Given is given, also where it is the default; and a method that a file names stays.
TEST(Results, AreTheRawMethodsWhereOneOfItsOptionsIsGiven) {
  const Place place;
  const std::string run = "sample normal --dump-config ";
  EXPECT_THAT(succeed(place, run), HasSubstr("method = \"auto\""));
  for (const std::string option : {"--step-size 0.1", "--kernel gaussian", "--precision single"})
    EXPECT_THAT(succeed(place, run + option), HasSubstr("method = \"paper\"")) << option;
  for (const std::string as_in_stages : {"--device cpu", "--precision double"})
    EXPECT_THAT(succeed(place, run + as_in_stages), HasSubstr("method = \"auto\""));
  place.write("auto.toml", "method = \"auto\"\n");
  const std::string stays = succeed(place, run + "--config auto.toml --steps 7");
  EXPECT_THAT(stays, HasSubstr("method = \"auto\""));
  EXPECT_THAT(stays, HasSubstr("steps = 7"));
  const auto refused = place.run(run + "--config auto.toml --step-size 0.1");
  EXPECT_EQ(refused.code, usage);
  EXPECT_THAT(refused.err, HasSubstr("step-size: is an option of --method paper"));
}

} // namespace
} // namespace starling::cli
