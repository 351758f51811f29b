// The bend of a centred hierarchy, in which eight parameters have the same controllers.
#include "frame/bent_cloud.hpp"
#include "frame/search_bend.hpp"
#include "support/normals.hpp"

#include <starling/bend.hpp>
#include <starling/frame.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace shared_controllers_tests {

using namespace starling;
using support::normals;

/// Draws of mu, of the logarithm of tau, and of eight that lie around mu, tau wide; and their
/// scores.
struct Hierarchy {
  Frame::Matrix x, score;

  Hierarchy(Eigen::Index rows, std::uint64_t seed) : x(normals(rows, 10, seed)), score(-x) {
    const Eigen::ArrayXd precision = (-2 * x.col(1).array()).exp();
    const Frame::Matrix from = x.col(1).array().exp().matrix().asDiagonal() * x.rightCols(8);
    score.rightCols(8) = precision.matrix().asDiagonal() * -from;
    score.col(0) -= score.rightCols(8).rowwise().sum();
    score.col(1).array() += from.rowwise().squaredNorm().array() * precision - 8;
    x.rightCols(8) = from.colwise() + x.col(0);
  }

  std::optional<Bend> bend(const Bend* before = nullptr) const {
    return fit_bend(rows_of(x), rows_of(score), false, before);
  }
};

bool all_by_mu_and_tau(const std::optional<Bend>& bend) {
  std::size_t found = 0;
  for (const Bend::Dependent& one : bend ? bend->dependents() : std::vector<Bend::Dependent>())
    found += std::set<std::size_t>(one.controllers.begin(), one.controllers.end()) ==
             std::set<std::size_t>{0, 1};
  return found == 8;
}

// From as many draws as walkers make the rounds. One who is left out holds all of them back. Where
// mu was not found at all, the next frame may find it.
TEST(SharedControllers, AreOfferedToAll) {
  std::size_t all = 0;
  for (std::uint64_t seed = 10; seed < 20; ++seed)
    all += all_by_mu_and_tau(Hierarchy(128, seed).bend());
  EXPECT_GE(all, 6u); // fewer where nobody shares
}

// Fifty draws are too few to find who controls whom, and enough to fit what is known.
TEST(SharedControllers, AreKeptByTheNextBend) {
  const std::optional<Bend> before = Hierarchy(1000, 20).bend();
  ASSERT_TRUE(all_by_mu_and_tau(before));
  std::size_t alone = 0, after = 0;
  for (std::uint64_t seed = 30; seed < 40; ++seed) {
    const Hierarchy few(50, seed);
    alone += all_by_mu_and_tau(few.bend());
    after += all_by_mu_and_tau(few.bend(&*before));
  }
  EXPECT_GE(after, 9u);
  EXPECT_LE(alone, 5u);
}

// Whatever was taken, before or after the last time, residuals are those of the parameters as they
// are; and a controller's own mean and width follow what it controls.
TEST(BentCloud, FollowsWhatIsTaken) {
  const Hierarchy hierarchy(200, 3);
  bending::BentCloud cloud(rows_of(hierarchy.x), rows_of(hierarchy.score)), at_once = cloud;
  const bending::Dependent tau = cloud.now(1), free = cloud.now(9);
  for (const std::size_t i : {2u, 3u, 4u}) {
    bending::Dependent one = cloud.controlled(i, {0, 1});
    cloud.fit(one, bending::Part::fitted);
    cloud.take(one);
    at_once.take(one);
    if (i < 4) // and once after the last
      cloud.follow();
  }
  cloud.follow();
  at_once.follow();
  EXPECT_EQ(cloud.residuals(), at_once.residuals());
  EXPECT_EQ(cloud.squares(), at_once.squares());
  EXPECT_EQ(cloud.excess(), at_once.excess());
  for (std::size_t i = 0; i < cloud.dim(); ++i) {
    const Eigen::ArrayXd sum = cloud.residual(cloud.now(i)).sum;
    EXPECT_TRUE((cloud.residuals().col(Eigen::Index(i)).array() == sum.max(-10.0).min(10.0)).all())
        << i;
  }
  EXPECT_NE(cloud.now(1).log_width, tau.log_width);
  EXPECT_EQ(cloud.now(9).log_width, free.log_width);
}

/// Six that lie on a paraboloid of three others: two of the three are found at once, the third in a
/// later round, when what was fitted with it alone holds no more.
struct Paraboloid {
  Frame::Matrix x, score;

  Paraboloid(Eigen::Index rows, std::uint64_t seed) : x(normals(rows, 9, seed)), score(-x) {
    const Eigen::RowVector3d bends(.5, .3, .18);
    const Frame::Matrix c = x.leftCols(3), t = x.rightCols(6);
    const Eigen::VectorXd mean = c.cwiseAbs2() * bends.transpose();
    x.rightCols(6).colwise() += mean;
    score.leftCols(3) += 2 * t.rowwise().sum().asDiagonal() * c * bends.asDiagonal();
  }
};

template <typename Density>
std::size_t found_as_by_the_slow_twin(std::uint64_t seed) {
  using bending::BentCloud, bending::Fits;
  const Density density(200, seed);
  const BentCloud straight(rows_of(density.x), rows_of(density.score));
  const Bend fast = bending::searched(straight).bend();
  const Bend slow = bending::searched(straight, Fits::again).bend();
  EXPECT_EQ(fast.dependents().size(), slow.dependents().size());
  const std::size_t found = std::min(fast.dependents().size(), slow.dependents().size());
  for (std::size_t n = 0; n < found; ++n) {
    const Bend::Dependent &one = fast.dependents()[n], &twin = slow.dependents()[n];
    EXPECT_EQ(one.parameter, twin.parameter);
    EXPECT_EQ(one.controllers, twin.controllers);
    EXPECT_TRUE(one.mean == twin.mean && one.log_width == twin.log_width);
  }
  return found;
}

// Slow twin: a search that fits all pairs in each of its rounds.
TEST(SearchedBend, IsThatOfASearchThatRemembersNoFit) {
  std::size_t found = 0;
  for (const std::uint64_t seed : {1, 2, 3})
    found +=
        found_as_by_the_slow_twin<Hierarchy>(seed) + found_as_by_the_slow_twin<Paraboloid>(seed);
  EXPECT_GE(found, 42u);
}

} // namespace shared_controllers_tests
