// Few fly and move, whatever the number of particles: a cloud of more is made of their draws.
#include "stages/densities.hpp"

#include <starling/stages/journey.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace crew_tests {

using namespace starling;
using namespace starling::stage_tests;
using stages::index_of;

Group finished(const DensityOfRows& density, std::size_t dim, const Settings& settings) {
  Group group(density, dim, settings);
  to_the_end(group);
  return group;
}

/// Rows that are the same as another one.
std::size_t repeated(Rows<const double> x) {
  std::set<std::vector<double>> different;
  for (std::size_t i = 0; i < x.count; ++i)
    different.insert({x[i].begin(), x[i].end()});
  return x.count - different.size();
}

/// The largest distance of means in sds, and of sds from 1, of `scales`.
std::pair<double, double> worst(Rows<const double> rows) {
  const auto x = Frame::map(rows);
  double off = 0, wide = 0;
  for (Eigen::Index a = 0; a < x.cols(); ++a) {
    const double sd = std::pow(10.0, double(a)), mean = x.col(a).mean();
    off = std::max(off, std::abs(mean - 100 * double(a)) / sd);
    wide = std::max(wide, std::abs(std::sqrt((x.col(a).array() - mean).square().mean()) / sd - 1));
  }
  return {off, wide};
}

// Scout and flight cost the same. The certificate of more particles costs one gradient for each as
// it is chosen and one for each step of its polish; exact moves are as many as before, but for the
// few draws that a refused move kept twice: 16 moves of 7 leaps for one in fifty.
TEST(Crew, FliesForAnyNumberOfParticles) {
  const Group few = finished(each(scales), 4, small(256)),
              many = finished(each(scales), 4, small(1000));
  EXPECT_EQ(many.crew(), 256u);
  EXPECT_EQ(many.positions().count, 1000u);
  EXPECT_LT(repeated(many.positions()), 50u); // a move that is refused gives a draw twice
  const auto a = few.gradients(), b = many.gradients();
  EXPECT_EQ(a[index_of<stages::Scout>], b[index_of<stages::Scout>]);
  EXPECT_EQ(a[index_of<stages::Fly>], b[index_of<stages::Fly>]);
  const std::uint64_t polish = (1 + Settings().polish_steps) * (1000 - 256);
  EXPECT_GE(b[index_of<stages::Certify>] + 20 * 16 * 7 / 2, a[index_of<stages::Certify>] + polish);
  const std::uint64_t more_moves = 20 * 256 * 7; // until the draws are worth a cloud
  EXPECT_LE(b[index_of<stages::Certify>], a[index_of<stages::Certify>] + polish + more_moves);
  EXPECT_EQ(b[index_of<stages::Settle>], 0u);
  EXPECT_EQ(many.certificate()->finding, judge::Finding::confirmed);
  EXPECT_EQ(many.certificate()->particles, 256u);
  EXPECT_LT(worst(many.positions()).first, .1);
  EXPECT_LT(worst(many.positions()).second, .1);
}

// Where nothing makes a cloud of draws, all fly.
TEST(Crew, IsAllOfThemWhereNoDrawsAreMade) {
  EXPECT_EQ(Group(each(scales), 4, small(1000)).crew(), 256u);
  EXPECT_EQ(Group(each(scales), 4, small(100)).crew(), 100u);
  Settings settings = small(1000);
  settings.settle_rounds = 0;
  EXPECT_EQ(Group(each(scales), 4, settings).crew(), 1000u);
  settings = small(1000);
  settings.certify_moves = 0;
  EXPECT_EQ(Group(each(scales), 4, settings).crew(), 1000u);
  settings = small(1000);
  settings.walkers = 40;
  EXPECT_EQ(Group(each(scales), 4, settings).crew(), 40u);
}

// 256 walkers make 2560 draws, and 128 as many as half: in a cloud of 5000 each comes again, and
// two moves of everyone lead them apart, but for those of whom both were refused. The means are
// those of the pool, worth 400 draws at least: .05 sd, of which the largest of three is rarely
// above 2.5.
TEST(Crew, LeadsDrawsThatComeAgainApart) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    for (const bool settles : {false, true}) {
      Settings settings = small(5000);
      settings.seed = seed;
      settings.settle_always = settles;
      const Group group = finished(each(scales), 3, settings);
      EXPECT_EQ(group.positions().count, 5000u);
      EXPECT_EQ(group.state().settled, settles);
      EXPECT_LT(repeated(group.positions()), 100u) << seed << (settles ? ", settled" : "");
      const auto [off, wide] = worst(group.positions());
      EXPECT_LT(off, 2.5 * .05);
      EXPECT_LT(wide, 2.5 * .05);
    }
  Frame::Matrix twice = normals(20, 3, 1); // the count can be wrong
  twice.row(7) = twice.row(3);
  EXPECT_EQ(repeated(rows_of(std::as_const(twice))), 1u);
}

