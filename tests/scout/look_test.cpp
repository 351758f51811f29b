// Looks around a cloud: they hit what no particle has met, and nothing else.
#include <starling/scout/look.hpp>

#include "scout/blobs.hpp"
#include "scout/looked.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace {

using namespace starling;
using namespace starling::scout;
using blobs::looked;

TEST(LookAround, HitsNothingAroundExactDraws) {
  for (const std::size_t dim : {1, 2, 5, 20})
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const std::vector<blobs::Blob> one{{std::vector<double>(dim, 3)}};
      const Looked found = looked(blobs::density(one), blobs::draws(one, 256, seed), seed);
      EXPECT_EQ(found.hits, 0u) << dim << " " << seed;
      EXPECT_EQ(found.looks, dim > 1 ? 6000u : 2000u); // far ones too, and around the origin
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
  EXPECT_LT(asked.gradients() - before, 8000u); // a default run of 256 takes 65,000
}

/// .7 of the mass where the draws are, with sd 1, and .3 with another sd.
std::vector<blobs::Blob> beside(const std::vector<double>& here, const std::vector<double>& there,
                                double sd) {
  return {{here, 1, .7}, {there, sd, .3}};
}
/// So far from the origin, the same way whatever the seed of the search.
std::vector<double> somewhere(std::size_t dim, double far, std::uint64_t way) {
  Eigen::VectorXd z(dim);
  for (std::size_t a = 0; a < dim; ++a)
    z[Eigen::Index(a)] = normal_pair(Philox(way)(Stream::user, 7, a))[0];
  z *= far / z.norm();
  return {z.data(), z.data() + z.size()};
}
int searches_that_find(const std::vector<blobs::Blob>& both, int seeds) {
  int found = 0;
  for (int seed = 1; seed <= seeds; ++seed)
    found += looked(blobs::density(both), blobs::draws({both[0]}, 256, std::uint64_t(seed)),
                    std::uint64_t(seed))
                 .modes.size() == 2;
  return found;
}

// A mode that is half as wide draws nothing beyond a ball around it, which climbs from all around
// do not meet: of 4000 looks some do, in few dimensions. In 20 none does, the control.
TEST(LookAround, FindsANarrowModeInFewDimensions) {
  for (const std::size_t dim : {3, 5})
    for (const std::uint64_t way : {1, 2})
      EXPECT_GE(searches_that_find(beside(somewhere(dim, 4, 3), somewhere(dim, 12, way), .5), 10),
                9)
          << dim << " " << way;
  EXPECT_EQ(searches_that_find(beside(somewhere(20, 4, 3), somewhere(20, 24, 1), .5), 5), 0);
}

// Two modes that are as far from the origin as each other, at random places: looks around the
// origin find the narrow one. Without them nothing does, nor where the origin is somewhere else:
// controls.
TEST(LookAround, FindsANarrowModeAsFarFromTheOrigin) {
  constexpr std::size_t dim = 10;
  const auto finds = [](std::uint64_t way, std::size_t level, double shift) {
    std::vector<double> here = somewhere(dim, 13, 3), there = somewhere(dim, 13, way);
    for (std::size_t a = 0; a < dim; ++a)
      here[a] += shift, there[a] += shift;
    const std::vector<blobs::Blob> both = beside(here, there, .5);
    CountedDensity asked(blobs::density(both));
    ModeSearch search;
    search.seed = way;
    search.level_looks = level;
    const Frame::Matrix x = blobs::draws({both[0]}, 256, way);
    return look_around(cloud_at(rows_of(x), asked), asked, {}, search, 0).modes.size() == 2;
  };
  int found = 0, without = 0, elsewhere = 0;
  for (std::uint64_t way = 11; way < 31; ++way) {
    found += finds(way, 4, 0);
    without += finds(way, 0, 0);
    elsewhere += finds(way, 4, 50);
  }
  EXPECT_GE(found, 16);
  EXPECT_LE(without, 2);
  EXPECT_LE(elsewhere, 4);
}

// Where models have modes, in any number of dimensions: all parameters moved together, by as much
// or by as many widths, and beyond the origin. Elsewhere, the control, it is not found.
TEST(LookAround, FindsANarrowModeAlongWhatModelsShare) {
  constexpr std::size_t dim = 20;
  const std::vector<double> left(dim, -3), right(dim, 3), up(dim, 5);
  const std::vector<double> any = somewhere(dim, 12, 5);
  std::vector<double> opposite, moved, aside = any;
  for (const double v : any) {
    opposite.push_back(-v);
    moved.push_back(v + 4);
  }
  for (std::size_t a = 0; a < dim; ++a)
    aside[a] += a % 2 == 0 ? 4 : -4;
  EXPECT_EQ(searches_that_find(beside(left, right, .5), 5), 5);
  EXPECT_EQ(searches_that_find(beside(right, up, .3), 5), 5);
  EXPECT_EQ(searches_that_find(beside(any, opposite, .1), 5), 5);
  EXPECT_EQ(searches_that_find(beside(any, moved, .5), 5), 5);
  EXPECT_EQ(searches_that_find(beside(any, aside, .5), 5), 0);
}

