// Groups of a density over many rows: counted by the scout, weighed by all rows, the same when cut
// and gone on with.
#include <starling/random/philox.hpp>
#include <starling/stages/journey.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace rows_grouped {
namespace {

using namespace starling;
using stages::Journey;
using stages::Settings;

constexpr std::size_t rows = 600;
constexpr double tilt = .4;

/// y_r ~ N(x_0^2, 4), z_r ~ N(x_1, 4): the sign of x_0 shows in no row, and the prior, N(tilt, 1),
/// says which is likelier.
struct Squares {
  std::vector<double> y, z;
  double mean = 0;

  Squares() {
    for (std::size_t r = 0; r < rows; ++r) {
      const auto pair = normal_pair(Philox(4)(Stream::user, 0, r));
      y.push_back(2 + 2 * pair[0]);
      z.push_back(1 + 2 * pair[1]);
      mean += y.back() / double(rows);
    }
  }
  void add(std::size_t r, double weight, std::span<const double> x, std::span<double> score,
           double* value) const {
    const double one = y[r] - x[0] * x[0], other = z[r] - x[1];
    score[0] += weight * one * x[0] / 2;
    score[1] += weight * other / 4;
    if (value)
      *value -= weight * (one * one + other * other) / 8;
  }
};

RowDensity squares() {
  const auto data = std::make_shared<const Squares>();
  RowDensity density;
  density.rows = rows;
  density.dim = 2;
  density.by_differences = true;
  density.prior = [](Rows<const double> x, Rows<double> score, std::span<double> value) {
    for (std::size_t i = 0; i < x.count; ++i) {
      score[i][0] = tilt - x[i][0];
      score[i][1] = 0;
      value[i] = -(x[i][0] - tilt) * (x[i][0] - tilt) / 2;
    }
  };
  density.all = [data, prior = density.prior](Rows<const double> x, Rows<double> score,
                                              std::span<double> value) {
    prior(x, score, value);
    for (std::size_t i = 0; i < x.count; ++i)
      for (std::size_t r = 0; r < rows; ++r)
        data->add(r, 1, x[i], score[i], &value[i]);
  };
  density.some = [data](RowNumbers chosen, std::span<const double> weights) -> DensityOfRows {
    return [data, own = std::vector<std::uint32_t>(chosen.begin(), chosen.end()),
            their = std::vector<double>(weights.begin(), weights.end())](
               Rows<const double> x, Rows<double> score, std::span<double> value) {
      std::ranges::fill(score, 0.0);
      std::ranges::fill(value, 0.0);
      for (std::size_t i = 0; i < x.count; ++i)
        for (std::size_t k = 0; k < own.size(); ++k)
          data->add(own[k], their[k], x[i], score[i], value.empty() ? nullptr : &value[i]);
    };
  };
  return density;
}

stages::JourneyDensity by_rows(const RowDensity& density) {
  return {density.all, density.dim, std::make_shared<const RowDensity>(density)};
}

Settings small() {
  Settings settings;
  settings.particles = 200;
  settings.seed = 5;
  settings.rows_a_step = 50;
  settings.guide_rows = 200;
  settings.walkers = 128;
  return settings;
}

/// What lies above 0, by a sum over a fine grid: rows and prior of x_0 alone.
double share_above() {
  const Squares data;
  double above = 0, all = 0;
  for (double x = -4; x < 4; x += .001) {
    const double off = data.mean - x * x; // the squares of y - mean are the same everywhere
    const double mass = std::exp(-double(rows) * off * off / 8 - (x - tilt) * (x - tilt) / 2);
    all += mass;
    above += x > 0 ? mass : 0;
  }
  return above / all;
}

TEST(GroupsOverRows, AreCountedAndWeighed) {
  Journey journey(by_rows(squares()), small());
  journey.take(1'000'000);
  ASSERT_EQ(journey.groups(), 2u);
  ASSERT_EQ(journey.weights().shares.size(), 2u);
  const double right = share_above();
  ASSERT_GT(right, .6); // so that halves would be wrong
  ASSERT_LT(right, .9);
  const std::size_t up = journey.weights().modes[0].x[0] > 0 ? 0 : 1;
  EXPECT_GT(journey.weights().modes[up].x[0], 0);
  EXPECT_LT(journey.weights().modes[1 - up].x[0], 0);
  EXPECT_LT(journey.weights().shares[up].se, .015);
  EXPECT_NEAR(journey.weights().shares[up].share, right,
              4 * journey.weights().shares[up].se + .001);
  const auto x = Frame::map(journey.cloud().position());
  ASSERT_EQ(x.rows(), 200);
  EXPECT_NEAR(double((x.col(0).array() > 0).count()) / 200, journey.weights().shares[up].share,
              .01);
  ASSERT_TRUE(journey.certificate());
  EXPECT_NE(journey.certificate()->finding, judge::Finding::moved);
  EXPECT_TRUE(journey.doubt().empty()) << journey.doubt();
}

/// The log density that stands for all rows knows each group's own surroundings.
TEST(GroupsOverRows, EstimateEachPlaceByItsOwnGroup) {
  const RowDensity density = squares();
  Journey journey(by_rows(density), small());
  journey.take(1'000'000);
  ASSERT_EQ(journey.groups(), 2u);
  const auto x = journey.cloud().position();
  std::vector<double> score(x.size()), about(x.count), exact(x.count);
  const Rows<double> scores{score.data(), x.count, x.dim};
  journey.estimate(x, scores, about);
  density.all(x, scores, exact);
  for (std::size_t i = 0; i < x.count; ++i)
    EXPECT_NEAR(about[i], exact[i], .5) << i; // around the other mode it would be off by hundreds
}

TEST(GroupsOverRows, GoOnBitForBit) {
  Settings settings = small();
  settings.steps = 20;
  settings.certify_moves = 4;
  settings.settle_rounds = 0;
  const RowDensity density = squares();
  Journey whole(by_rows(density), settings);
  std::vector<std::string> states;
  while (!whole.finished()) {
    states.push_back(whole.save());
    whole.take(1);
  }
  ASSERT_EQ(whole.groups(), 2u);
  for (std::size_t at = 1; at < states.size(); at += 7) {
    Journey rest(by_rows(density), settings);
    rest.restore(states[at]);
    rest.take(1'000'000);
    ASSERT_EQ(rest.cloud().x, whole.cloud().x) << at;
    EXPECT_EQ(rest.gradients(), whole.gradients()) << at;
    EXPECT_EQ(rest.rows_report().read[0].reads, whole.rows_report().read[0].reads) << at;
  }
}

} // namespace
} // namespace rows_grouped