// A large cloud is polished in blocks, each by itself: all of them have the means of the density
// afterwards, to .4 of what so many independent draws miss. Draws that were only chosen to
// have these means together do not have them in each block.
TEST(Crew, IsPolishedInBlocks) {
  const auto worst_of_blocks = [](std::size_t polish_steps, std::uint64_t& gradients) {
    Settings settings = small(1000);
    settings.polish_steps = polish_steps;
    settings.polish_together = 400; // 334, 334 and 332 of them
    const Group group = finished(each(scales), 4, settings);
    EXPECT_EQ(group.certificate()->finding, judge::Finding::confirmed);
    gradients = group.gradients()[index_of<stages::Certify>];
    double off = 0;
    for (const auto& [begin, end] : {std::pair(0, 334), {334, 668}, {668, 1000}})
      off =
          std::max(off, worst(group.positions().slice(std::size_t(begin), std::size_t(end))).first);
    return off;
  };
  constexpr double error = 0.055; // of the mean of 334 independent draws, in sds
  std::uint64_t in_blocks = 0, alone = 0;
  EXPECT_LT(worst_of_blocks(20, in_blocks), .4 * error);
  EXPECT_GT(worst_of_blocks(0, alone), .8 * error);
  EXPECT_EQ(in_blocks - alone, 19u * 1000); // both ask once where the cloud arrives
  std::uint64_t one = 0;
  EXPECT_NE(worst_of_blocks(1, one), worst_of_blocks(0, alone)); // the last step counts too
}

// A polish that is not kept gives back the cloud that it was made from. That cloud kept no scores:
// they are asked for again, and belong to its places, as after a polish that is kept.
TEST(Crew, HasItsScoresWhereAPolishIsNotKept) {
  std::set<bool> kept;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Settings settings = small(600);
    settings.seed = seed;
    const Group group = finished(each(cross), 2, settings);
    const Cloud& cloud = group.state().cloud;
    kept.insert(group.state().polished);
    EXPECT_EQ(cloud.count(), 600u);
    for (std::size_t i = 0; i < cloud.count(); ++i) {
      double score[2];
      EXPECT_EQ(cloud.log_density[i], cross(cloud.position()[i], score));
      ASSERT_EQ(cloud.score(Eigen::Index(i), 0), score[0]) << seed;
      ASSERT_EQ(cloud.score(Eigen::Index(i), 1), score[1]) << seed;
    }
  }
  EXPECT_EQ(kept.size(), 2u); // some are kept, and some are not
}

// Draws of moves are off by chance, and the cloud made of them with them: with seed 1 its sd is
// 1.07. Beside it a polish that is right looks worse. More moves tell, and may be cut as others.
TEST(Crew, KeepsAPolishThatOnlyChanceSpeaksAgainst) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Settings settings = small(1000);
    settings.seed = seed;
    const auto make = [&] { return Group(each(standard), 2, settings); };
    Group group = make();
    std::string state;
    while (!group.finished()) {
      state = saved(group);
      group.take(1);
    }
    EXPECT_TRUE(group.state().polished) << seed;
    const auto x = Frame::map(group.positions());
    for (Eigen::Index a = 0; a < 2; ++a)
      EXPECT_NEAR((x.col(a).array() - x.col(a).mean()).square().mean(), 1, .02) << seed;
    compared += group.certificate()->moves > settings.certify_moves;
    Group again = make();
    restore(again, state);
    again.take(1);
    EXPECT_EQ(saved(again), saved(group));
  }
  EXPECT_GT(compared, 0u);
}

// 600 particles of 256 who move, cut in every stage and block, and gone on with: the same bits.
TEST(Crew, GoesOnBitForBitFromItsState) {
  for (const bool settles : {false, true}) {
    Settings settings = small(600);
    settings.settle_always = settles;
    settings.enough_draws = 100;
    settings.polish_together = 250; // in three blocks
    const auto make = [&] { return Group(each(scales), 3, settings); };
    Group whole = make();
    std::vector<std::string> states{saved(whole)};
    std::set<std::size_t> stages;
    std::set<std::size_t> counts; // of the cloud, as it was cut
    for (int units = 0; !whole.finished(); ++units) {
      const std::size_t before = whole.stage();
      whole.take(1);
      if (whole.finished())
        break;
      if (units % 17 == 0 || whole.stage() != before) {
        states.push_back(saved(whole));
        stages.insert(whole.stage());
        counts.insert(whole.positions().count);
      }
    }
    EXPECT_EQ(whole.positions().count, 600u);
    EXPECT_EQ(counts, (std::set<std::size_t>{256, 600}));
    EXPECT_EQ(stages.size(), settles ? 3u : 2u); // after the scout
    for (const std::string& state : states) {
      Group again = make();
      restore(again, state);
      EXPECT_EQ(saved(again), state);
      again.take(std::numeric_limits<std::uint64_t>::max());
      EXPECT_EQ(saved(again), saved(whole));
    }
    Settings other = settings;
    other.particles = 599;
    Group wrong(each(scales), 3, other);
    EXPECT_THROW(restore(wrong, saved(whole)), std::invalid_argument);
  }
}

// Groups of several modes have more particles than fly too.
TEST(Crew, GoesOnBitForBitWithSeveralGroups) {
  Settings settings = small(600);
  settings.walkers = 64;
  const stages::JourneyDensity density{each(two_modes), 1};
  stages::Journey whole(density, settings);
  std::vector<std::string> states;
  for (int units = 0; !whole.finished(); ++units) {
    whole.take(1);
    if (units % 41 == 0)
      states.push_back(whole.save());
  }
  EXPECT_EQ(whole.groups(), 2u);
  EXPECT_EQ(whole.cloud().count(), 600u);
  for (const std::string& state : states) {
    stages::Journey again(density, settings);
    again.restore(state);
    again.take(std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(again.save(), whole.save());
  }
}

} // namespace crew_tests
