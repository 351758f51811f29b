// A journey in a frame of low rank, where a diagonal one does not do.
#include <starling/run/journey.hpp>

#include "journey/densities.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>

#include <cmath>
#include <limits>
#include <optional>

namespace {

using namespace starling;
using namespace starling::journey;
using judge::Finding;
using run::Stage;

// A normal in 120 dimensions, three directions of which are 1000 times as wide as the rest.
DensityOfRows wide(const Frame& truth, const Eigen::MatrixXd& v) {
  return [truth, v](Rows<const double> x, Rows<double> s, std::span<double> l) {
    Frame::Matrix y = truth.in(x);
    for (std::size_t i = 0; i < x.count; ++i)
      l[i] = -.5 * y.row(Eigen::Index(i)).squaredNorm();
    y += (y * v) * (1e-3 - 1) * v.transpose(); // scores in x are -L^-T y
    Frame::map(s) = -y;
  };
}

TEST(Journey, FliesInFewDirectionsBesideADiagonal) {
  constexpr std::size_t d = 120, n = 256;
  const Eigen::MatrixXd v =
      Eigen::HouseholderQR<Eigen::MatrixXd>(Eigen::MatrixXd(normals(d, 3, 1))).householderQ() *
      Eigen::MatrixXd::Identity(d, 3);
  const Frame truth = Frame::low_rank(Eigen::VectorXd::Zero(d), Eigen::VectorXd::Ones(d),
                                      Eigen::Vector3d::Constant(1000), v);
  for (const run::Metric metric : {run::Metric::low_rank, run::Metric::diagonal}) {
    JourneySettings settings = small(n);
    settings.metric = metric;
    settings.settle_rounds = 0;
    Journey journey(wide(truth, v), d, settings);
    std::optional<run::JourneyState> half;
    while (!journey.finished()) {
      journey.take(1);
      if (journey.progress().stage == Stage::fly && journey.progress().done == 40)
        half = journey.save();
    }
    const Frame::Matrix y = truth.in(journey.positions());
    const double width = std::sqrt((y * v).array().square().mean());
    if (metric == run::Metric::diagonal) {
      EXPECT_NE(journey.certificate()->finding, Finding::confirmed);
      continue;
    }
    EXPECT_EQ(journey.certificate()->finding, Finding::confirmed);
    EXPECT_NEAR(width, 1, .1);
    Journey again(wide(truth, v), d, settings);
    ASSERT_TRUE(half);
    again.restore(*half);
    again.take(std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(again.save().columns, journey.save().columns);
  }
}

} // namespace
