// Moves that diverge: counted as one particle at a time would, and walls are none.
#include <starling/exact/hmc.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

using namespace starling;
using exact::Stride;

constexpr std::uint64_t seed = 9;

Cloud normals(std::size_t count, CountedDensity& density) {
  Frame::Matrix x(Eigen::Index(count), 1);
  for (std::size_t i = 0; i < count; ++i)
    x(Eigen::Index(i), 0) = normal_pair(Philox(5)(Stream::user, 0, i))[0];
  return cloud_at(std::move(x), density);
}

CountedDensity normal_density() {
  return CountedDensity([](Rows<const double> x, Rows<double> s, std::span<double> l) {
    for (std::size_t i = 0; i < x.count; ++i) {
      s[i][0] = -x[i][0];
      l[i] = -.5 * x[i][0] * x[i][0];
    }
  });
}

/// Of first tries, one after another, from the formula.
double slow_share(const Cloud& walkers, const Stride& stride, Step move) {
  const Philox philox(seed);
  double diverged = 0;
  for (std::size_t i = 0; i < walkers.count(); ++i) {
    const double length = uniform(philox(Stream::leap, move, walkers.id[i]));
    const auto leaps = 1 + std::size_t(length * double(stride.most_leaps));
    double x = walkers.x(Eigen::Index(i), 0);
    double p = normal_pair(philox(Stream::momentum, move, walkers.id[i]))[0];
    const double before = .5 * (p * p + x * x);
    for (std::size_t leap = 0; leap < leaps; ++leap) {
      p -= .5 * stride.step * x;
      x += stride.step * p;
      p -= .5 * stride.step * x;
    }
    diverged += .5 * (p * p + x * x) - before > 20;
  }
  return diverged / double(walkers.count());
}

// A step of a normal is stable up to 2.
TEST(Divergence, IsCountedAsOfOneParticleAtATime) {
  CountedDensity density = normal_density();
  for (const double step : {1.5, 2.1, 2.5}) {
    Cloud walkers = normals(300'000, density); // more than go together
    const Stride stride{.step = step};
    const double share = slow_share(walkers, stride, 3);
    EXPECT_DOUBLE_EQ(exact::move(walkers, Frame(1), stride, density, seed, 3).diverged, share);
    if (step < 2)
      EXPECT_EQ(share, 0);
    else
      EXPECT_GT(share, .01);
  }
}

// An exponential variable: many moves end beyond its wall.
TEST(Divergence, IsNoneWhereTheDensityEnds) {
  for (const double beyond : {-std::numeric_limits<double>::infinity(), std::nan(""), -1e3}) {
    CountedDensity density([=](Rows<const double> x, Rows<double> s, std::span<double> l) {
      for (std::size_t i = 0; i < x.count; ++i) {
        s[i][0] = -1;
        l[i] = x[i][0] > 0 ? -x[i][0] : beyond;
      }
    });
    Cloud walkers = cloud_at(Frame::Matrix(Frame::Matrix::Constant(500, 1, 1.0)), density);
    const exact::Moved came = exact::move(walkers, Frame(1), {.step = .5}, density, seed, 0);
    EXPECT_LT(came.accepted, .9);
    if (std::isfinite(beyond)) // the control: a cliff that is no end
      EXPECT_GT(came.diverged, .1);
    else
      EXPECT_EQ(came.diverged, 0);
  }
}

} // namespace
