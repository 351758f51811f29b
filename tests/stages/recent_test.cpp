// Frames from where walkers have been of late.
#include "densities.hpp"

#include <starling/stages/trial.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <memory>

namespace starling {

namespace {

using namespace stage_tests;
using stages::Recent;

Cloud all_at(double place, std::size_t count, std::size_t dim) {
  const auto n = Eigen::Index(count), d = Eigen::Index(dim);
  return {Frame::Matrix::Constant(n, d, place), Frame::Matrix::Constant(n, d, -place),
          std::vector<double>(count, place), std::vector<std::uint64_t>(count)};
}

bool are_one(const Frame& one, const Frame& other) {
  return one.mean() == other.mean() && one.numbers() == other.numbers();
}

Recent after(int moves, std::size_t count, std::size_t dim) {
  Recent recent;
  for (int move = 1; move <= moves; ++move)
    recent.add(all_at(move, count, dim));
  return recent;
}

TEST(Recent, HoldsCloudsOfTheLatterHalf) {
  for (const int moves : {6, 10, 40, 100, 1000}) {
    const Recent recent = after(moves, 10, 20);
    const Cloud& cloud = recent.cloud;
    EXPECT_EQ(cloud.count(), 10u * std::size_t(std::min(8, moves / 2)));
    EXPECT_EQ(cloud.score, -cloud.x);
    EXPECT_GT(cloud.x.minCoeff(), .49 * moves) << moves;
    EXPECT_GT(cloud.x.maxCoeff(), .93 * moves) << moves;
    EXPECT_EQ(cloud.log_density.front(), cloud.x.minCoeff());
    EXPECT_EQ(&recent.or_alone(all_at(0, 10, 20)), &cloud);
  }
}

TEST(Recent, HoldsNoMoreThanTheDimensionsNeed) {
  EXPECT_EQ(after(100, 10, 6).cloud.count(), 40u);      // 8 rows a dimension, at most
  EXPECT_EQ(after(100, 128, 20).cloud.count(), 0u);     // one cloud has more
  EXPECT_EQ(after(10, 10, 100'000).cloud.count(), 40u); // of 4 million numbers
  const Cloud walkers = all_at(1, 128, 20);
  EXPECT_EQ(&after(100, 128, 20).or_alone(walkers), &walkers);
}

// Before moves 2, 4, 8 and 16 of those that do not count the frame is taken anew: from the walkers
// of many moves, not from those of one.
TEST(Recent, GivesTheFrameOfARound) {
  constexpr std::size_t dim = 40;
  Settings settings = small(64);
  const std::unique_ptr<stages::Guide> guide = stages::guide_by(each(standard), dim);
  const stages::ReadColumns nothing_read;
  const stages::Context context{*guide, settings, nothing_read, Threads::alone()};
  stages::State state;
  state.frame = Frame::diagonal(Frame::Vector::Zero(dim), Frame::Vector::Ones(dim));
  state.leap = .5;
  const Frame first = state.frame;
  const Cloud walkers = cloud_at(normals(16, dim, 1), guide->density());
  stages::Trial trial(context, state, walkers,
                      {.moves = 40, .discards = .5, .adapts = true, .of_cloud = false});
  EXPECT_TRUE(are_one(state.frame, context.reframed(first, walkers)));
  for (unsigned move = 0; move < 40; ++move) {
    const bool anew = move > 1 && move < 20 && std::has_single_bit(move);
    const Frame before = state.frame;
    const Frame recent = context.reframed(before, state.recent.or_alone(trial.walkers()));
    const Frame alone = context.reframed(before, trial.walkers());
    trial.move(context, state);
    EXPECT_TRUE(are_one(state.frame, anew ? recent : before)) << move;
    if (anew && move > 4) {
      EXPECT_FALSE(are_one(recent, alone));
    }
  }
  EXPECT_EQ(state.recent.cloud.count(), 8 * 16u);

  const Frame then = context.reframed(state.frame, state.recent.cloud);
  const Cloud next = trial.take_walkers();
  stages::Trial(context, state, next, {.moves = 8, .adapts = true, .of_cloud = false});
  EXPECT_TRUE(are_one(state.frame, then)); // a round goes on from them
  state.cloud = next;
  stages::Trial(context, state, next, {.moves = 8, .adapts = true, .of_cloud = true});
  EXPECT_EQ(state.recent.cloud.count(), 0u); // a cloud on trial has been nowhere
}

// In 64 dimensions a run has them when it is saved, and goes on as if it had not been.
TEST(Recent, IsSavedWithTheRun) {
  Settings settings = small(300);
  settings.settle_always = true;
  const auto make = [&] { return Group(each(standard), 64, settings); };
  Group group = make();
  std::string state;
  while (!group.finished()) {
    state = saved(group);
    if (group.state().recent.cloud.count() > 256)
      break;
    group.take(1);
  }
  ASSERT_FALSE(group.finished());
  Group again = make();
  restore(again, state);
  EXPECT_EQ(again.state().recent.cloud.x, group.state().recent.cloud.x);
  group.take(40);
  again.take(40);
  EXPECT_EQ(saved(again), saved(group));
}

} // namespace

} // namespace starling
