// A group in a frame of low rank, where a diagonal one does not do.
#include <starling/stages/group.hpp>

#include "stages/densities.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>

#include <cmath>
#include <limits>
#include <optional>

namespace {

using namespace starling;
using namespace starling::stage_tests;
using judge::Finding;

// A normal in 120 dimensions, three directions of which are 1000 times as wide as the rest.
DensityOfRows wide(const Frame& truth, const Eigen::MatrixXd& v) {
  return [truth, v](Rows<const double> x, Rows<double> s, std::span<double> l) {
    Frame::Matrix y = truth.inverse(x);
    for (std::size_t i = 0; i < x.count; ++i)
      l[i] = -.5 * y.row(Eigen::Index(i)).squaredNorm();
    y += (y * v) * (1e-3 - 1) * v.transpose(); // scores in x are -L^-T y
    Frame::map(s) = -y;
  };
}

TEST(Group, FliesInFewDirectionsBesideADiagonal) {
  constexpr std::size_t d = 120, n = 256;
  const Eigen::MatrixXd v =
      Eigen::HouseholderQR<Eigen::MatrixXd>(Eigen::MatrixXd(normals(d, 3, 1))).householderQ() *
      Eigen::MatrixXd::Identity(d, 3);
  const Frame truth = Frame::low_rank(Eigen::VectorXd::Zero(d), Eigen::VectorXd::Ones(d),
                                      Eigen::Vector3d::Constant(1000), v);
  for (const stages::Metric metric : {stages::Metric::low_rank, stages::Metric::diagonal}) {
    Settings settings = small(n);
    settings.metric = metric;
    settings.settle_rounds = 0;
    Group group(wide(truth, v), d, settings);
    std::optional<std::string> half;
    while (!group.finished()) {
      group.take(1);
      if (!group.finished() && group.stage() == stages::index_of<stages::Fly> &&
          group.progress().done == 40)
        half = saved(group);
    }
    const Frame::Matrix y = truth.inverse(group.positions());
    const double width = std::sqrt((y * v).array().square().mean());
    if (metric == stages::Metric::diagonal) {
      EXPECT_NE(group.certificate()->finding, Finding::confirmed);
      continue;
    }
    EXPECT_EQ(group.certificate()->finding, Finding::confirmed);
    EXPECT_NEAR(width, 1, .1);
    Group again(wide(truth, v), d, settings);
    ASSERT_TRUE(half);
    restore(again, *half);
    again.take(std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(saved(again), saved(group));
  }
}

} // namespace
