// Looks around a cloud: they hit what no particle has met, and nothing else.
#include <starling/scout/look.hpp>

#include "scout/blobs.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace starling;
using namespace starling::scout;

Looked looked(const DensityOfRows& density, const Frame::Matrix& x, std::uint64_t seed) {
  CountedDensity asked(density);
  ModeSearch search;
  search.seed = seed;
  return look_around(cloud_at(rows_of(x), asked), asked, {}, search, 0);
}

TEST(LookAround, HitsNothingAroundExactDraws) {
  for (const std::size_t dim : {1, 2, 5, 20})
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const std::vector<blobs::Blob> one{{std::vector<double>(dim, 3)}};
      const Looked found = looked(blobs::density(one), blobs::draws(one, 256, seed), seed);
      EXPECT_EQ(found.hits, 0u) << dim << " " << seed;
      EXPECT_EQ(found.looks, 2000u);
      EXPECT_EQ(found.modes.size(), 1u);
    }
}

// Half of a normal is as high as the other half. The whole, the control, has no hits above.
TEST(LookAround, HitsTheHalfThatIsMissing) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Frame::Matrix x = blobs::draws({{{0, 0}}}, 256, seed);
    x.col(0) = x.col(0).cwiseAbs();
    const Looked found = looked(blobs::density({{{0, 0}}}), x, seed);
    EXPECT_GT(found.hits, 10u) << seed;
    EXPECT_EQ(found.modes.size(), 1u);
  }
}

TEST(LookAround, AsksForAFewThousandGradients) {
  CountedDensity asked(blobs::density({{std::vector<double>(20, 0)}}));
  const Frame::Matrix x = blobs::draws({{std::vector<double>(20, 0)}}, 256, 1);
  const Cloud cloud = cloud_at(rows_of(x), asked);
  const std::uint64_t before = asked.gradients();
  look_around(cloud, asked, {}, {}, 0);
  EXPECT_LT(asked.gradients() - before, 4000u); // a default run of 256 takes 65,000
}

// A ring has one mode, which goes all around; two rings, one in the other, are not one.
TEST(LookAround, TakesARingForOneMode) {
  const auto rings = [](std::vector<double> radii) {
    return [radii](Rows<const double> x, Rows<double> s, std::span<double> l) {
      for (std::size_t i = 0; i < x.count; ++i) {
        const double r = std::max(1e-9, std::hypot(x[i][0], x[i][1]));
        double nearest = radii[0];
        for (const double one : radii)
          nearest = std::abs(r - one) < std::abs(r - nearest) ? one : nearest;
        l[i] = -2 * std::pow(r - nearest, 2);
        for (const std::size_t a : {0, 1})
          s[i][a] = -4 * (r - nearest) * x[i][a] / r;
      }
    };
  };
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Frame::Matrix x = blobs::draws({{{0, 0}}}, 256, seed);
    for (Eigen::Index i = 0; i < x.rows(); ++i)
      x.row(i) *= (5 + .5 * x(i, 0)) / x.row(i).norm();
    EXPECT_EQ(looked(rings({5}), x, seed).modes.size(), 1u) << seed;
    for (Eigen::Index i = 0; i < x.rows(); i += 2)
      x.row(i) *= 3;
    EXPECT_GT(looked(rings({5, 15}), x, seed).modes.size(), 1u) << seed;
  }
}

} // namespace
