// A journey by groups: weights of separate modes, and everything else as it was.
#include <starling/stages/journey.hpp>

#include "scout/blobs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace {

using namespace starling;
using judge::Finding;
using stages::Group;
using stages::Journey;
using stages::Settings;

constexpr auto to_the_end = std::numeric_limits<std::uint64_t>::max();

Settings settings(std::uint64_t seed, std::size_t particles = 256) {
  Settings made;
  made.particles = particles;
  made.seed = seed;
  return made;
}

/// The share of rows nearer to each blob than to any other, against its weight: the largest
/// difference.
double worst_share(const Cloud& cloud, const std::vector<blobs::Blob>& blobs) {
  std::vector<double> share(blobs.size(), 0);
  for (Eigen::Index i = 0; i < cloud.x.rows(); ++i) {
    std::vector<double> distance;
    for (const blobs::Blob& one : blobs)
      distance.push_back(
          (cloud.x.row(i) - Eigen::Map<const Eigen::RowVectorXd>(one.mean.data(), cloud.x.cols()))
              .norm() /
          one.sd);
    share[std::size_t(std::ranges::min_element(distance) - distance.begin())] +=
        1 / double(cloud.x.rows());
  }
  double worst = 0;
  for (std::size_t g = 0; g < blobs.size(); ++g)
    worst = std::max(worst, std::abs(share[g] - blobs[g].weight));
  return worst;
}

// Shares within .03, as the certificate promises, and the cloud's moments within its bounds. Equal
// shares, the negative control, would be .15 off.
TEST(Journey, WeighsFourModesInThePlane) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Journey journey({blobs::density(blobs::four(5)), 2}, settings(seed));
    journey.take(to_the_end);
    ASSERT_EQ(journey.groups(), 4u);
    EXPECT_EQ(journey.doubt(), "");
    ASSERT_TRUE(journey.certificate());
    EXPECT_EQ(journey.certificate()->finding, Finding::confirmed);
    EXPECT_LT(worst_share(journey.cloud(), blobs::four(5)), .03);
    std::vector<blobs::Blob> equal = blobs::four(5);
    for (blobs::Blob& one : equal)
      one.weight = .25;
    EXPECT_GT(worst_share(journey.cloud(), equal), .12);
    for (std::size_t g = 0; g < 4; ++g) {
      const scout::Share& one = journey.weights().shares[g];
      EXPECT_NEAR(one.share, .4 - .1 * double(g), 4 * one.se);
      EXPECT_LE(2 * one.se, .03);
      EXPECT_EQ(std::ranges::count(journey.group_of_row(), g), std::lround(256 * one.share));
    }
    EXPECT_NEAR(journey.cloud().x.col(0).mean(), 2, .2 * 4.7);
    EXPECT_NEAR(journey.pool().means[0], 2, .3);
    EXPECT_NEAR(journey.pool().sds[0], std::sqrt(22), .3);
  }
}

// Climbs end in the narrow part, and no look is as high: the mass of the wide one shows it. The sd
// of the narrow part alone, the control, is a seventh of the right one.
TEST(Journey, FindsAWidePartAroundANarrowOne) {
  const std::vector<double> here(10, 0);
  const std::vector<blobs::Blob> nested{{here, 1, .5}, {here, .1, .5}};
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Journey journey({blobs::density(nested), 10}, settings(seed));
    journey.take(to_the_end);
    ASSERT_EQ(journey.groups(), 2u) << seed;
    EXPECT_EQ(journey.certificate()->finding, Finding::confirmed) << seed;
    for (const scout::Share& one : journey.weights().shares)
      EXPECT_NEAR(one.share, .5, .03) << seed;
    const double sd = std::sqrt(journey.cloud().x.array().square().mean());
    EXPECT_NEAR(sd / std::sqrt(.505), 1, .1) << seed;
  }
}

