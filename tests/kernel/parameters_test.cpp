// The kernel for each parameter: its value, its slope, its misuse.
#include <starling/kernel/parameters.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace starling {
namespace {

TEST(Parameters, HasTheGaussianOfEachDifferenceAndItsSlope) {
  const kernel::Parameters<double> kernel(0.1);
  for (const double t : {0.0, 0.01, 0.3, 2.0}) {
    const auto at = kernel.at_coordinate(t);
    EXPECT_DOUBLE_EQ(at.weight, std::exp(-t / 0.2));
    const double step = 1e-6; // -2 dk/dt, by a central difference: its error is step^2 k'''/6
    const double slope =
        (kernel.at_coordinate(t + step).weight - kernel.at_coordinate(t - step).weight) /
        (2 * step);
    EXPECT_NEAR(at.repulsion, -2 * slope, 1e-7);
    EXPECT_EQ(at.lift, 0);
  }
}

TEST(Parameters, IsAKernelOfCoordinatesAndNotOfPairs) {
  using K = kernel::Parameters<double>;
  static_assert(CoordinateKernel<K, double> && !Kernel<K, double> && !is_singular<K>);
  EXPECT_FALSE((HasBandwidth<K, double>)); // in variances of the cloud: no rule
}

TEST(Parameters, RefusesAWidthThatIsNone) {
  EXPECT_THROW(kernel::Parameters<double>(0), std::invalid_argument);
  EXPECT_THROW(kernel::Parameters<float>(-1), std::invalid_argument);
  EXPECT_THROW(kernel::Parameters<double>{INFINITY}, std::invalid_argument);
}

} // namespace
} // namespace starling
