// Every kernel, step rule, dealer, domain and start the command line offers does something of its
// own.
#include "results.hpp"

#include <algorithm>
#include <set>

namespace starling::cli {
namespace {

using Values = std::vector<double>;

Values run(const Place& place, const std::string& line) {
  static int count = 0;
  const std::string out = "out/" + std::to_string(count++);
  succeed(place, "sample " + line + " --quiet --out " + out);
  const Values values = draws_of(place, out).values;
  for (const double value : values)
    EXPECT_TRUE(std::isfinite(value)) << line;
  return values;
}

/// The column of a trace, as numbers.
Values traced(const Place& place, const std::string& folder, const std::string& column) {
  const auto rows = lines_of(place.read(folder + "/trace.csv"));
  const auto fields = [](std::string row) {
    std::replace(row.begin(), row.end(), ',', ' ');
    return words(row);
  };
  const auto titles = fields(rows.at(0));
  const auto at = static_cast<std::size_t>(std::ranges::find(titles, column) - titles.begin());
  Values values;
  for (std::size_t row = 1; row < rows.size(); ++row)
    values.push_back(std::stod(fields(rows[row]).at(at)));
  return values;
}

TEST(Choices, EveryDealerMovesParticlesItsOwnWay) {
  const std::string line = "banana --particles 24 --steps 5 --batch 2";
  const Place place;
  std::set<Values> seen;
  for (const char* choice :
       {"--deal shuffle", "--deal matching", "--replace", "--grow-batch double:2"})
    EXPECT_TRUE(seen.insert(run(place, line + " " + choice)).second) << choice;
  EXPECT_EQ(run(place, line), run(place, line + " --deal matching"));
}

TEST(Choices, MeansMayBeginWithAMinusSign) {
  const Place place;
  EXPECT_EQ(run(place, "mixture --means -2;2 --particles 8 --steps 3"),
            run(place, "mixture --means=-2;2 --particles 8 --steps 3"));
}

TEST(Choices, SplittingRunsAtTwoAndKeepsSingularPairsApart) {
  const Place place;
  Values x =
      run(place, "mixture --particles 64 --batch 2 --steps 200 --kernel riesz --step-size 0.05 "
                 "--advance splitting");
  std::sort(x.begin(), x.end());
  EXPECT_GT(x.back() - x.front(), 3); // a cloud, not a point: both modes of the mixture
}

TEST(Choices, OneBatchOfAllIsSvgd) {
  const Place place;
  const std::string line = "banana --particles 30 --steps 20 --bandwidth 1 --batch ";
  const Values all = run(place, line + "all"), thirty = run(place, line + "30");
  ASSERT_EQ(all.size(), thirty.size());
  for (std::size_t i = 0; i < all.size(); ++i) // equal but for the order in which terms are added
    EXPECT_NEAR(all[i], thirty[i], 1e-9);
  const Values ten = run(place, line + "10");
  EXPECT_GT(std::abs(all[0] - ten[0]), 1e-6);
}

TEST(Choices, OneParticleClimbsToTheMode) {
  const Place place;
  const std::string climb = " --particles 1 --advance constant --step-size 0.1 --steps 1000 ";
  for (const double value : run(place, "normal --dim 3 --correlation 0.5" + climb))
    EXPECT_NEAR(value, 0, 1e-9);
  succeed(place, "sample mixture" + climb + "--start normal:1,0 --quiet --out out/map");
  // Where x = 2 - 4 r, r the share of the far component: r = exp(-8)/2 to first order.
  EXPECT_NEAR(draws_of(place, "out/map").values.at(0), 2 - 2 * std::exp(-8.0), 1e-5);
  const Json s = summary_of(place, "out/map");
  EXPECT_EQ(s.at("verdict"), "converged");
  EXPECT_EQ(s.at("batch"), "all");
  EXPECT_TRUE(s.at("parameters")[0].at("spread_identity").is_null());
}

TEST(Choices, ReplaceTakesDrawsForAsManySweeps) {
  const Place place;
  succeed(place,
          "sample mixture --particles 64 --batch 4 --steps 10 --replace --quiet --out out/m");
  EXPECT_EQ(traced(place, "out/m", "step").back(), 160); // 10 sweeps of 64/4 draws
  EXPECT_NEAR(traced(place, "out/m", "sweeps").back(), 10, 1e-9);
  const Values with = draws_of(place, "out/m").values;
  EXPECT_NE(with, run(place, "mixture --particles 64 --batch 4 --steps 10"));
}

TEST(Choices, BatchesGrowAsTheRuleSays) {
  const Place place;
  const std::string line = "sample mixture --particles 64 --batch 4 --steps 500 --quiet ";
  const auto first_four = [&](const std::string& folder) { // after 0, 20, 40, 60 steps
    const Values all = traced(place, folder, "batch");
    return Values(all.begin(), all.begin() + 4);
  };
  succeed(place, line + "--grow-batch double:10 --out out/double");
  EXPECT_EQ(first_four("out/double"), (Values{4, 16, 64, 64}));
  succeed(place, line + "--grow-batch power:0.5 --out out/power");
  EXPECT_EQ(first_four("out/power"),
            (Values{4, 16, 32, 32})); // 4 sqrt(1 + k), and 64 in equal parts
}

TEST(Choices, ParticlesStayOnTheTorus) {
  const Place place;
  const std::string line = "sample mixture --particles 64 --steps 20 --start normal:0,5 --out ";
  succeed(place, line + "out/m --quiet --domain torus:3");
  for (const double value : draws_of(place, "out/m").values) {
    EXPECT_GE(value, 0);
    EXPECT_LT(value, 3);
  }
  const Json s = summary_of(place, "out/m");
  EXPECT_TRUE(s.at("parameters")[0].at("spread_identity").is_null());
  EXPECT_EQ(s.at("warnings").size(), 1u);
  succeed(place, line + "out/n --quiet");
  const auto free = draws_of(place, "out/n").values;
  EXPECT_LT(*std::min_element(free.begin(), free.end()), 0);
}

TEST(Choices, SinglePrecisionIsSingleAndClose) {
  const Place place;
  const std::string line = "banana --particles 30 --batch all --steps 3 --bandwidth 1";
  const Values twice = run(place, line), once = run(place, line + " --precision single");
  ASSERT_EQ(twice.size(), once.size());
  double apart = 0;
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i], static_cast<double>(static_cast<float>(once[i])));
    EXPECT_NEAR(once[i], twice[i], 1e-4);
    apart = std::max(apart, std::abs(once[i] - twice[i]));
  }
  EXPECT_GT(apart, 0);
}