TEST(Journey, IsOneGroupWhereThereIsOneMode) {
  const std::vector<blobs::Blob> one{{{1, -2, 3}, 2, 1}};
  Journey grouped({blobs::density(one), 3}, settings(3, 64));
  Group plain(blobs::density(one), 3, settings(3, 64));
  std::uint64_t units = 0;
  for (; !plain.finished(); ++units)
    plain.take(1);
  grouped.take(units + 1); // and the search at the end
  EXPECT_TRUE(grouped.finished());
  EXPECT_EQ(grouped.groups(), 1u);
  EXPECT_EQ(grouped.cloud().x, plain.state().cloud.x);
  EXPECT_EQ(grouped.certificate()->finding, plain.certificate()->finding);
  EXPECT_EQ(grouped.gradients().back().first, "look");
  EXPECT_EQ(grouped.searched().looks, 3u * 8u * 64u);
  EXPECT_LT(grouped.gradients().back().second, 3000u);
}

// The gradients that it counts are those that the density was asked for.
TEST(Journey, GoesOnBitForBitFromItsStateAndCountsItsGradients) {
  std::uint64_t rows = 0;
  const DensityOfRows inner = blobs::density({{{-10}, 1, .3}, {{10}, 1, .7}});
  const DensityOfRows density = [&](Rows<const double> x, Rows<double> s, std::span<double> l) {
    rows += x.count;
    inner(x, s, l);
  };
  Journey whole({density, 1}, settings(2, 64));
  std::vector<std::string> states{whole.save()};
  std::vector<std::string> stages;
  for (int units = 0; !whole.finished(); ++units) {
    whole.take(1);
    const std::string stage = whole.stage();
    if (stages.empty() || stages.back() != stage) {
      stages.push_back(stage);
      states.push_back(whole.save());
    } else if (units % 61 == 0) {
      states.push_back(whole.save());
    }
  }
  EXPECT_EQ(stages.front(), "weigh");
  EXPECT_EQ(stages.back(), "finished");
  EXPECT_NE(std::ranges::find(stages, "fly, group 2 of 2"), stages.end());
  EXPECT_NE(std::ranges::find(stages, "certify, group 1 of 2"), stages.end());
  std::uint64_t counted = 0;
  for (const auto& [stage, count] : whole.gradients())
    counted += count;
  EXPECT_EQ(counted, rows);
  for (const std::string& state : states) {
    Journey again({inner, 1}, settings(2, 64));
    again.restore(state);
    EXPECT_EQ(again.save(), state);
    again.take(to_the_end);
    EXPECT_EQ(again.save(), whole.save());
    EXPECT_EQ(again.group_of_row(), whole.group_of_row());
    EXPECT_EQ(again.certificate()->finding, whole.certificate()->finding);
  }
  std::string cut = whole.save();
  const std::string longer = cut + "12345678";
  cut.resize(cut.size() - 8);
  Journey other({inner, 1}, settings(2, 64));
  EXPECT_THROW(other.restore(cut), std::invalid_argument);
  EXPECT_THROW(Journey({inner, 1}, settings(2, 64)).restore(longer), std::invalid_argument);
}

// Started in one of two modes, with no scout: the cloud lies on both only where its particles do.
TEST(Journey, CountsGroupsThatTheScoutDidNotSee) {
  const std::vector<blobs::Blob> two{{{-10, 0}, 1, .3}, {{10, 0}, 1, .7}};
  const Frame::Matrix x = blobs::draws({{{-10, 0}, 1, .5}, {{10, 0}, 1, .5}}, 128, 1);
  for (const bool has_density : {true, false}) {
    Settings made = settings(1, 128);
    if (!has_density)
      made.certify_moves = made.settle_rounds = 0;
    Journey journey({blobs::density(two), 2, {}, has_density}, made);
    journey.begin_from(rows_of(x));
    journey.take(to_the_end);
    EXPECT_EQ(journey.groups(), 2u);
    ASSERT_EQ(journey.group_of_row().size(), 128u);
    EXPECT_EQ(journey.weights().shares.empty(), !has_density); // counted, or weighed as well
    if (has_density) {
      EXPECT_LT(worst_share(journey.cloud(), two), .03);
    }
  }
}

/// Two bars across each other, 10 by .1.
DensityOfRows cross() {
  return [](Rows<const double> x, Rows<double> score, std::span<double> log_density) {
    for (std::size_t i = 0; i < x.count; ++i) {
      double part[2];
      for (std::size_t arm : {0, 1})
        part[arm] = -.5 * (std::pow(x[i][arm] / 10, 2) + std::pow(x[i][1 - arm] / .1, 2));
      const double top = std::max(part[0], part[1]);
      const double first = std::exp(part[0] - top), second = std::exp(part[1] - top);
      log_density[i] = top + std::log(first + second);
      for (std::size_t a : {0, 1})
        score[i][a] = -x[i][a] / (first + second) *
                      (a == 0 ? first / 100 + second * 100 : first * 100 + second / 100);
    }
  };
}

