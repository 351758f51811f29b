// starling bench posteriors and shapes: what they say of runs whose truth is known, right and wrong
// references both.
#include "results.hpp"

#include <starling/stages/settings.hpp>

#include <functional>
#include <limits>

namespace starling::cli {
namespace {

/// The place where `below` reaches q.
double quantile(const std::function<double(double)>& below, double low, double high, double q) {
  for (int k = 0; k < 80; ++k)
    (below((low + high) / 2) < q ? low : high) = (low + high) / 2;
  return low;
}

const std::uint64_t usual_steps = stages::Settings{}.steps; // of the flight, as it is usual
const std::string usual_steps_text = std::to_string(usual_steps);
const std::vector<std::string> names = {"mu[1]", "mu[2]", "sigma"};

/// 2 chains of 500 draws of the small model with y = 3: mu ~ normal(3, 1), sigma ~ exponential(1),
/// at even quantiles, so that they are exact; then mu[1] moved and sigma stretched.
void write_draws(const fs::path& file, double moved = 0, double stretched = 1) {
  std::vector<double> draws;
  for (int i = 0; i < 1000; ++i) {
    const double q = (i + 0.5) / 1000;
    const double z =
        quantile([](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }, -9, 9, q);
    draws.insert(draws.end(), {3 + z + moved, 3 - z, -std::log1p(-q) * stretched});
  }
  io::NpzWriter out(file);
  out.add("names", names);
  out.add("draws", draws, {2, 500, 3});
  out.close();
}

/// A folder of one posterior, "small".
void make_models(const Place& place, double moved = 0, double stretched = 1,
                 const std::string& model = "stan_tame") {
  place.write("models/small/data.json", "{ \"y\" : 3 }");
  place.write("models/README.md", "not a posterior");
  fs::copy_file(STARLING_TEST_LIBRARIES "/" + model + ".so", place.path("models/small/model.so"));
  write_draws(place.path("models/small/reference.npz"), moved, stretched);
}

const std::string quick =
    "bench posteriors --models models --particles 256 --seeds 1 --json b.json";

TEST(BenchPosteriors, PassesARunThatAgreesWithItsReference) {
  const Place place;
  make_models(place);
  const std::string shown = succeed(place, quick + " --long");
  const Json j = Json::parse(place.read("b.json")).at("posteriors");
  ASSERT_EQ(j.at("runs").size(), 2u);
  EXPECT_EQ(j.at("runs")[0].at("steps"), usual_steps);
  EXPECT_EQ(j.at("runs")[1].at("steps"), 8 * usual_steps);
  EXPECT_GT(j.at("runs")[1].at("gradients"), j.at("runs")[0].at("gradients"));
  for (const Json& run : j.at("runs")) {
    EXPECT_EQ(run.at("name"), "small");
    EXPECT_TRUE(run.at("pass").get<bool>()) << run;
    EXPECT_FALSE(run.at("wrong").get<bool>());
    EXPECT_EQ(run.at("verdict"), "converged");
    EXPECT_LT(run.at("w1").get<double>(), 0.1);
    EXPECT_GT(run.at("gradients").get<double>(), double(256 * usual_steps));
    EXPECT_GT(run.at("seconds_of_model").get<double>(), 0);
  }
  EXPECT_EQ(j.at("tally").at(usual_steps_text).at("passes"), 1);
  EXPECT_NE(shown.find("\n" + usual_steps_text +
                       " steps: 1 of 1 runs pass; wrong but called converged 0; right but not "
                       "converged 0; "),
            shown.npos)
      << shown;
}

TEST(BenchPosteriors, CallsARunWrongThatItsReferenceContradicts) {
  const Place place;
  make_models(place, 0.4, 1.5);
  succeed(place, quick);
  const Json j = Json::parse(place.read("b.json")).at("posteriors");
  const Json& run = j.at("runs").at(0);
  EXPECT_NEAR(run.at("mean_error").get<double>(), 0.4, 0.06); // sd of a mean of 256 draws: 1/16
  EXPECT_EQ(run.at("mean_error_of"), "mu[1]");
  EXPECT_NEAR(run.at("sd_ratio_low").get<double>(), 1 / 1.5, 0.07);
  EXPECT_EQ(run.at("sd_ratio_of"), "sigma");
  EXPECT_GT(run.at("quantile_error").get<double>(), 0.3);
  EXPECT_GT(run.at("w1").get<double>(),
            0.3); // of mu[1] .4, of mu[2] none, of sigma 1/3: the median
  EXPECT_LT(run.at("w1").get<double>(), 0.4);
  EXPECT_FALSE(run.at("pass").get<bool>());
  EXPECT_TRUE(run.at("wrong").get<bool>());
  EXPECT_EQ(j.at("tally").at(usual_steps_text).at("passes"), 0);
  EXPECT_EQ(j.at("tally").at(usual_steps_text).at("wrong_but_converged"), 1);
}

TEST(BenchPosteriors, CallsARightRunConvergedWhereAColumnHasNoMean) {
  const Place place;
  make_models(place, 0, 1,
              "stan_full"); // tau has no mean there, and is judged by its winsorised value
  succeed(place, quick);
  const Json j = Json::parse(place.read("b.json")).at("posteriors");
  EXPECT_TRUE(j.at("runs").at(0).at("pass").get<bool>());
  EXPECT_EQ(j.at("runs").at(0).at("verdict"), "converged");
  EXPECT_EQ(j.at("tally").at(usual_steps_text).at("right_but_not_converged"), 0);
}

TEST(BenchPosteriors, JudgesByFiguresWhereThereAreNoDraws) {
  const Place place;
  make_models(place);
  fs::remove(place.path("models/small/reference.npz"));
  place.write("models/small/reference.json",
              R"({"names": ["mu[1]", "mu[2]", "sigma", "twin"], "mean": [3, 3, 1, 0],
                  "sd": [1, 1, 1, 1], "q05": [1.355, 1.355, 0.0513, 0],
                  "q50": [3, 3, 0.6931, 0], "q95": [4.645, 4.645, 2.9957, 0],
                  "no_moments": ["sigma"]})");
  const std::string shown = succeed(place, quick);
  const Json run = Json::parse(place.read("b.json")).at("posteriors").at("runs").at(0);
  EXPECT_TRUE(run.at("pass").get<bool>()) << run;
  EXPECT_TRUE(run.at("w1").is_null()) << run;
  EXPECT_LT(run.at("share_error_without_moments").get<double>(), 0.05);
  EXPECT_NE(shown.find("     -      -      - "), shown.npos) << shown;
  EXPECT_NE(shown.find("W1 against independent draws: -; "), shown.npos) << shown;
}

TEST(BenchPosteriors, SaysWhatIsNotThere) {
  const Place place;
  expect_refused(place, "bench posteriors", 64,
                 "models: posteriors needs a folder of them: --models DIR");
  expect_refused(place, "bench posteriors --models models", 66, "models: no such file");
  make_models(place);
  expect_refused(place, quick + " --against stan", 64,
                 "against: must be one of nutpie; got 'stan'");
  expect_refused(place, quick + " --skip small", 64,
                 "models: no posterior found in models with that name");
  expect_refused(place, quick + " --only large", 64,
                 "models: no posterior found in models with that name");
  fs::remove(place.path("models/small/reference.npz"));
  expect_refused(place, quick, 66, "models/small/reference.npz: no such file");
  fs::remove(place.path("models/small/model.so"));
  expect_refused(place, quick, 66, "models/small/model.stan: no such file");
}

TEST(BenchPosteriors, RefusesAReferenceOfAnotherModel) {
  const Place place;
  make_models(place);
  io::NpzWriter out(place.path("models/small/reference.npz"));
  out.add("names", std::vector<std::string>{"nu"});
  out.add("draws", std::vector<double>{1, 2, 3}, {1, 3, 1});
  out.close();
  const Ended ended = place.run(quick);
  EXPECT_EQ(ended.code, 65);
  EXPECT_EQ(
      ended.err,
      "starling: models/small/reference.npz: must have only parameters of the model; got nu\n");
}

/// A python3 that stands for one with nutpie, or without.
Running::Environment with_python(const Place& place, const std::string& script) {
  place.write("bin/python3", "#!/bin/sh\n" + script);
  fs::permissions(place.path("bin/python3"), fs::perms::owner_all);
  return {{"PATH", place.path("bin").string() + ":/usr/bin:/bin"}};
}

TEST(BenchPosteriors, GoesOnWithoutNutpieAndSaysSoOnce) {
  const Place place;
  make_models(place);
  const auto environment = with_python(place, "echo \"No module named 'nutpie'\"; exit 77\n");
  const Ended ended = place.run(quick + " --seeds 2 --against nutpie", environment);
  EXPECT_EQ(ended.code, 0) << ended.err;
  const std::string sentence = "nutpie: python3 on the path cannot run it, so there is no "
                               "comparison: No module named 'nutpie'\n";
  const std::size_t at = ended.out.find(sentence);
  ASSERT_NE(at, ended.out.npos) << ended.out;
  EXPECT_EQ(ended.out.find(sentence, at + 1), ended.out.npos);
  EXPECT_NE(ended.out.find("2 of 2 runs pass"), ended.out.npos);
}

TEST(BenchPosteriors, JudgesNutpieByTheSameFigures) {
  const Place place;
  make_models(place);
  write_draws(place.path("peer.npz"), 0.15);
  const std::string from = place.path("peer.npz").string();
  const auto environment =
      with_python(place, "cp " + from +
                             " \"$6\"; echo a warning\n"
                             "echo '{\"gradients\": 1234, \"seconds\": 0.5}'\n");
  const Ended ended = place.run(quick + " --against nutpie", environment);
  EXPECT_EQ(ended.code, 0) << ended.err;
  const Json j = Json::parse(place.read("b.json")).at("posteriors");
  const Json& run = j.at("runs").at(1);
  EXPECT_EQ(run.at("verdict"), "nutpie");
  EXPECT_NEAR(run.at("mean_error").get<double>(), 0.15,
              1e-3); // the reference's sd is that of 1000 draws
  EXPECT_FALSE(run.at("pass").get<bool>());
  EXPECT_FALSE(run.at("wrong").get<bool>());
  EXPECT_EQ(run.at("gradients"), 1234);
  EXPECT_EQ(j.at("tally").at("nutpie").at("passes"), 0);
  EXPECT_NE(ended.out.find("nutpie: 0 of 1 runs pass; median gradients 1234, seconds 0.50; "),
            ended.out.npos);

  write_draws(place.path("peer.npz"),
              std::numeric_limits<double>::quiet_NaN()); // no number is never right
  EXPECT_EQ(place.run(quick + " --against nutpie", environment).code, 0);
  const Json other = Json::parse(place.read("b.json")).at("posteriors").at("runs").at(1);
  EXPECT_FALSE(other.at("pass").get<bool>());
  EXPECT_TRUE(other.at("wrong").get<bool>());
  EXPECT_EQ(other.at("mean_error_of"), "mu[1]");
}

TEST(BenchShapes, PassesEasyOnesAndTellsHardOnes) {
  const Place place;
  succeed(place, "bench shapes --seeds 2 --particles 256 --json b.json");
  const Json j = Json::parse(place.read("b.json")).at("shapes");
  for (const char* easy :
       {"normal, d = 20", "Student t5, d = 10", "two modes, d = 2", "four modes, d = 2"})
    EXPECT_EQ(j.at("tally").at(easy).at("passes"), 2) << easy;
  for (const auto& [name, tally] : j.at("tally").items())
    EXPECT_EQ(tally.at("wrong_but_converged"), 0) << name;
  for (const Json& run : j.at("runs")) {
    const bool two = run.at("name") == "two modes, d = 2",
               four = run.at("name") == "four modes, d = 2";
    EXPECT_EQ(run.at("modes"), four ? 4 : two ? 2 : 1) << run;
  }
}

TEST(BenchVerdicts, HoldsRunsAndCloudsAgainstExactDraws) {
  const Place place;
  const std::string shown =
      succeed(place, "bench verdicts --seeds 2 --only skew --only box, --json b.json");
  const Json j = Json::parse(place.read("b.json")).at("verdicts");
  EXPECT_EQ(j.at("particles"), 256);
  EXPECT_EQ(j.at("half"), "seen");
  std::size_t runs = 0;
  for (const Json& run : j.at("runs")) {
    EXPECT_EQ(run.at("half"), "seen") << run; // of the boxes that in two dimensions alone
    if (run.at("cloud") != "")
      continue;
    ++runs;
    if (run.at("shape") == "skew normal 5, d = 5") {
      EXPECT_EQ(run.at("verdict"), "converged") << run;
      EXPECT_FALSE(run.at("wrong").get<bool>()) << run;
      EXPECT_TRUE(run.at("bounds_hold").get<bool>()) << run;
      EXPECT_GT(run.at("gradients").get<double>(), 1000) << run;
    }
  }
  EXPECT_EQ(runs, 2 * 3u);
  for (const char* kind : {"scaled up", "scaled down", "shifted", "tail cut"}) {
    EXPECT_GT(j.at("clouds").at(kind).at("wrong"), 0) << kind;
    EXPECT_EQ(j.at("clouds").at(kind).at("wrong_converged"), 0) << kind;
  }
  EXPECT_EQ(j.at("goals").at("wrong_and_converged").at("runs"), 2 * 3);
  EXPECT_NE(shown.find("wrong and converged"), shown.npos);
  expect_refused(place, "bench verdicts --half unseen", 64,
                 "half: must be one of seen, held-back, all; got 'unseen'; did you mean 'seen'?");
}

} // namespace
} // namespace starling::cli
