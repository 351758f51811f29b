// The experiment on Lemma 1, quick: claims, and the control that must be rejected.
#include "reproduce/measured.hpp"

namespace starling::reproduce {
namespace {

TEST(LemmaExperiment, HoldsInEveryClaim) { expect_all_hold(quick(measure_lemma)); }

TEST(LemmaExperiment, EnumeratesEveryOrderOfSixAndSevenForBothForces) {
  const Json rows = quick(measure_lemma).at("data").at("enumeration");
  ASSERT_EQ(rows.size(), 8u);
  for (const Json& row : rows) {
    EXPECT_EQ(row.at("orders"), row.at("particles") == 6 ? 720 : 5040);
    EXPECT_NEAR(row.at("variance_ratio").get<double>(), 1, 1e-11);
  }
}

TEST(LemmaExperiment, SeesTheBatchMeanOffInEverySize) {
  const Json control = quick(measure_lemma).at("data").at("negative_control");
  for (const Json& row : control.at("enumeration"))
    EXPECT_GT(row.at("bias").get<double>(), 0.01 * row.at("scale").get<double>());
  for (const Json& row : control.at("sampling"))
    EXPECT_GT(std::abs(row.at("mean_deviation_se").get<double>()), 4) << row.dump();
}

} // namespace
} // namespace starling::reproduce
