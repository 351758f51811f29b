// Two funnels that share their scale: a bend straightens one of them and hides the other.
#include "densities.hpp"

#include <starling/stages/trial.hpp>

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

namespace starling {

namespace {

using namespace stage_tests;

constexpr std::size_t dim = 7;
constexpr double share_at_3 = 1.0 / 3, neck = 0.6; // scales in it, at most

// x_0 is the logarithm of a half-normal scale; the others are normal with that scale around one of
// two centres, 3 and -3 in x_1.
double two_funnels(std::span<const double> x, std::span<double> s) {
  const double u = x[0], inverse = std::exp(-2 * u), scale_squared = std::exp(2 * u);
  double rest = 0;
  for (std::size_t a = 2; a < dim; ++a)
    rest += x[a] * x[a];
  const std::array squares = {rest + (x[1] - 3) * (x[1] - 3), rest + (x[1] + 3) * (x[1] + 3)};
  const std::array parts = {std::log(share_at_3) - .5 * squares[0] * inverse,
                            std::log(1 - share_at_3) - .5 * squares[1] * inverse};
  const double top = std::max(parts[0], parts[1]);
  const double at_3 = std::exp(parts[0] - top), sum = at_3 + std::exp(parts[1] - top);
  const double p = at_3 / sum, square = p * squares[0] + (1 - p) * squares[1];
  constexpr double others = double(dim) - 1;
  s[0] = 1 - others - scale_squared + square * inverse;
  s[1] = -(x[1] - 3 * (2 * p - 1)) * inverse;
  for (std::size_t a = 2; a < dim; ++a)
    s[a] = -x[a] * inverse;
  return top + std::log(sum) + (1 - others) * u - .5 * scale_squared;
}

/// Exact draws, but for those in the neck around 3, of which there are none.
Frame::Matrix without_a_neck(std::size_t count, std::uint64_t seed) {
  Frame::Matrix x = Frame::Matrix::Zero(Eigen::Index(count), Eigen::Index(dim));
  const Philox philox(seed);
  Eigen::Index made = 0;
  for (std::uint64_t draw = 0; made < x.rows(); ++draw) {
    const double scale = std::abs(normal_pair(philox(Stream::user, draw, 0))[0]);
    const double side = uniform(philox(Stream::user, draw, 1)) < share_at_3 ? 1 : -1;
    if (side > 0 && scale < neck)
      continue;
    x(made, 0) = std::log(scale);
    for (std::size_t a = 1; a < dim; ++a)
      x(made, Eigen::Index(a)) =
          scale * normal_pair(philox(Stream::user, draw, 1 + a))[0] + (a == 1 ? 3 * side : 0);
    ++made;
  }
  return x;
}

/// The bend of the funnel around -3: the others are -3 or 0, plus a scale times t.
Frame bent() {
  std::vector<Bend::Dependent> dependents;
  for (std::size_t a = 1; a < dim; ++a)
    dependents.push_back({a, {0}, Eigen::Vector3d::Zero(), Eigen::Vector3d(0, 1, 0)});
  Eigen::VectorXd centre = Eigen::VectorXd::Zero(Eigen::Index(dim));
  centre[1] = -3;
  const auto n = Eigen::Index(dim);
  return Frame(dim).bent_by(Bend(std::move(centre), Eigen::VectorXd::Ones(n), dependents));
}

/// The share of walkers in the neck around 3, where they began without any, after 600 moves of
/// which every third is made in this frame.
double entered(const Frame& every_third, double step) {
  CountedDensity density(each(two_funnels));
  Cloud walkers = cloud_at(without_a_neck(1000, 1), density);
  for (Step move = 0; move < 600; ++move) {
    const bool other = move % 3 == 2;
    exact::move(walkers, other ? every_third : bent(), {.step = other ? step : .3}, density, 2,
                move);
  }
  const auto in_neck = walkers.x.col(1).array() > 0 && walkers.x.col(0).array() < std::log(neck);
  return double(in_neck.count()) / double(walkers.count());
}

// The exact share is that of the funnel times that of normals within .6.
constexpr double exact_share = share_at_3 * 0.4515, se = 0.0113; // of 1000 draws

TEST(TwoFunnels, AreBothEnteredByMovesOfWhichSomeDoNotBend) {
  EXPECT_NEAR(entered(Frame(dim), .15), exact_share, 4 * se);
}

TEST(TwoFunnels, AreNotByMovesThatAllBend) { EXPECT_LT(entered(bent(), .3), exact_share - 4 * se); }

// Seven moves of a round, and the same by hand: the third and the sixth without a bend where moves
// of the trial before diverged.
TEST(TwoFunnels, HaveEveryThirdMoveWithoutABendWhereTheyDiverged) {
  Settings settings = small(256);
  settings.metric = stages::Metric::bent;
  settings.bends = stages::Bends::better;
  const std::unique_ptr<stages::Guide> guide = stages::guide_by(each(two_funnels), dim);
  const stages::ReadColumns nothing_read;
  const stages::Context context{*guide, settings, nothing_read, Threads::alone()};
  for (const double diverged : {.1, .01}) {
    stages::State state;
    state.frame = bent();
    state.leap = .3;
    state.straight_leap = .15;
    state.certificate.emplace().diverged = diverged;
    Cloud walkers = cloud_at(without_a_neck(256, 1), guide->density());
    stages::Trial trial(context, state, walkers, {.moves = 14, .adapts = false, .of_cloud = false});
    ASSERT_TRUE(state.frame.bend());
    const Frame straight = context.straightened(walkers);
    for (Step move = 0; move < 7; ++move) {
      trial.move(context, state);
      if (diverged > settings.tolerated_divergence && move % 3 == 2)
        exact::move(walkers, straight, {.step = .15}, guide->density(), settings.seed, move);
      else
        exact::move(walkers, state.frame, {.step = state.leap}, guide->density(), settings.seed,
                    move);
      EXPECT_EQ(trial.walkers().x, walkers.x) << move;
    }
  }
}

/// The step of moves in a frame that does not bend, beside one that does; 0: there were none.
double straight_step(double (*one)(std::span<const double>, std::span<double>),
                     const Settings& settings) {
  Group group(each(one), dim, settings);
  to_the_end(group);
  EXPECT_TRUE(group.state().frame.bend());
  EXPECT_TRUE(group.state().settled);
  return group.state().straight_leap;
}

TEST(TwoFunnels, HaveSomeMovesWithoutABendSinceMovesDiverge) {
  Settings settings = small(256);
  settings.settle_always = true;
  EXPECT_GT(straight_step(two_funnels, settings), 0);
  EXPECT_EQ(straight_step(funnel, settings), 0); // a bend makes all of it straight
  settings.tolerated_divergence = 1;
  EXPECT_EQ(straight_step(two_funnels, settings), 0);
}

} // namespace

} // namespace starling
