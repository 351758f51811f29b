// A group of particles: from nothing to a cloud with a certificate, cut anywhere and gone on with.
#include <starling/stages/group.hpp>

#include <starling/error.hpp>

#include "stages/densities.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace {

using namespace starling;
using namespace starling::stage_tests;
using judge::Finding;

TEST(Group, IsRightUntunedOverScalesAndSaysSo) {
  Group group(each(scales), 4, small(256));
  to_the_end(group);
  const auto x = Frame::map(group.positions());
  for (Eigen::Index a = 0; a < 4; ++a) {
    const double sd = std::pow(10.0, double(a)), mean = x.col(a).mean();
    EXPECT_NEAR(mean, 100 * double(a), .1 * sd);
    EXPECT_NEAR(std::sqrt((x.col(a).array() - mean).square().mean()) / sd, 1, .1);
  }
  ASSERT_TRUE(group.certificate());
  EXPECT_EQ(group.certificate()->finding, Finding::confirmed);
  EXPECT_FALSE(group.state().settled);
}

TEST(Group, CountsTheGradientsOfItsStages) {
  std::uint64_t rows = 0;
  const DensityOfRows inner = each(scales);
  Group group(
      [&](Rows<const double> x, Rows<double> s, std::span<double> l) {
        rows += x.count;
        inner(x, s, l);
      },
      3, small());
  to_the_end(group);
  const auto gradients = group.gradients();
  EXPECT_EQ(gradients[0] + gradients[1] + gradients[2] + gradients[3], rows);
  EXPECT_EQ(gradients[1], small().steps * 128u);
  EXPECT_EQ(gradients[3], 0u); // the polish of a flight that was right is a part of its certificate
}

// A flight that was right is polished from draws of the moves that showed it; where polishing is
// not wanted, or moves after the flight are not, the flight's own cloud is the end.
TEST(Group, PolishesAFlightThatWasRight) {
  Settings settings = small(256);
  const auto end = [&] {
    Group group(each(scales), 3, settings);
    to_the_end(group);
    EXPECT_EQ(group.certificate()->finding, Finding::confirmed);
    EXPECT_FALSE(group.state().settled);
    return std::pair(group.state().polished, Frame::Matrix(Frame::map(group.positions())));
  };
  const auto usual = end();
  EXPECT_TRUE(usual.first);
  settings.polish_confirmed = false;
  const auto flown = end();
  EXPECT_FALSE(flown.first);
  EXPECT_NE(usual.second, flown.second);
  settings.polish_confirmed = true;
  settings.settle_rounds = 0;
  EXPECT_EQ(end().second, flown.second);
}

/// Mean over parameters of the distance of a cloud's marginals from N(0, 1), times sqrt(N):
/// near 1.2 for independent draws.
double distance_of_marginals(Rows<const double> x) {
  double sum = 0;
  constexpr int points = 2000; // of the integral of |F_N - F|
  for (std::size_t a = 0; a < x.dim; ++a) {
    std::vector<double> column;
    for (std::size_t i = 0; i < x.count; ++i)
      column.push_back(x[i][a]);
    std::ranges::sort(column);
    for (int k = 0; k < points; ++k) {
      const double at = -5 + 10 * (k + .5) / points;
      const auto below = std::ranges::upper_bound(column, at) - column.begin();
      sum += std::abs(double(below) / double(x.count) - .5 * std::erfc(-at / std::sqrt(2.0))) * 10 /
             points;
    }
  }
  return sum / double(x.dim) * std::sqrt(double(x.count));
}

// In ten dimensions a kernel of the distance adds little to the bilinear part; one for each
// parameter does.
TEST(Group, SpreadsMarginalsByItsKernel) {
  const auto distance = [](stages::FlightKernel kernel) {
    Settings settings = small(256);
    settings.kernel = kernel;
    settings.polish_confirmed = false;
    Group group(each(standard), 10, settings);
    to_the_end(group);
    return distance_of_marginals(group.positions());
  };
  EXPECT_LT(distance(stages::FlightKernel::marginals), .35);
  EXPECT_LT(distance(stages::FlightKernel::parameters), .6);
  EXPECT_GT(distance(stages::FlightKernel::gaussian), .6);
  EXPECT_GT(distance(stages::FlightKernel::none), .6);
}

