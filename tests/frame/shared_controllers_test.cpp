// The bend of a centred hierarchy, in which eight parameters have the same controllers.
#include "support/normals.hpp"

#include <starling/bend.hpp>
#include <starling/frame.hpp>

#include <gtest/gtest.h>

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

} // namespace shared_controllers_tests