TEST(Choices, StartsWhereItIsTold) {
  const Place place;
  place.write("d.csv", SmallData().text(40));
  const std::string none = " --particles 1000 --steps 0 --start ";
  for (const double value : run(place, "banana" + none + "uniform:-3,-2")) {
    EXPECT_GE(value, -3);
    EXPECT_LT(value, -2);
  }
  double sum = 0;
  for (const double value : run(place, "mixture" + none + "normal:-10,1"))
    sum += value;
  EXPECT_NEAR(sum / 1000, -10, 4 / std::sqrt(1000.0)); // four standard errors
  // The prior: alpha from Gamma(1, scale 0.01), so the mean of log alpha is log 0.01 minus Euler's
  // constant, with standard deviation pi / sqrt(6).
  const Values prior = run(place, "logistic --data d.csv" + none + "prior");
  ASSERT_EQ(prior.size(), 4000u); // two features, the constant, log alpha
  sum = 0;
  for (std::size_t i = 3; i < prior.size(); i += 4)
    sum += prior[i];
  EXPECT_NEAR(sum / 1000, std::log(0.01) - 0.5772, 4 * 1.2825 / std::sqrt(1000.0));
}

TEST(Choices, StartsFromAFile) {
  const Place place;
  const Values points = {1, -1, 0.5, 2, 0, 3};
  io::write_npy(place.path("s.npy"), {{3, 2}, points});
  EXPECT_EQ(run(place, "banana --particles 3 --steps 0 --start s.npy"), points);
}

} // namespace
} // namespace starling::cli