// Left alone, a collapsed cloud is found out, with the direction; allowed to settle, it is mended.
TEST(Group, FindsACollapsedCloudAndMendsIt) {
  const Frame::Matrix x = normals(256, 10, .7);
  Settings settings = small(256);
  settings.settle_rounds = 0;
  Group only(each(standard), 10, settings);
  only.begin_from(rows_of(x), false);
  to_the_end(only);
  EXPECT_EQ(only.certificate()->finding, Finding::moved);
  EXPECT_EQ(only.certificate()->worst.trait, judge::Trait::square);
  EXPECT_EQ(only.certificate()->moves, 10u); // half of them show it
  EXPECT_GT(only.certificate()->worst.error, .5);
  EXPECT_EQ(Frame::Matrix(Frame::map(only.positions())), x); // certified as it was

  Group whole(each(standard), 10, small(256));
  whole.begin_from(rows_of(x), false);
  to_the_end(whole);
  EXPECT_TRUE(whole.state().settled);
  EXPECT_EQ(whole.certificate()->finding, Finding::confirmed);
  EXPECT_GT(whole.certificate()->acceptance, .5);
  EXPECT_LE(whole.certificate()->acceptance, 1);
  EXPECT_EQ(whole.certificate()->moves, 12u); // those of the last test
  for (Eigen::Index a = 0; a < 10; ++a) {
    EXPECT_NEAR(Frame::map(whole.positions()).col(a).array().square().mean(), 1, .2);
    EXPECT_NEAR(whole.state().pool.sds[std::size_t(a)], 1, .07); // 20 clouds of 256 count
  }
}

// The cloud after rounds of exact moves: draws that together have the pool's moments, which as many
// independent ones miss by .06 sd; then spread by a polish.
TEST(Group, MakesItsCloudOfDrawsThatHaveTheMomentsOfAll) {
  const Frame::Matrix x = normals(256, 3, .7);
  const auto settled = [&](std::size_t polish_steps) {
    Settings settings = small(256);
    settings.polish_steps = polish_steps;
    Group group(each(standard), 3, settings);
    group.begin_from(rows_of(x), false);
    while (!group.finished() && group.stage() != stages::index_of<stages::Settle>)
      group.unit();
    const std::vector<double> by_certificate = group.state().pool.means;
    to_the_end(group);
    EXPECT_TRUE(group.state().settled);
    EXPECT_EQ(group.state().polished, polish_steps > 0);
    EXPECT_NE(group.state().pool.means, by_certificate); // it is that of the last round
    return group.state();
  };
  const stages::State plain = settled(0), polished = settled(20);
  EXPECT_NE(plain.cloud.x, polished.cloud.x);
  for (Eigen::Index a = 0; a < 3; ++a) {
    const double sd = plain.pool.sds[std::size_t(a)];
    // Draws that come twice are led apart after the choice. Draws alone would miss it by .06 sd.
    EXPECT_LT(std::abs(plain.cloud.x.col(a).mean() - plain.pool.means[std::size_t(a)]), .03 * sd);
  }
}

TEST(Group, GoesThroughStagesOfOnesOwn) {
  const Frame::Matrix x = normals(256, 3, .5);
  std::vector<stages::Stage> list;
  list.emplace_back(stages::Settle());
  Group group(each(standard), 3, small(256), Threads::alone(), {}, std::move(list));
  group.begin_from(rows_of(x));
  EXPECT_EQ(group.stage(), stages::index_of<stages::Settle>);
  to_the_end(group);
  EXPECT_TRUE(group.state().settled);
  EXPECT_EQ(group.certificate()->finding, Finding::confirmed);
  EXPECT_EQ(group.gradients()[stages::index_of<stages::Scout>], 0u);
  for (Eigen::Index a = 0; a < 3; ++a)
    EXPECT_NEAR(Frame::map(group.positions()).col(a).array().square().mean(), 1, .2);
}

TEST(Group, NeverConfirmsWhenThereAreSeveralModes) {
  Group group(each(two_modes), 1, small());
  to_the_end(group);
  EXPECT_EQ(group.state().scouted.modes, 2u);
  EXPECT_NE(group.certificate()->finding, Finding::confirmed);
}

