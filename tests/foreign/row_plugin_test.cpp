// Plugins that score given rows: what they end with, against all rows; and what is said of those
// that do not sum.
#include "foreign/libraries.hpp"

#include "cli/results.hpp"
#include "foreign/plugin.hpp"

#include <cmath>
#include <cstdlib>

namespace starling::foreign {
namespace {

using namespace cli;

struct Moments {
  double mean, sd;
};

Moments moments_of(const Place& place, const std::string& folder, std::size_t a) {
  const Json parameter = summary_of(place, folder).at("parameters").at(a);
  return {parameter.at("mean").get<double>(), parameter.at("sd").get<double>()};
}

TEST(RowPlugin, EndsWhereAllRowsLead) {
  const Place place;
  const std::string run =
      "sample plugin " + library("plugin_rows_example") + " --particles 256 --quiet ";
  succeed(place, "check plugin " + library("plugin_rows_example"));
  succeed(place, run + "--out few");
  succeed(place, run + "--method auto --data-batch 50000 --certify none --exact none --out all");
  const Json few = summary_of(place, "few");
  EXPECT_EQ(few.at("rows").at("data"), 50'000);
  EXPECT_EQ(few.at("rows").at("a_step"), 1000);
  EXPECT_LT(few.at("rows").at("read").at("fly").get<double>(),
            10 * 50'000); // 200 steps of all would be 200 passes
  EXPECT_EQ(few.at("verdict"), "converged");
  EXPECT_EQ(few.at("certificate").at("finding"), "confirmed");
  EXPECT_FALSE(summary_of(place, "all").contains("rows"));
  for (std::size_t a = 0; a < 2; ++a) {
    const Moments one = moments_of(place, "few", a), other = moments_of(place, "all", a);
    // 256 particles that repel each other; independent ones would be off by 1/16 and 1/23 each.
    EXPECT_NEAR(one.mean, other.mean, .15 * other.sd) << a;
    EXPECT_NEAR(one.sd / other.sd, 1, .12) << a;
  }
}

TEST(RowPlugin, EndsAtThePosteriorThatIsKnown) { // 30,000 rows, sd 1 each, flat prior; of half of
                                                 // them it would be 1.41
  const Place place;
  succeed(place, "sample plugin " + library("row_plugin") +
                     " --certify none --exact none --particles 128 --quiet --out known");
  double mean = 0;
  for (std::uint32_t r = 0; r < 30'000; ++r)
    mean += (1 + std::sin(12.9898 * r) * std::sqrt(2.0)) / 30'000;
  const Moments found = moments_of(place, "known", 0);
  EXPECT_NEAR(found.sd * std::sqrt(30'000.0), 1, .1);
  EXPECT_NEAR((found.mean - mean) * std::sqrt(30'000.0), 0, .1);
}

TEST(RowPlugin, RepeatsFromItsConfigAndReadsRowsInMiniBatchesInTheRawMethod) {
  const Place place;
  const std::string run = "sample plugin " + library("row_plugin") + " --particles 32 --quiet ";
  succeed(place, run + "--certify 4 --exact none --threads 1 --out first");
  succeed(place, "sample --config first/config.toml --trust --threads 3 --quiet --out second");
  EXPECT_EQ(draws_csv_of(place, "first"), draws_csv_of(place, "second"));
  succeed(place, run + "--steps 20 --data-batch 50 --out raw");
  succeed(place, run + "--steps 20 --data-batch 60 --out other");
  EXPECT_NE(draws_csv_of(place, "raw"), draws_csv_of(place, "other"));
  expect_refused(
      place, "sample plugin " + library("row_plugin") + " --steps 5 --data-batch 30001 --out more",
      usage, "data_batch: must be at most the 30000 rows; got 30001");
  expect_refused(place,
                 "sample plugin " + library("plugin_all") + " --steps 5 --data-batch 10 --out none",
                 usage,
                 "data-batch: " + library("plugin_all") +
                     " cannot score rows: it does not export starling_log_likelihood_rows");
}

std::string refusal_of_rows(const std::string& name) {
  const Place place;
  const Ended ended =
      place.run("sample plugin " + library(name) + " --particles 16 --quiet --out out");
  EXPECT_EQ(ended.code, bad_data) << name;
  return ended.err;
}

TEST(RowPlugin, ThatDoesNotSumByWeightsIsRefused) {
  EXPECT_NE(refusal_of_rows("row_plugin_no_weights")
                .find("likelihood: must be a weighted sum over the rows"),
            std::string::npos);
  EXPECT_NE(
      refusal_of_rows("row_plugin_a_mean").find("likelihood: must be a sum over the given rows"),
      std::string::npos);
  EXPECT_NE(refusal_of_rows("row_plugin_empty").find("starling_rows: must be at least 1; got 0"),
            std::string::npos);
  const std::string half =
      "must export starling_rows and starling_log_likelihood_rows, or neither; got one of them";
  EXPECT_NE(refusal_of_rows("row_plugin_no_rows").find(half), std::string::npos);
  EXPECT_NE(
      refusal_of_rows("row_plugin_no_likelihood").find("must export starling_log_density_all"),
      std::string::npos);
}

TEST(RowPlugin, ThatFailsSaysSo) {
  Plugin plugin(library("row_plugin_fails"), "", Threads::alone());
  Cloud cloud(4, 1, 0.1);
  cloud.rows[2][0] = 4;
  const std::vector<std::uint32_t> rows = {0, 1};
  const std::vector<double> weights = {1, 1};
  EXPECT_NE(thrown_by<TargetError>([&] {
              plugin.likelihood(cloud.rows, rows, weights, cloud.scores, cloud.density);
            }).find("the plugin returned 5"),
            std::string::npos);
}

/// One of its functions throws while this lives.
struct Throws {
  explicit Throws(const char* where) { ::setenv("THROW_IN", where, 1); }
  ~Throws() { ::unsetenv("THROW_IN"); }
};

TEST(RowPlugin, ThatThrowsIsAFailureOfTheTargetWhicheverFunctionItIs) {
  Plugin plugin(library("row_throws"), "", Threads::alone());
  Cloud cloud(4, 1, 0.1);
  const std::vector<std::uint32_t> rows = {0, 1};
  const std::vector<double> weights = {1, 1};
  const std::string words = "the plugin threw: no rows today";
  const auto said = [&](const char* where, auto&& call) {
    const Throws throws(where);
    EXPECT_NE(thrown_by<TargetError>(call).find(words), std::string::npos) << where;
  };
  said("likelihood",
       [&] { plugin.likelihood(cloud.rows, rows, weights, cloud.scores, cloud.density); });
  said("prior", [&] { plugin.prior(cloud.rows, cloud.scores, cloud.density); });
  std::vector<double> scores(2);
  said("row_scores", [&] { plugin.row_scores(rows, cloud.rows[0], {scores.data(), 2, 1}); });
  const Throws in_error("error"); // its own words are lost, and nothing else
  ::setenv("FAIL", "1", 1);
  EXPECT_NE(thrown_by<TargetError>([&] {
              plugin.likelihood(cloud.rows, rows, weights, cloud.scores, cloud.density);
            }).find("the plugin returned 3"),
            std::string::npos);
  ::unsetenv("FAIL");
}

TEST(RowPlugin, ThatThrowsWhileItIsOpenedIsRefused) {
  const std::string file = library("row_throws");
  for (const char* function : {"open", "dim", "rows", "name"}) {
    const Throws throws(function);
    EXPECT_EQ(thrown_by<BadLibrary>([&] { Plugin(file, "", Threads::alone()); }),
              file + ": starling_" + function + ": the plugin threw: no rows today");
  }
}

} // namespace
} // namespace starling::foreign
