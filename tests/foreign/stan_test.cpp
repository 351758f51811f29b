// Stan models: densities, starts, constraints, and failures that a run survives.
#include "foreign/libraries.hpp"

#include "cli/command.hpp"
#include "foreign/stan.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace starling::foreign {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(StanModel, HasTheNamesOfItsParametersInBrackets) {
  const StanModel model(library("stan_bare"), "", 1, Threads::alone());
  EXPECT_EQ(model.dim(), 3u);
  EXPECT_THAT(model.names(), ElementsAre("mu[1]", "mu[2]", "sigma"));
  EXPECT_THAT(model.constrained_names(), ElementsAre("mu[1]", "mu[2]", "sigma", "tau", "z"));
}

TEST(StanModel, GivesTheDensityOfPositionsWithTheJacobianOnAnyNumberOfThreads) {
  const cli::Place place;
  place.write("d.json", R"({"y": 2.5})");
  for (const char* name : {"stan_bare", "stan_full"})
    for (const std::size_t count : {1, 3}) {
      Threads threads(count);
      StanModel model(library(name), place.path("d.json"), 1, threads);
      Cloud cloud(200, 3);
      model.evaluate(0, cloud.rows, cloud.scores, cloud.density);
      for (std::size_t i = 0; i < 200; ++i) {
        const auto x = cloud.rows[i], s = cloud.scores[i];
        const double a = 2.5 - x[0], b = 2.5 - x[1];
        EXPECT_DOUBLE_EQ(s[0], a);
        EXPECT_DOUBLE_EQ(s[1], b);
        EXPECT_DOUBLE_EQ(s[2], 1 - std::exp(x[2]));
        EXPECT_NEAR(cloud.density[i], -a * a / 2 - b * b / 2 + x[2] - std::exp(x[2]), 1e-12);
      }
    }
}

TEST(StanModel, CompiledWithoutThreadsIsCalledFromOneAndSaysSo) {
  Threads four(4);
  StanModel model(library("stan_bare"), "", 1, four);
  Cloud cloud(500, 3);
  model.start(cloud.rows);
  model.evaluate(0, cloud.rows, cloud.scores, cloud.density);
  EXPECT_EQ(ask<int>("stan_bare", "other_thread_seen"), 0);
  EXPECT_THAT(model.warnings(),
              ElementsAre("model " + library("stan_bare") +
                          " was compiled without STAN_THREADS=true: its gradients run on one "
                          "thread"));
  EXPECT_THAT(StanModel(library("stan_bare"), "", 1, Threads::alone()).warnings(), IsEmpty());
  EXPECT_THAT(StanModel(library("stan_full"), "", 1, four).warnings(), IsEmpty());
}

TEST(StanModel, StartsByItsOwnMeansWhereItHasThem) {
  StanModel model(library("stan_full"), "", 5, Threads::alone());
  Cloud cloud(50, 3), again(80, 3);
  model.start(cloud.rows);
  model.start(again.rows);
  double largest = 0;
  for (const double x : cloud.x)
    largest = std::max(largest, std::abs(x));
  EXPECT_LT(largest, 0.1); // as the model in small has it
  EXPECT_GT(largest, 0.05);
  EXPECT_TRUE(std::equal(cloud.x.begin(), cloud.x.end(), again.x.begin())); // whatever N is
}

TEST(StanModel, ElseStartsUniformlyOnTheSquareOfStan) {
  StanModel model(library("stan_bare"), "", 5, Threads::alone());
  Cloud cloud(400, 3), same(400, 3);
  model.start(cloud.rows);
  start_uniform(same.rows, 5, -2, 2);
  for (std::size_t n = 0; n < cloud.x.size(); ++n)
    EXPECT_EQ(cloud.x[n], same.x[n]);
}