// Cut in every stage and gone on with by another group: the same bits. The columns that are read
// beside the positions take part.
TEST(Group, GoesOnBitForBitFromItsState) {
  const stages::ReadColumns read{1, [](Rows<const double> x) {
                                   std::vector<double> values(x.count);
                                   for (std::size_t i = 0; i < x.count; ++i)
                                     values[i] = std::exp(.1 * x[i][0]);
                                   return values;
                                 }};
  const Frame::Matrix x = normals(64, 3, .5);
  const auto make = [&] { return Group(each(standard), 3, small(64), Threads::alone(), read); };
  for (const bool scouts : {true, false}) {
    Group whole = make();
    if (!scouts)
      whole.begin_from(rows_of(x), false);
    std::vector<std::string> states{saved(whole)};
    for (int units = 0; !whole.finished(); ++units) {
      whole.take(1);
      if (units % 17 == 0)
        states.push_back(saved(whole));
    }
    EXPECT_EQ(whole.state().settled, !scouts);
    for (const std::string& state : states) {
      Group again = make();
      restore(again, state);
      again.take(std::numeric_limits<std::uint64_t>::max());
      EXPECT_EQ(saved(again), saved(whole));
    }
  }
  Group other(each(standard), 3, small(32), Threads::alone(), read), whole = make();
  whole.take(1);
  EXPECT_THROW(restore(other, saved(whole)), std::invalid_argument);
}

TEST(Group, IsTheSameOnAnyNumberOfThreads) {
  Threads three(3);
  Group alone(each(scales), 3, small()), together(each(scales), 3, small(), three);
  to_the_end(alone);
  to_the_end(together);
  EXPECT_EQ(saved(alone), saved(together));
  Settings settings = small();
  settings.seed = 4;
  Group another(each(scales), 3, settings);
  to_the_end(another);
  EXPECT_NE(saved(alone), saved(another));
}

// A step into a place where the density fails is taken back, so the cloud never holds such a place.
TEST(Group, LeavesNoParticleWhereTheDensityFails) {
  Settings settings = small();
  settings.certify_moves = 0;           // the cloud that flew, none of draws
  Group group(each([](auto x, auto s) { // a half normal, cut at 0
                s[0] = -x[0];
                return x[0] > 0 ? -.5 * x[0] * x[0] : -std::numeric_limits<double>::infinity();
              }),
              1, settings);
  to_the_end(group);
  for (std::size_t i = 0; i < 128; ++i) {
    EXPECT_GT(group.positions()[i][0], 0);
    EXPECT_TRUE(std::isfinite(group.state().cloud.log_density[i]));
  }
}

TEST(Group, RefusesWhatItCannotBegin) {
  EXPECT_THROW(Group(each(standard), 0, small()), std::invalid_argument);
  EXPECT_THROW(Group(each(standard), 2, small(4)), std::invalid_argument);
  Group group(each(standard), 2, small());
  const Frame::Matrix x = normals(64, 2, 1);
  EXPECT_THROW(group.begin_from(rows_of(x)), std::invalid_argument);
}

// The scout is one unit of many parts; a group that was saved among them scouts again, and comes
// to the same.
TEST(Group, CanBeCutWithinItsScout) {
  Group whole(each(scales), 3, small());
  to_the_end(whole);
  Group first(each(scales), 3, small());
  int parts = 0;
  do
    first.unit();
  while (first.scouting() && ++parts < 7);
  EXPECT_EQ(parts, 7);
  Group again(each(scales), 3, small());
  restore(again, saved(first));
  to_the_end(again);
  to_the_end(first);
  EXPECT_EQ(saved(again), saved(whole));
  EXPECT_EQ(saved(first), saved(whole));
}

TEST(Group, EndsAtOnceWhereNothingIsAskedFor) {
  Settings settings = small(64);
  settings.certify_moves = 0;
  Group group(each(standard), 2, settings);
  const Frame::Matrix x = normals(64, 2, 1);
  group.begin_from(rows_of(x), false);
  EXPECT_TRUE(group.finished());
  EXPECT_FALSE(group.certificate());
}

} // namespace