// Of a cross the scout meets one arm, and exact moves stay in it: looks alone show the other, which
// then gets a group. A plain normal, the control, has none.
TEST(Journey, LooksAroundBeforeItIsSaidToBeRight) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Journey crossed({cross(), 2}, settings(seed));
    crossed.take(to_the_end);
    EXPECT_GT(crossed.searched().searches, 1u) << seed;
    EXPECT_GT(crossed.groups(), 1u) << seed;
    EXPECT_EQ(crossed.searched().hits, 0u) << seed;
    Journey plain({blobs::density({{{0, 0}}}), 2}, settings(seed));
    plain.take(to_the_end);
    EXPECT_EQ(plain.searched().hits, 0u) << seed;
    EXPECT_EQ(plain.searched().searches, 1u);
    EXPECT_EQ(plain.certificate()->finding, Finding::confirmed);
  }
}

// Started around one of two modes 200 widths apart, along no axis: climbs from far away meet the
// other, and it gets its group.
TEST(Journey, MeetsModesThatLieFarAway) {
  const std::vector<blobs::Blob> two{{{0, 0}, 1, .3}, {{120, 160}, 1, .7}};
  const Frame::Matrix x = blobs::draws({two[0]}, 128, 1);
  Journey journey({blobs::density(two), 2}, settings(1, 128));
  journey.begin_from(rows_of(x));
  journey.take(to_the_end);
  ASSERT_EQ(journey.groups(), 2u);
  EXPECT_EQ(journey.searched().searches, 2u);
  EXPECT_EQ(journey.searched().modes, 2u);
  EXPECT_LT(worst_share(journey.cloud(), two), .03);
}

// A mode of a thousandth, 50 widths away, makes the variance 3.5 times as large, and 256 particles
// have none for it; 1000 have.
TEST(Journey, TellsOfAModeThatIsTooLightForAParticle) {
  const std::vector<blobs::Blob> two{{{0, 0}, 1, .999}, {{50, 0}, 1, .001}};
  Journey few({blobs::density(two), 2}, settings(1));
  few.take(to_the_end);
  EXPECT_EQ(few.groups(), 1u);
  EXPECT_NEAR(few.searched().light.share, .001, .0003);
  EXPECT_EQ(few.searched().light.parameter, 0u);
  EXPECT_NEAR(few.searched().light.place, 50, .1);
  Journey many({blobs::density(two), 2}, settings(1, 1000));
  many.take(to_the_end);
  EXPECT_EQ(many.groups(), 2u);
  EXPECT_EQ(many.searched().light.share, 0);
}

// A cloud that is given and not to be flown is judged as it is: its groups are counted, and no
// particle moves.
// Of two modes apart, and of two in one place; on both of them, and on one alone.
TEST(Journey, LeavesACloudThatWasGivenAsItIs) {
  using Pair = std::vector<blobs::Blob>;
  const Pair apart{{{-10, 0}, 1, .3}, {{10, 0}, 1, .7}}, nested{{{0, 0}, .1, .5}, {{0, 0}, 1, .5}};
  for (const auto& [two, share] : {std::pair(apart, .5), {apart, 1e-9}, {nested, 1e-9}}) {
    Pair drawn = two;
    drawn[0].weight = 1 - share, drawn[1].weight = share;
    const Frame::Matrix x = blobs::draws(drawn, 128, 1);
    Settings made = settings(1, 128);
    made.starts = made.steps = made.settle_rounds = 0;
    made.polish_steps = 0;
    Journey journey({blobs::density(two), 2}, made);
    journey.begin_from(rows_of(x), false);
    journey.take(to_the_end);
    EXPECT_EQ(journey.cloud().x, x);
    EXPECT_EQ(journey.groups(), 2u);
    EXPECT_TRUE(journey.weights().shares.empty());
    EXPECT_EQ(journey.group_of_row().size(), 128u);
  }
}

} // namespace