TEST(StanModel, DrawsAStartAnewUntilTheDensityIsFinite) {
  for (const char* name : {"stan_fails", "stan_not_a_number"}) {
    StanModel model(library(name), "", 5, Threads::alone());
    Cloud cloud(400, 3), drawn_once(400, 3);
    model.start(cloud.rows);
    start_uniform(drawn_once.rows, 5, -2, 2);
    std::size_t anew = 0;
    for (std::size_t i = 0; i < 400; ++i) {
      EXPECT_LE(cloud.rows[i][0], 1);
      anew += drawn_once.rows[i][0] > 1;
      if (drawn_once.rows[i][0] <= 1) {
        EXPECT_EQ(cloud.rows[i][0], drawn_once.rows[i][0]);
      }
    }
    EXPECT_GT(anew, 50u);
    EXPECT_THAT(model.warnings(), IsEmpty());
  }
  StanModel nowhere(library("stan_nowhere"), "", 5, Threads::alone());
  Cloud cloud(4, 3);
  EXPECT_EQ(
      thrown_by<TargetError>([&] { nowhere.start(cloud.rows); }),
      "target: failed at step 0, particle 0: no place to start was found: Exception: nowhere");
}

TEST(StanModel, ThatFailsSomewhereGetsScoreZeroThereAndTheFailuresAreCounted) {
  Threads threads(3);
  StanModel model(library("stan_fails"), "", 1, threads);
  Cloud cloud(300, 3);
  model.evaluate(0, cloud.rows, cloud.scores, cloud.density);
  std::size_t failed = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    if (cloud.rows[i][0] <= 1) {
      EXPECT_EQ(cloud.scores[i][0], -cloud.rows[i][0]);
      continue;
    }
    ++failed;
    EXPECT_THAT(cloud.score_of(i), ElementsAre(0, 0, 0));
    EXPECT_EQ(cloud.density[i], -INFINITY);
  }
  ASSERT_GT(failed, 20u);
  EXPECT_THAT(model.warnings(),
              ElementsAre("the gradient failed " + std::to_string(failed) +
                          " times, its score was set to zero: Exception: mu[1] is too large"));
  EXPECT_EQ(ask<int>("stan_fails", "messages_alive"), 0); // all texts were given back
}

TEST(StanModel, CountsAGradientThatIsNotFiniteAsAFailure) {
  StanModel model(library("stan_not_a_number"), "", 1, Threads::alone());
  Cloud cloud(2, 3);
  cloud.rows[0][0] = 2;
  cloud.rows[1][0] = 0;
  model.evaluate(0, cloud.rows, cloud.scores, cloud.density);
  EXPECT_THAT(cloud.score_of(0), ElementsAre(0, 0, 0));
  EXPECT_THAT(model.warnings(), ElementsAre("the gradient failed once, its score was set to zero: "
                                            "the log density or its gradient is not finite"));
}

TEST(StanModel, ConstrainsPositionsAndDrawsQuantitiesFromTheSeed) {
  Cloud cloud(30, 3);
  const auto constrained = [&](std::uint64_t seed) {
    return StanModel(library("stan_full"), "", seed, Threads::alone()).constrain(cloud.rows);
  };
  const auto values = constrained(3);
  ASSERT_EQ(values.size(), 150u);
  for (std::size_t i = 0; i < 30; ++i) {
    const auto x = cloud.rows[i];
    const double* row = &values[5 * i];
    EXPECT_EQ(row[0], x[0]);
    EXPECT_EQ(row[1], x[1]);
    EXPECT_DOUBLE_EQ(row[2], std::exp(x[2]));
    EXPECT_DOUBLE_EQ(row[3], std::exp(-2 * x[2]));
  }
  EXPECT_EQ(values, constrained(3));
  EXPECT_NE(values, constrained(4));
  EXPECT_NE(values, constrained(3 + (std::uint64_t{1} << 32))); // all 64 bits of a seed count
}

TEST(StanModel, MarksDrawsThatCannotBeConstrained) {
  StanModel model(library("stan_fails"), "", 1, Threads::alone());
  Cloud cloud(2, 3);
  cloud.rows[0][0] = 0;
  cloud.rows[1][0] = 2;
  const auto values = model.constrain(cloud.rows);
  for (std::size_t c = 0; c < 5; ++c) {
    EXPECT_FALSE(std::isnan(values[c]));
    EXPECT_TRUE(std::isnan(values[5 + c]));
  }
  EXPECT_THAT(model.warnings(), ElementsAre("constraining a draw failed once, it is nan in the "
                                            "results: Exception: z: mu[1] is too large"));
}

