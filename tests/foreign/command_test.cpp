// starling sample plugin and stan, from outside: draws, files, repeats, refusals.
#include "foreign/libraries.hpp"

#include "cli/results.hpp"

#include <algorithm>
#include <cmath>

namespace starling::foreign {
namespace {

using namespace cli;

std::string columns_of(const Place& place, const std::string& folder) {
  for (const std::string& line : lines_of(place.read(folder + "/draws.csv")))
    if (!line.starts_with("#"))
      return line;
  return "none";
}

/// Runs `sample LINE`, then once more from its config.toml with three threads: the same draws.
void expect_repeats(const Place& place, const std::string& line) {
  succeed(place, "sample " + line + " --threads 1 --quiet --out first");
  succeed(place, "sample --config first/config.toml --trust --threads 3 --quiet --out second");
  EXPECT_EQ(place.read("first/draws.npz"), place.read("second/draws.npz")) << line;
  EXPECT_EQ(draws_csv_of(place, "first"), draws_csv_of(place, "second")) << line;
  fs::remove_all(place.path("first"));
  fs::remove_all(place.path("second"));
}

TEST(SamplePlugin, DrawsWhatTheBuiltInTargetOfTheSameDensityDraws) {
  const Place place;
  const std::string options = " --particles 60 --steps 60 --seed 3 --quiet --out ";
  succeed(place, "sample normal --dim 2" + options + "built_in");
  const auto expected = draws_of(place, "built_in").values;
  for (const std::string name : {"plugin_all", "plugin_single", "plugin_threads"}) {
    succeed(place, "sample plugin " + library(name) + options + name);
    const auto draws = draws_of(place, name).values;
    ASSERT_EQ(draws.size(), expected.size());
    for (std::size_t n = 0; n < draws.size(); ++n)
      EXPECT_NEAR(draws[n], expected[n], 1e-9) << name;
  }
  EXPECT_EQ(columns_of(place, "plugin_all"), "lp__,place.1,x_2"); // x[2] alone is no array
  EXPECT_EQ(columns_of(place, "plugin_single"), "lp__,x.1,x.2");
}

TEST(SamplePlugin, RepeatsFromItsConfigOnAnyNumberOfThreads) {
  const Place place;
  place.write("d.txt", "3");
  const std::string options = " --data d.txt --particles 50 --steps 20";
  expect_repeats(place, "plugin " + library("plugin_threads") + options);
  expect_repeats(place,
                 "plugin --model " + library("plugin_all") + options + " --precision single");
  expect_repeats(place,
                 "plugin " + library("plugin_all") + options + " --replace --domain torus:9");
}

TEST(SamplePlugin, RunsTheExample) {
  const Place place;
  succeed(place, "check plugin " + library("plugin_example"));
  place.write("y.txt", "4.1 5.3 4.7 6.0 5.5 4.4 5.1 5.8 4.9 5.2");
  const std::string options = " --particles 200 --steps 500 --batch 16 --step-size 0.05 --quiet ";
  succeed(place, "sample plugin " + library("plugin_example") + options + "--out usual");
  succeed(place,
          "sample plugin " + library("plugin_example") + " --data y.txt" + options + "--out file");
  EXPECT_EQ(place.read("usual/draws.npz"), place.read("file/draws.npz"));
  EXPECT_EQ(columns_of(place, "file"), "lp__,m,log_sd");
  // m is Student t with 9 degrees around mean(y) = 5.1, its standard deviation 0.22: five standard
  // errors of 200 draws.
  EXPECT_NEAR(summary_of(place, "file").at("parameters")[0].at("mean").get<double>(), 5.1, 0.08);
}

TEST(SamplePlugin, EndsWithTheParticleAndThePluginsWordsAndKeepsTheState) {
  const Place place;
  const Ended ended = place.run("sample plugin " + library("plugin_fails") +
                                " --start normal:3.5,0.01 --particles 20 --seed 1 --out p");
  EXPECT_EQ(ended.code, failed);
  EXPECT_NE(ended.err.find("target: failed at step 0, particle "), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find(": too far to the right; state after 0 steps saved"), std::string::npos)
      << ended.err;
}

TEST(SamplePlugin, RefusesWhatIsNoPlugin) {
  const Place place;
  place.write("none.so", "no library");
  expect_refused(place, "sample plugin --out p", usage,
                 "model: plugin needs a library: plugin LIB.so");
  expect_refused(place, "sample plugin gone.so --out p", input_missing, "gone.so: no such file");
  expect_refused(place, "sample plugin " + library("plugin_all") + " --data gone.txt --out p",
                 input_missing, "gone.txt: no such file");
  expect_refused(place, "sample plugin none.so --out p", bad_data,
                 "none.so: cannot be loaded as a shared library: file too short");
  const std::string twins = library("plugin_same_names"), no_dim = library("plugin_no_dim");
  expect_refused(place, "sample plugin " + twins + " --out p", bad_data,
                 twins + ": must give its parameters different names; got twin twice");
  expect_refused(place, "check plugin " + no_dim, bad_data,
                 no_dim + ": must export starling_dim; got a library without it");
  expect_refused(place, "sample plugin a.so b.so --out p", usage,
                 "b.so: is one argument too many for sample");
  expect_refused(place, "sample plugin a.so --label 3 --out p", usage,
                 "--label: is an option of logistic, linear, poisson and multinomial; the target "
                 "here is plugin");
}

TEST(SampleStan, WritesConstrainedParametersUnderStansNames) {
  const Place place;
  place.write("d.json", R"({"y": 2})");
  const Ended ended = place.run("sample stan " + library("stan_full") +
                                " --data d.json --particles 300 --steps 600 --batch 16 "
                                "--step-size 0.05 --json --out s");
  ASSERT_EQ(ended.code, 0) << ended.err;
  std::vector<std::string> said = lines_of(ended.err); // of starts that it refused, nothing
  std::erase_if(said,
                [](const std::string& line) { return line.starts_with("starling: warning: "); });
  EXPECT_EQ(said, std::vector<std::string>{"a word from the model"});
  EXPECT_EQ(columns_of(place, "s"), "lp__,mu.1,mu.2,sigma,tau,z");
  const auto arrays = io::read_npz(place.path("s/draws.npz"));
  const auto &draws = arrays.at("draws"), &positions = arrays.at("unconstrained");
  ASSERT_EQ(draws.shape, (std::vector<std::size_t>{300, 5}));
  ASSERT_EQ(positions.shape, (std::vector<std::size_t>{300, 3}));
  for (std::size_t i = 0; i < 300; ++i) {
    EXPECT_EQ(draws.values[5 * i], positions.values[3 * i]);
    EXPECT_DOUBLE_EQ(draws.values[5 * i + 2], std::exp(positions.values[3 * i + 2]));
  }
  const Json j = Json::parse(ended.out);
  EXPECT_EQ(j, summary_of(place, "s"));
  EXPECT_EQ(j.at("dim"), 3);
  const Json& p = j.at("parameters");
  ASSERT_EQ(p.size(), 5u);
  EXPECT_EQ(p[0].at("name"), "mu[1]");
  EXPECT_TRUE(p[2].at("spread_identity").is_null());
  EXPECT_EQ(j.at("unconstrained").size(), 3u);
  // mu ~ N(2, 1), sigma ~ Exp(1): five standard errors of 300 draws.
  EXPECT_NEAR(p[0].at("mean").get<double>(), 2, 5 / std::sqrt(300.0));
  EXPECT_NEAR(p[2].at("mean").get<double>(), 1, 5 / std::sqrt(300.0));
}

TEST(SampleStan, RepeatsFromItsConfigOnAnyNumberOfThreads) {
  const Place place;
  place.write("d.json", R"({"y": 0.5})");
  const std::string options = " --data d.json --particles 50 --steps 20 --seed 12345678901234";
  for (const std::string name : {"stan_full", "stan_fails", "stan_bare"})
    expect_repeats(place, "stan " + library(name) + options);
  expect_repeats(place, "stan " + library("stan_full") + options + " --precision single");
  expect_repeats(place, "stan " + library("stan_bare") + options + " --start normal:0,0.5");
}

TEST(SampleStan, TakesSeveralRunsTogetherInBothSpaces) {
  const Place place;
  const std::string what =
      "sample stan " + library("stan_full") + " --particles 40 --steps 30 --quiet ";
  succeed(place, what + "--runs 2 --out s");
  succeed(place, what + "--out one");
  const auto mean_of = [&](const char* array,
                           std::size_t width) { // of the first column, over all runs
    const auto values = io::read_npz(place.path("s/draws.npz")).at(array).values;
    double sum = 0;
    for (std::size_t at = 0; at < values.size(); at += width)
      sum += values[at] / (static_cast<double>(values.size()) / static_cast<double>(width));
    return sum;
  };
  const Json both = summary_of(place, "s"), first = summary_of(place, "one");
  EXPECT_NEAR(both.at("parameters")[0].at("mean"), mean_of("draws", 5), 1e-12);
  EXPECT_NEAR(both.at("unconstrained")[0].at("mean"), mean_of("unconstrained", 3), 1e-12);
  for (const char* ksd : {"ksd", "ksd_gaussian"}) { // those of both, not of the first alone
    EXPECT_NE(both.at(ksd).at("value"), first.at(ksd).at("value")) << ksd;
    EXPECT_TRUE(both.at(ksd).at("se").is_number()) << ksd;
  }
}

TEST(SampleStan, StartsFromTheDrawsOfAnEarlierRun) {
  const Place place;
  const std::string model = "sample stan " + library("stan_full");
  succeed(place, model + " --particles 40 --steps 30 --quiet --out earlier");
  const auto first = io::read_npz(place.path("earlier/draws.npz")).at("unconstrained").values;
  const std::string options = " --start earlier/draws.csv --steps 0 --quiet --out ";
  succeed(place, model + " --particles 25" + options + "again"); // the first 25 of 40 rows
  const auto again = io::read_npz(place.path("again/draws.npz")).at("unconstrained").values;
  ASSERT_EQ(again.size(), 75u);
  for (std::size_t n = 0; n < again.size(); ++n)
    EXPECT_NEAR(again[n], first[n], 1e-14);
  succeed(place, model + " --particles 25 --precision single" + options + "single");

  // As CmdStan writes it: other columns around, and parameters in any order.
  place.write("cmdstan.csv", "# model = m\nlp__,stepsize__,sigma,mu.2,mu.1,tau\n"
                             "-3,0.5,1,20,10,1\n# Adaptation terminated\n-4,0.5,1,21,11,1\n");
  succeed(place, model + " --particles 2 --start cmdstan.csv --steps 0 --quiet --out c");
  EXPECT_EQ(io::read_npz(place.path("c/draws.npz")).at("unconstrained").values,
            (std::vector<double>{10, 20, 0, 11, 21, 0}));
  expect_repeats(place,
                 "stan " + library("stan_full") + " --particles 2 --start cmdstan.csv --steps 5");
}

TEST(SampleStan, RefusesDrawsItCannotStartFrom) {
  const Place place;
  place.write("d.csv", "lp__,mu.1,mu.2,sigma\n0,1,2,3\n0,1,2,-3\n");
  place.write("short.csv", "lp__,mu.1,sigma\n0,1,2\n0,1,2\n");
  const std::string model = library("stan_full"), bare = library("stan_bare");
  const auto refused = [&](const std::string& line, int code, const std::string& message) {
    expect_refused(place, "sample " + line + " --out s", code, message);
  };
  refused("stan " + model + " --particles 2 --start d.csv", bad_data,
          "d.csv: row 2: must be parameters of the model; got Exception: sigma is negative, but "
          "must be positive");
  refused("stan " + model + " --particles 3 --start d.csv", bad_data,
          "d.csv: must have a draw for each of 3 particles; got 2");
  refused("stan " + model + " --particles 2 --start short.csv", bad_data,
          "short.csv: must have a column mu.2; got none");
  refused("stan " + model + " --start gone.csv", input_missing, "gone.csv: no such file");
  refused("stan " + bare + " --particles 1 --start d.csv", bad_data,
          bare +
              ": must export bs_param_unconstrain to start from draws; got a library without it");
  refused("normal --start d.csv", usage,
          "start: must be one of normal, uniform, FILE.npy; got 'd.csv'");
}

TEST(SampleStan, SaysThatAModelCompiledWithoutThreadsRunsOnOne) {
  const Place place;
  const std::string options = " --particles 20 --steps 5 --threads 2 --out ";
  const std::string words = "model " + library("stan_bare") +
                            " was compiled without "
                            "STAN_THREADS=true: its gradients run on one thread";
  const Ended bare = place.run("sample stan " + library("stan_bare") + options + "bare");
  EXPECT_NE(bare.err.find("starling: warning: " + words + "\n"), std::string::npos) << bare.err;
  const auto warnings = summary_of(place, "bare").at("warnings");
  EXPECT_NE(std::find(warnings.begin(), warnings.end(), words), warnings.end()) << warnings;
  const Ended full = place.run("sample stan " + library("stan_full") + options + "full");
  EXPECT_EQ(full.err.find("STAN_THREADS"), std::string::npos) << full.err;
}

TEST(SampleStan, WarnsOfGradientsThatFailed) {
  const Place place;
  const std::string line = "sample stan " + library("stan_fails") + " --particles 50 --steps 100 ";
  const Ended ended = place.run(line + "--out s");
  EXPECT_EQ(ended.code, 0) << ended.err;
  const Json summary = summary_of(place, "s");
  EXPECT_EQ(summary.at("verdict"), "diverged");
  const auto count = [&](const std::string& begin, const std::string& end) {
    return std::ranges::count_if(summary.at("warnings"), [&](const Json& warning) {
      const auto text = warning.get<std::string>();
      return text.starts_with(begin) && text.ends_with(end);
    });
  };
  // Each message once, however often it was given.
  EXPECT_EQ(count("the gradient failed ",
                  " times, its score was set to zero: Exception: mu[1] is too large"),
            1);
  EXPECT_EQ(count("constraining a draw failed ", " times, it is nan in the results: Exception: z: "
                                                 "mu[1] is too large"),
            1);
  EXPECT_NE(ended.err.find("starling: warning: the gradient failed "), std::string::npos);
  EXPECT_NE(place.read("s/draws.csv").find("-inf,nan,nan,nan,nan,nan\n"), std::string::npos);
}

TEST(SampleStan, IsCheckedOnItsUnconstrainedSpace) {
  const Place place;
  const auto lines = lines_of(succeed(place, "check stan " + library("stan_bare")));
  EXPECT_EQ(lines.back(), "stan at 10 particles: the score is the gradient of the log density");
}

TEST(SampleStan, RefusesWhatIsNoModel) {
  const Place place;
  place.write("bad.json", "{");
  const std::string model = library("stan_full"), none = library("stan_no_parameters"),
                    lacks = library("stan_no_constrain");
  expect_refused(place, "sample stan --out s", usage,
                 "model: stan needs a program or a library: stan MODEL.stan");
  expect_refused(place, "sample stan " + model + " --data d.csv --out s", usage,
                 "data: must be a FILE.json for stan; got 'd.csv'");
  expect_refused(place, "sample stan " + model + " --domain torus:3 --out s", usage,
                 "domain: the target stan is not periodic; remove --domain");
  expect_refused(place, "sample stan " + model + " --data gone.json --out s", input_missing,
                 "gone.json: no such file");
  expect_refused(place, "sample stan " + model + " --data bad.json --out s", bad_data,
                 "bad.json: construct() failed with exception: Error in JSON parsing at offset 0");
  place.write("none.so", "no library");
  expect_refused(place, "sample stan none.so --out s", bad_data,
                 "none.so: cannot be loaded as a shared library: file too short");
  expect_refused(place, "sample stan gone.so --out s", input_missing, "gone.so: no such file");
  expect_refused(place, "sample stan " + none + " --out s", bad_data,
                 none + ": is a model without parameters: there is nothing to sample");
  expect_refused(place, "sample stan " + lacks + " --out s", bad_data,
                 lacks + ": must export bs_param_constrain; got a library without it");
  expect_refused(place, "sample mixture --start stan --out s", usage,
                 "start: must be one of normal, uniform, FILE.npy; got 'stan'");
  expect_refused(place, "sample stan " + library("stan_nowhere") + " --steps 10 --out s", failed,
                 "target: failed at step 0, particle 0: no place to start was found: Exception: "
                 "nowhere");
}

} // namespace
} // namespace starling::foreign
