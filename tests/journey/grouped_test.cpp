// A journey by groups: weights of separate modes, and everything else as it was.
#include <starling/run/grouped_journey.hpp>

#include "scout/blobs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace {

using namespace starling;
using judge::Finding;
using run::GroupedJourney;
using run::Journey;
using run::JourneySettings;

constexpr auto to_the_end = std::numeric_limits<std::uint64_t>::max();

JourneySettings settings(std::uint64_t seed, std::size_t particles = 256) {
  JourneySettings made;
  made.particles = particles;
  made.seed = seed;
  return made;
}

/// The share of rows nearer to each blob than to any other, against its weight: the largest
/// difference.
double worst_share(const exact::Walkers& cloud, const std::vector<blobs::Blob>& blobs) {
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
TEST(GroupedJourney, WeighsFourModesInThePlane) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    GroupedJourney journey(blobs::density(blobs::four(5)), 2, settings(seed));
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
      const scout::Share& one = journey.shares()[g];
      EXPECT_NEAR(one.share, .4 - .1 * double(g), 4 * one.se);
      EXPECT_LE(2 * one.se, .03);
      EXPECT_EQ(std::ranges::count(journey.group_of_row(), g), std::lround(256 * one.share));
    }
    EXPECT_NEAR(journey.cloud().x.col(0).mean(), 2, .2 * 4.7);
    EXPECT_NEAR(journey.pooled_means()[0], 2, .3);
    EXPECT_NEAR(journey.pooled_sds()[0], std::sqrt(22), .3);
  }
}

TEST(GroupedJourney, IsTheJourneyItselfWhereThereIsOneGroup) {
  const std::vector<blobs::Blob> one{{{1, -2, 3}, 2, 1}};
  GroupedJourney grouped(blobs::density(one), 3, settings(3, 64));
  Journey plain(blobs::density(one), 3, settings(3, 64));
  std::uint64_t units = 0;
  for (; !plain.finished(); ++units)
    plain.take(1);
  grouped.take(units);
  EXPECT_TRUE(grouped.finished());
  EXPECT_EQ(grouped.groups(), 1u);
  EXPECT_EQ(grouped.cloud().x, plain.cloud().x);
  const run::JourneyState whole = grouped.save();
  for (const auto& [name, values] : plain.save().columns)
    EXPECT_EQ(whole.columns.at(name), values) << name;
  EXPECT_EQ(grouped.certificate()->finding, plain.certificate()->finding);
  EXPECT_EQ(grouped.gradients().back().first, "count");
  EXPECT_LT(grouped.gradients().back().second, 400u);
}

// The gradients that it counts are those that the density was asked for.
TEST(GroupedJourney, GoesOnBitForBitFromItsStateAndCountsItsGradients) {
  std::uint64_t rows = 0;
  const DensityOfRows inner = blobs::density({{{-10}, 1, .3}, {{10}, 1, .7}});
  const DensityOfRows density = [&](Rows<const double> x, Rows<double> s, std::span<double> l) {
    rows += x.count;
    inner(x, s, l);
  };
  GroupedJourney whole(density, 1, settings(2, 64));
  std::vector<run::JourneyState> states{whole.save()};
  std::vector<std::string> stages;
  for (int units = 0; !whole.finished(); ++units) {
    whole.take(1);
    const std::string stage = GroupedJourney::stage(whole.save());
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
  for (const run::JourneyState& state : states) {
    GroupedJourney again(inner, 1, settings(2, 64));
    again.restore(state);
    EXPECT_EQ(again.save().columns, state.columns);
    again.take(to_the_end);
    EXPECT_EQ(again.save().columns, whole.save().columns);
    EXPECT_EQ(again.save().counts, whole.save().counts);
    EXPECT_EQ(again.group_of_row(), whole.group_of_row());
    EXPECT_EQ(again.certificate()->finding, whole.certificate()->finding);
  }
  run::JourneyState cut = whole.save();
  cut.columns.erase("group 1 cloud.x");
  GroupedJourney other(inner, 1, settings(2, 64));
  EXPECT_THROW(other.restore(cut), std::invalid_argument);
}

// Started in one of two modes, with no scout: the cloud lies on both only where its particles do.
TEST(GroupedJourney, CountsGroupsThatTheScoutDidNotSee) {
  const std::vector<blobs::Blob> two{{{-10, 0}, 1, .3}, {{10, 0}, 1, .7}};
  const Frame::Matrix x = blobs::draws({{{-10, 0}, 1, .5}, {{10, 0}, 1, .5}}, 128, 1);
  for (const bool has_density : {true, false}) {
    JourneySettings made = settings(1, 128);
    if (!has_density)
      made.certify_moves = made.settle_rounds = 0;
    GroupedJourney journey(blobs::density(two), 2, made, Threads::alone(), {}, has_density);
    journey.begin_from(rows_of(x), run::Stage::fly);
    journey.take(to_the_end);
    EXPECT_EQ(journey.groups(), 2u);
    ASSERT_EQ(journey.group_of_row().size(), 128u);
    EXPECT_EQ(journey.shares().empty(), !has_density); // counted, or weighed as well
    if (has_density) {
      EXPECT_LT(worst_share(journey.cloud(), two), .03);
    }
  }
}

} // namespace