TEST(StanModel, FindsThePositionOfParameters) {
  const StanModel model(library("stan_full"), "", 1, Threads::alone());
  EXPECT_THAT(model.parameter_names(), ElementsAre("mu[1]", "mu[2]", "sigma"));
  const std::vector<double> parameters = {1.5, -2, std::exp(0.25)};
  std::vector<double> x(3);
  EXPECT_EQ(model.unconstrain(parameters, x), "");
  EXPECT_THAT(x, ElementsAre(1.5, -2, testing::DoubleEq(0.25)));
  EXPECT_EQ(model.unconstrain(std::vector<double>{0, 0, -1}, x),
            "Exception: sigma is negative, but must be positive");
  EXPECT_EQ(model.unconstrain(std::vector<double>{0, 0, 0}, x), "a position that is not finite");
  EXPECT_EQ(model.unconstrain(std::vector<double>{NAN, 0, 1}, x), "a position that is not finite");
  const std::string bare = library("stan_bare");
  EXPECT_EQ(thrown_by<BadLibrary>(
                [&] { StanModel(bare, "", 1, Threads::alone()).unconstrain(parameters, x); }),
            bare +
                ": must export bs_param_unconstrain to start from draws; got a library without it");
}

TEST(StanModel, NamesTheUsersFilesAndNotThoseOfTheCache) {
  const std::string file = library("stan_full");
  EXPECT_TRUE(thrown_by<BadLibrary>([&] {
                StanModel(file, "/cache/data.json", 1, Threads::alone(), 1, {"m.stan", "d.json"});
              }).starts_with("d.json: construct() failed"));
  EXPECT_TRUE(thrown_by<BadLibrary>([&] {
                StanModel(file, "/cache/data.json", 1, Threads::alone(), 1, {"m.stan", ""});
              }).starts_with("m.stan: construct() failed"));
}

TEST(StanModel, ThatCannotBeUsedIsRefusedWithTheReason) {
  const auto refusal = [](const std::string& file, const std::string& data = "") {
    return thrown_by<BadLibrary>([&] { StanModel(file, data, 1, Threads::alone()); });
  };
  std::string file = library("stan_no_constrain");
  EXPECT_EQ(refusal(file), file + ": must export bs_param_constrain; got a library without it");
  file = library("plugin_all");
  EXPECT_EQ(refusal(file), file + ": must export bs_model_construct; got a library without it");
  file = library("stan_no_parameters");
  EXPECT_EQ(refusal(file), file + ": is a model without parameters: there is nothing to sample");
  file = library("stan_miscounts");
  EXPECT_EQ(refusal(file), file + ": is a model that does not name each of its parameters");
  const cli::Place place;
  place.write("d.json", R"({"y": [})");
  const std::string data = place.path("d.json");
  EXPECT_EQ(refusal(library("stan_full"), data),
            data + ": construct() failed with exception: Error in JSON parsing at offset 0");
  place.write("d.json", "\n"); // which the small model takes for data without y
  EXPECT_EQ(refusal(library("stan_full"), data),
            data + ": must have every variable of the program's data block; got no y");
}

TEST(Failures, AreCountedByReasonInTheOrderOfRowsUpToTen) {
  Failures failures("it", "so what");
  failures.note(5, "later");
  failures.note(2, "first");
  failures.note(9, "later");
  failures.settle();
  EXPECT_THAT(failures.lines(),
              ElementsAre("it failed once, so what: first", "it failed 2 times, so what: later"));
  for (int n = 0; n < 11; ++n)
    failures.note(static_cast<std::size_t>(n), "reason " + std::to_string(n));
  failures.settle();
  ASSERT_EQ(failures.lines().size(), 11u);
  EXPECT_EQ(failures.lines().back(), "it failed 3 times for other reasons, so what");
}

} // namespace
} // namespace starling::foreign
