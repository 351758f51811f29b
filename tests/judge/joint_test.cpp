// What no single parameter shows: the log density and directions in the move test, and the
// identities beside it.
#include <starling/judge/certified.hpp>
#include <starling/random/philox.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace joint_tests {

using namespace starling;
using namespace starling::judge;
using testing::HasSubstr;

constexpr std::size_t count = 500;
constexpr double correlation = 0.95, slant = 0.31224989991991997; // sqrt(1 - correlation^2)

struct Point {
  double x, y;
};

Point normals(std::uint64_t move, std::size_t i) {
  const auto pair = normal_pair(Philox(5)(Stream::user, move, i));
  return {pair[0], pair[1]};
}

std::vector<Point> cloud(bool correlated, double width = 1) {
  std::vector<Point> all;
  for (std::size_t i = 0; i < count; ++i) {
    const Point z = normals(0, i);
    all.push_back({width * z.x, width * (correlated ? correlation * z.x + slant * z.y : z.y)});
  }
  return all;
}

/// Two parameters, and as many columns of the joint as are followed.
std::vector<double> columns(const std::vector<Point>& cloud, const Joint& joint) {
  std::vector<double> all;
  for (const auto [x, y] : cloud) {
    all.insert(all.end(), {x, y});
    if (joint.log_density)
      all.push_back(-(x * x - 2 * correlation * x * y + y * y) / (2 * slant * slant));
    for (std::size_t k = 0; k < joint.directions; ++k)
      all.push_back(x * std::cos(1 + 2.0 * double(k)) + y * std::sin(1 + 2.0 * double(k)));
  }
  return all;
}

/// Moves of an exact sampler of two correlated normals that remembers half.
MoveTest tested(std::vector<Point> cloud, const Joint& joint) {
  const std::size_t width = 2 + joint.columns();
  const std::vector<double> before = columns(cloud, joint);
  const Rows<const double> rows{before.data(), count, width};
  MoveTest test(rows, rows, 2, joint);
  for (std::uint64_t move = 1; move <= 20; ++move) {
    for (std::size_t i = 0; i < count; ++i) {
      const Point z = normals(move, i);
      auto& [x, y] = cloud[i];
      x = .5 * x + std::sqrt(.75) * z.x;
      y = .5 * y + std::sqrt(.75) * (correlation * z.x + slant * z.y);
    }
    if (move <= 10)
      continue;
    const std::vector<double> now = columns(cloud, joint);
    test.add({now.data(), count, width});
  }
  return test;
}

constexpr Joint none{}, density{true, 0}, directions{false, 4}, both{true, 4};

TEST(Joint, ShowsACloudWhoseParametersAreRightAndWhoseCorrelationIsNot) {
  EXPECT_EQ(tested(cloud(false), none).judge().finding, Finding::confirmed); // it sees neither
  for (const Joint& joint : {density, directions, both}) {
    const Certificate found = tested(cloud(false), joint).judge();
    EXPECT_EQ(found.finding, Finding::moved);
    EXPECT_NE(found.worst.of, TraitOf::column);
    EXPECT_EQ(found.all.size(), 6u); // of the parameters
    EXPECT_EQ(found.joint.size(), 3 * std::size_t(joint.log_density) + joint.directions);
  }
}

TEST(Joint, ConfirmsARightCloud) {
  for (const Joint& joint : {none, density, directions, both})
    EXPECT_EQ(tested(cloud(true), joint).judge().finding, Finding::confirmed);
}

TEST(Joint, IsHeldAgainstAnotherCloudToo) {
  const std::vector<double> right = columns(cloud(true), both), wrong = columns(cloud(false), both);
  const MoveTest test = tested(cloud(true), both);
  EXPECT_EQ(test.judge_other({right.data(), count, 7}).finding, Finding::confirmed);
  EXPECT_EQ(test.judge_other({wrong.data(), count, 7}).finding, Finding::moved);
}

// A polish must be no worse than what it was made of: here one that has lost a part of the
// correlation, which is still within all bounds of the parameters.
TEST(Joint, ShowsWhetherAnotherCloudIsWorse) {
  const MoveTest test = tested(cloud(true), both);
  const Certificate before = test.judge();
  const auto judged = [&](const std::vector<Point>& other) {
    const std::vector<double> x = columns(other, both);
    return test.judge_other({x.data(), count, 7});
  };
  EXPECT_FALSE(any_worse(before, before));
  EXPECT_FALSE(any_worse(judged(cloud(true, 1.01)), before));
  std::vector<Point> looser = cloud(true);
  for (std::size_t i = 0; i < count; ++i)
    looser[i].y += .25 * normals(99, i).x;
  EXPECT_TRUE(any_worse(judged(looser), before));
  EXPECT_TRUE(any_worse(judged(looser), before, {}, 1.5));
  EXPECT_FALSE(any_worse(judged(looser), before, {}, 100));
  EXPECT_FALSE(any_worse(before, judged(looser))); // better
  EXPECT_TRUE(any_worse({}, before));              // of other moves
}

TEST(Joint, IsNamedInTheSentence) {
  const std::vector<std::string> names{"a", "b"};
  const Judgement high = judge_by_moves(tested(cloud(false), density).judge(), names, 1);
  EXPECT_EQ(high.verdict, Verdict::still_moving);
  EXPECT_THAT(sentence(high), HasSubstr("HMC moves shift the mean of the log density up by"));
  const Judgement along = judge_by_moves(tested(cloud(false), directions).judge(), names, 1);
  EXPECT_THAT(sentence(along), HasSubstr("a direction of several parameters"));
}

