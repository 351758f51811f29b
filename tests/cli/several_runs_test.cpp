// starling summary of draws alone, and of several runs: R-hat between them.
#include "results.hpp"

#include "io/stan_csv.hpp"

#include <starling/judge/rhat.hpp>

#include <limits>

namespace starling::cli {
namespace {

using judge::r_hat;
using Runs = std::vector<std::vector<double>>;

TEST(RHat, IsTheTotalSpreadOverTheSpreadWithin) {
  // Means 2 and 4, variances 1 and 1, three draws: B/n = 2, W = 1, so sqrt(2/3 + 2).
  EXPECT_DOUBLE_EQ(r_hat(Runs{{1, 2, 3}, {3, 4, 5}}), std::sqrt(2.0 / 3 + 2));
  EXPECT_DOUBLE_EQ(r_hat(Runs{{1, 2, 3}, {3, 1, 2}}), std::sqrt(2.0 / 3)); // the same clouds
}

TEST(RHat, HasNoValueWhereThereIsNothingToCompare) {
  EXPECT_TRUE(std::isnan(r_hat(Runs{})));
  EXPECT_TRUE(std::isnan(r_hat(Runs{{1, 2, 3}})));
  EXPECT_TRUE(std::isnan(r_hat(Runs{{1}, {2}})));
  EXPECT_TRUE(std::isnan(r_hat(Runs{{1, 1}, {1, 1}})));
  EXPECT_EQ(r_hat(Runs{{1, 1}, {2, 2}}), std::numeric_limits<double>::infinity());
}

TEST(RHat, LeavesOutWhatIsNotANumber) {
  EXPECT_DOUBLE_EQ(r_hat(Runs{{1, NAN, 2, 3}, {3, 4, 5, NAN}}), r_hat(Runs{{1, 2, 3}, {3, 4, 5}}));
}

constexpr const char* first = "lp__,a,c\n-1,1,7\n-1,2,7\n-1,3,7\n";
constexpr const char* second = "lp__,a,c\n-1,3,7\n-1,4,7\n-1,5,7\n";

// The seed in a file is that of its own run: alone, it gives the same draws.
TEST(SeveralRuns, CarryTheSeedOfTheirOwn) {
  const Place place;
  succeed(place, "sample normal --particles 30 --steps 20 --runs 3 --quiet --out out/all");
  const auto seed_in = [&](const std::string& file) {
    const std::string text = place.read(file);
    const std::size_t at = text.find("seed = ") + 7;
    return text.substr(at, text.find_first_not_of("0123456789", at) - at);
  };
  EXPECT_EQ(seed_in("out/all/draws-1.csv"), "1");
  const std::string third = seed_in("out/all/draws-3.csv");
  EXPECT_NE(third, "1");
  EXPECT_NE(third, seed_in("out/all/draws-2.csv"));
  succeed(place, "sample normal --particles 30 --steps 20 --quiet --out out/third --seed " + third);
  EXPECT_EQ(io::read_stan_csv(place.path("out/third/draws.csv")).values,
            io::read_stan_csv(place.path("out/all/draws-3.csv")).values);
}

TEST(Summary, OfSeveralRunsComparesThem) {
  const Place place;
  place.write("runs/draws-1.csv", first);
  place.write("runs/draws-2.csv", second);
  succeed(place, "convert runs d.npz");
  succeed(place, "convert runs d.zarr");
  const std::string json = succeed(place, "summary runs --json");
  const Json j = Json::parse(json);
  EXPECT_EQ(j.at("draws"), 6);
  ASSERT_EQ(j.at("runs").size(), 2u);
  EXPECT_EQ(j.at("runs")[1], (Json{{"run", 2}, {"draws", 3}}));
  const Json& a = j.at("parameters")[1];
  EXPECT_EQ(a.at("name"), "a");
  EXPECT_EQ(a.at("mean"), 3);
  EXPECT_DOUBLE_EQ(a.at("r_hat").get<double>(), std::sqrt(2.0 / 3 + 2));
  EXPECT_TRUE(j.at("parameters")[2].at("r_hat").is_null());
  const std::string table = succeed(place, "summary runs");
  const auto lines = lines_of(table);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_TRUE(lines[0].ends_with("      R-hat")) << lines[0];
  EXPECT_TRUE(lines[2].ends_with("      1.633")) << lines[2];
  EXPECT_TRUE(lines[3].ends_with("          -")) << lines[3];
  EXPECT_EQ(lines[4],
            "R-hat compares the 2 runs with each other; the particles of a run have no order");
  for (const char* file : {"d.npz", "d.zarr"}) {
    EXPECT_EQ(succeed(place, std::string("summary --json ") + file), json) << file;
    EXPECT_EQ(succeed(place, std::string("summary ") + file), table) << file;
  }
}

TEST(Summary, OfOneRunIsTheSameFromEveryKindOfFile) {
  const Place place;
  place.write("one/draws.csv", first);
  succeed(place, "convert one d.npz");
  succeed(place, "convert one d.zarr");
  const std::string table = succeed(place, "summary one/draws.csv");
  EXPECT_EQ(table.find("R-hat"), std::string::npos);
  for (const char* path : {"one", "d.npz", "d.zarr"})
    EXPECT_EQ(succeed(place, std::string("summary ") + path), table) << path;
}

} // namespace
} // namespace starling::cli
