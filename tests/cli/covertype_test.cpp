// The paper's second experiment in small, on the real data where it is at hand.
#include "results.hpp"

namespace starling::cli {
namespace {

TEST(Covertype, ThreeHundredStepsBeatTheGuess) {
  const fs::path data = fs::path(STARLING_SHARED_DATA) / "covtype.csv.xz";
  if (!fs::exists(data))
    GTEST_SKIP() << "no data at " << data;
  const Place place;
  const std::string line =
      "sample logistic --label Cover_Type --positive 2 --holdout 0.2 --particles 64 "
      "--batch 8 --steps 300 --start prior --step-size 0.05 --bandwidth 256 "
      "--data-batch 100 --quiet --out out/c --data ";
  succeed(place, line + fs::canonical(data).string());
  const Json s = summary_of(place, "out/c");
  EXPECT_EQ(s.at("dim"), 56);
  EXPECT_GT(s.at("test_accuracy").get<double>(), 0.6); // always saying "class 1" gives 0.51
  EXPECT_GT(s.at("test_log_likelihood").get<double>(), std::log(0.5));
}

} // namespace
} // namespace starling::cli