/// In units of their own: x_a = unit_a u_a.
DensityOfRows in_units(const DensityOfRows& plain, const Eigen::RowVectorXd& unit) {
  return [=](Rows<const double> x, Rows<double> score, std::span<double> log_density) {
    Frame::Matrix u = Frame::map(x);
    u.array().rowwise() /= unit.array();
    plain(rows_of(std::as_const(u)), score, log_density);
    Frame::map(score).array().rowwise() /= unit.array();
  };
}

// Where parameters have units of their own, by as much and by as many widths are two directions.
TEST(LookAround, FindsANarrowModeInAnyUnits) {
  constexpr Eigen::Index dim = 20;
  Eigen::RowVectorXd unit(dim);
  for (Eigen::Index a = 0; a < dim; ++a)
    unit[a] = std::pow(10, double(a) / double(dim - 1));
  const std::vector<double> here = somewhere(dim, 12, 5);
  std::vector<double> by_widths, by_as_much, by_neither;
  for (std::size_t a = 0; a < here.size(); ++a) {
    const double u = unit[Eigen::Index(a)];
    by_widths.push_back(here[a] + 5);
    by_as_much.push_back(here[a] + 50 / u);
    by_neither.push_back(here[a] + (a % 2 == 0 ? 5 : -5));
  }
  const auto finds = [&](const std::vector<double>& there) {
    const std::vector<blobs::Blob> both = beside(here, there, .5);
    Frame::Matrix x = blobs::draws({both[0]}, 256, 1);
    x.array().rowwise() *= unit.array();
    return looked(in_units(blobs::density(both), unit), x, 1).modes.size() == 2;
  };
  EXPECT_TRUE(finds(by_widths));
  EXPECT_TRUE(finds(by_as_much));
  EXPECT_FALSE(finds(by_neither));
}

// Around a normal every score leads back to it; near a narrow mode, to that one.
TEST(LookAround, SeesPlacesThatAreLedElsewhere) {
  const std::vector<blobs::Blob> both = beside({0, 0, 0}, {10, 0, 0}, .5);
  const Frame::Matrix x = 6 * blobs::draws({{{0, 0, 0}}}, 3000, 1);
  const std::vector<Frame> known(1, Frame(3));
  CountedDensity one(blobs::density({both[0]})), two(blobs::density(both));
  EXPECT_EQ(led_elsewhere(cloud_at(rows_of(x), one), known, 16).rows(), 0);
  const Frame::Matrix led = led_elsewhere(cloud_at(rows_of(x), two), known, 16);
  ASSERT_EQ(led.rows(), 16);
  for (Eigen::Index i = 0; i < led.rows(); ++i) // the ball: nearer than half as far
    EXPECT_LT((led.row(i) - Eigen::RowVector3d(10, 0, 0)).norm(), .55 * led.row(i).norm());
  std::vector<Frame> both_known = known;
  both_known.push_back(Frame::diagonal(Eigen::Vector3d(10, 0, 0), Eigen::Vector3d::Constant(.5)));
  EXPECT_EQ(led_elsewhere(cloud_at(rows_of(x), two), both_known, 16).rows(), 0);
}

/// Draws of a cross of two arms, each 10 by .1.
Frame::Matrix cross_draws(std::uint64_t seed) {
  Frame::Matrix x = blobs::draws({{{0, 0}}}, 1024, seed);
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    x(i, i % 2) *= 10;
    x(i, 1 - i % 2) *= .1;
  }
  return x;
}

// Its arms are parts; a normal, the control, is one, and so is a correlated one.
TEST(PartsOfDraws, AreTheArmsOfACross) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const std::vector<Mode> arms = parts_of_draws(rows_of(cross_draws(seed)), seed);
    ASSERT_EQ(arms.size(), 2u) << seed;
    for (const Mode& one : arms) {
      const Eigen::VectorXd width = one.frame.spreads();
      EXPECT_NEAR(width.maxCoeff(), 10, 1.5);
      EXPECT_NEAR(width.minCoeff(), .1, .05);
    }
    Frame::Matrix x = blobs::draws({{{3, 3, 3}}}, 1024, seed);
    EXPECT_EQ(parts_of_draws(rows_of(x), seed).size(), 0u) << seed;
    x.col(0) += 5 * x.col(1);
    EXPECT_EQ(parts_of_draws(rows_of(x), seed).size(), 0u) << seed;
  }
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