TEST(Joint, HasNoMoreColumnsThanThereAre) {
  const std::vector<double> x(8);
  const Rows<const double> rows{x.data(), 4, 2};
  EXPECT_THROW(MoveTest(rows, rows, 2, {true, 2}), std::invalid_argument);
}

TEST(MovingErrors, GrowWithTheNumberOfTraits) {
  EXPECT_NEAR(moving_errors(1), 1.96, .001);
  EXPECT_NEAR(moving_errors(6000), 4.45, .01);
  for (const std::size_t traits : {std::size_t{3}, std::size_t{40}}) {
    const double within = std::erf(moving_errors(traits) / std::sqrt(2.0));
    EXPECT_NEAR(std::pow(within, double(traits)), .95, 1e-9);
  }
}

TEST(Identities, TakeConvergedBackBeyondTheirErrors) {
  const Judgement moves{Verdict::converged, evidence::MovesConfirm{.moves = 20}};
  const auto judged = [&](double identity, double se, const Judgement& by) {
    ParameterSummary right, other;
    right.name = "a", right.spread_identity = 1.02, right.identity_se = .05;
    other.name = "b", other.spread_identity = identity, other.identity_se = se;
    return with_identities(by, {right, other});
  };
  for (const auto& [identity, se] : {std::pair{11.5, 1.0}, {.3, .1}, {0.0, 0.0}}) {
    const Judgement found = judged(identity, se, moves);
    EXPECT_EQ(found.verdict, Verdict::cannot_tell) << identity;
    EXPECT_THAT(sentence(found), HasSubstr("the spread identity of b is"));
  }
  for (const auto& [identity, se] :
       {std::pair{1.3, .02}, {.7, .05}, {5.0, 1.0}, {1.0, 0.0}, {14.0, double(NAN)}})
    EXPECT_TRUE(judged(identity, se, moves).converged()) << identity;
  const Judgement moving{Verdict::still_moving, evidence::Failed{"go on"}};
  EXPECT_EQ(sentence(judged(11.5, 1, moving)), "go on");
}

// Of a density that ends at a step an identity is not 1: there it says nothing.
TEST(Identities, SayNothingWhereTheDensityEndsAtAStep) {
  const Judgement moves{Verdict::converged, evidence::MovesConfirm{20, 0, .05, .1, {}}};
  ParameterSummary cut, other;
  cut.name = "a", cut.spread_identity = .36, cut.identity_se = .03;
  other.name = "b", other.spread_identity = 1, other.identity_se = .03;
  const auto judged = [&](std::size_t ends) {
    return with_identities(moves, {cut, other}, [&](std::size_t a) { return a == ends; });
  };
  EXPECT_TRUE(judged(0).converged());
  EXPECT_FALSE(judged(1).converged());
}

TEST(Search, TakesConvergedBackAndElseSaysWhatWasSearched) {
  const Judgement moves{Verdict::converged, evidence::MovesConfirm{20, 0, .05, .1, {}}};
  const Judgement still{Verdict::still_moving, evidence::MovesConfirm{20, 0, .05, .1, {}}};
  Searched searched{.searches = 1, .climbs = 12, .looks = 2000};
  const std::vector<std::string> names{"a", "b"};
  const Judgement clear = with_search(moves, searched, names);
  EXPECT_TRUE(clear.converged());
  EXPECT_THAT(sentence(clear), HasSubstr("; a search (12 climbs, 2000 places) found 1 mode"));
  EXPECT_EQ(sentence(with_search(moves, {}, names)), sentence(moves)); // nothing was searched
  searched.hits = 7;
  EXPECT_EQ(with_search(moves, searched, names).verdict, Verdict::cannot_tell);
  EXPECT_THAT(sentence(with_search(moves, searched, names)), HasSubstr("7 of 2000 places"));
  EXPECT_EQ(with_search(still, searched, names).verdict, Verdict::still_moving);
  searched.light = {.001, 1, 50, 50};
  const Judgement light = with_search(moves, searched, names);
  EXPECT_EQ(light.verdict, Verdict::cannot_tell);
  EXPECT_THAT(sentence(light), HasSubstr("a mode at b = 50"));
  EXPECT_THAT(sentence(light), HasSubstr("its variance 250 % larger"));
}

TEST(Failures, TakeConvergedBackWhereTheyAreMany) {
  const Judgement moves{Verdict::converged, evidence::MovesConfirm{.moves = 20}};
  EXPECT_TRUE(with_failures(moves, {.log_density = 1, .score = 2}, 1000).converged());
  EXPECT_TRUE(with_failures(moves, {.zero = 500}, 1000).converged()); // a wall is no failure
  EXPECT_TRUE(with_failures(moves, {}, 0).converged());
  const Judgement many = with_failures(moves, {.log_density = 2, .score = 2}, 1000);
  EXPECT_EQ(many.verdict, Verdict::cannot_tell);
  EXPECT_THAT(sentence(many), HasSubstr("not finite at 4 of 1000 places"));
  EXPECT_THAT(sentence(with_failures(moves, {.log_density = 9}, 1000)),
              HasSubstr("the log density is NaN at 9 of"));
}

} // namespace joint_tests
