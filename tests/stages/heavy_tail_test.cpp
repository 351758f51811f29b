// A cloud whose tail is heavy is settled, whatever the first test says of it.
#include "densities.hpp"

#include <gtest/gtest.h>

namespace starling {

namespace {

using namespace stage_tests;

// Student's t with 2 degrees of freedom: its variance does not exist.
double without_variance(std::span<const double> x, std::span<double> s) {
  s[0] = -3 * x[0] / (2 + x[0] * x[0]);
  return -1.5 * std::log1p(x[0] * x[0] / 2);
}

// Exact draws, by the inverse of the distribution function, of numbers spread evenly in (0, 1).
Frame::Matrix draws_without_variance(Eigen::Index count) {
  Frame::Matrix x(count, 1);
  for (Eigen::Index i = 0; i < count; ++i) {
    const double u = (double(i) + .5) / double(count);
    x(i, 0) = (2 * u - 1) / std::sqrt(2 * u * (1 - u));
  }
  return x;
}

bool settles(const DensityOfRows& density, const Frame::Matrix& x) {
  Settings settings = small(std::size_t(x.rows()));
  settings.steps = 0;
  settings.walkers = settings.particles;
  Group group(density, 1, settings);
  group.begin_from(rows_of(x));
  to_the_end(group);
  return group.state().settled;
}

// The same test confirms both of these clouds of exact draws; of the first it cannot tell whether
// particles far out are a tail or strays.
TEST(HeavyTail, IsSettledThoughTheFirstTestConfirmsIt) {
  EXPECT_TRUE(settles(each(without_variance), draws_without_variance(1000)));
}

TEST(HeavyTail, OtherCloudsAreNot) { EXPECT_FALSE(settles(each(standard), normals(1000, 1, 1))); }

} // namespace

} // namespace starling
