// What runs are held against: draws or figures, and what of the figures counts.
#include "bench_reference.hpp"

#include "io/errors.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>

namespace starling::tool {
namespace {

namespace fs = std::filesystem;

/// A folder with a reference.json of three columns, the last of which has no moments; gone at the
/// end.
class FiguresInAFile : public testing::Test {
protected:
  FiguresInAFile() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder = fs::path(testing::TempDir()) / (std::string("starling_") + test->name());
    fs::create_directories(folder);
    json = {{"names", {"a", "b", "t"}}, {"mean", {0, 5, 100}},
            {"sd", {1, 2, 1e6}},        {"q05", {-1.645, 1.71, -1.645}},
            {"q50", {0, 5, 0}},         {"q95", {1.645, 8.29, 1.645}},
            {"no_moments", {"t"}}};
  }
  ~FiguresInAFile() override { fs::remove_all(folder); }

  Reference read() const {
    std::ofstream(folder / "reference.json") << json;
    return read_reference(reference_in(folder), 1000);
  }

  /// Rows of a, b and t at even quantiles of their normals, b moved by this many of its sds and
  /// stretched, t stretched.
  Errors errors(double moved = 0, double b_stretched = 1, double t_stretched = 1,
                const std::vector<std::string>& names = {"a", "b", "t"}) const {
    std::vector<double> draws;
    constexpr int count = 2001;
    for (int i = 0; i < count; ++i) {
      const double z = normal((i + 0.5) / count);
      draws.insert(draws.end(), {z, 5 + 2 * (moved + b_stretched * z), t_stretched * z});
    }
    return errors_against(read(), names, draws);
  }

  fs::path folder;
  nlohmann::json json;

private:
  /// The place below which a standard normal has q.
  static double normal(double q) {
    double low = -9, high = 9;
    for (int k = 0; k < 60; ++k)
      (0.5 * std::erfc(-(low + high) / 2 / std::sqrt(2.0)) < q ? low : high) = (low + high) / 2;
    return low;
  }
};

TEST_F(FiguresInAFile, PassWhereMeansAndSdsAgree) {
  const Errors e = errors();
  EXPECT_TRUE(e.pass());
  EXPECT_NEAR(e.mean, 0, 1e-6);
  EXPECT_NEAR(e.sd_low, 1, 0.01);
  EXPECT_LT(e.quantile, 0.01);
  EXPECT_FALSE(e.has_w1());
}

TEST_F(FiguresInAFile, FailByAMeanOrAnSdThatIsOff) {
  const Errors moved = errors(0.15);
  EXPECT_NEAR(moved.mean, 0.15, 1e-3);
  EXPECT_EQ(moved.mean_of, "b");
  EXPECT_FALSE(moved.pass());
  EXPECT_FALSE(moved.wrong());
  EXPECT_TRUE(errors(0.25).wrong());
  const Errors wide = errors(0, 1.15);
  EXPECT_EQ(wide.sd_of, "b");
  EXPECT_FALSE(wide.pass());
  EXPECT_FALSE(wide.wrong());
}

TEST_F(FiguresInAFile, JudgeAColumnWithoutMomentsByItsQuantilesAlone) {
  EXPECT_TRUE(errors(0, 1, 1.1).pass()); // Phi(1.645 / 1.1) = .933
  const Errors off = errors(0, 1, 1.4);  // .880
  EXPECT_NEAR(off.share, 0.07, 0.002);
  EXPECT_EQ(off.share_of, "t");
  EXPECT_FALSE(off.pass());
  EXPECT_FALSE(off.wrong());
  EXPECT_TRUE(errors(0, 1, 1.8).wrong()); // .820
  EXPECT_FALSE(errors(0, 1, NAN).pass()); // no number is never right
  json["no_moments"] = nlohmann::json::array();
  EXPECT_TRUE(errors().wrong()); // its stated moments are far from those of any draws
}

TEST_F(FiguresInAFile, MayLackTheMomentsOfAColumnThatHasNone) {
  json["mean"][2] = json["sd"][2] = nullptr;
  EXPECT_TRUE(errors().pass());
}

TEST_F(FiguresInAFile, PassOverConstantsAndNamesOfAnotherForm) {
  json["sd"][0] = 0;
  json["mean"][0] = 77;
  EXPECT_TRUE(errors().pass());
  EXPECT_TRUE(errors(0, 1, 9, {"a", "b", "z"}).pass()); // t is not among the draws
  EXPECT_FALSE(errors(0.15, 1, 9, {"a", "b", "z"}).pass());
  EXPECT_THROW(errors(0, 1, 1, {"a", "y", "z"}), io::BadData); // nothing left to judge by
}

TEST_F(FiguresInAFile, MustBeWhole) {
  json["sd"].erase(2);
  EXPECT_THROW(read(), io::BadData);
  json.erase("sd");
  EXPECT_THROW(read(), io::BadData);
  EXPECT_THROW(read_reference(folder / "other.json", 10), io::InputMissing);
}

TEST_F(FiguresInAFile, GiveWayToDraws) {
  read();
  EXPECT_EQ(reference_in(folder).filename(), "reference.json");
  std::ofstream(folder / "reference.npz") << "draws";
  EXPECT_EQ(reference_in(folder).filename(), "reference.npz");
}

} // namespace
} // namespace starling::tool
