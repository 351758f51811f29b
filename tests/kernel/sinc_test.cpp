// Sinc kernel: formula, gradient, and the seam between its series and its closed form.
#include "kernel/slopes.hpp"

#include <starling/kernel/sinc.hpp>

namespace {

using namespace kernel_tests;
using starling::kernel::Sinc;

constexpr long double pi = 3.14159265358979323846264338327950288L;

TEST(Sinc, IsSinOverPiTimesTheDistance) {
  for (const double a : {0.5, 1.0, 3.0})
    for (const double r : {1e-8, 1e-3, 0.2, 1.0, 2.0, 10.0}) {
      const auto expected =
          static_cast<double>(std::sin(static_cast<long double>(a) * r) / (pi * r));
      // The argument z is rounded, which moves the sine by z eps: relative to the height a / pi.
      EXPECT_NEAR(Sinc<double>(a).at_distance(r * r).weight, expected,
                  4 * (1 + a * r) * std::numeric_limits<double>::epsilon() * a / double(pi))
          << "a = " << a << ", r = " << r;
    }
}

TEST(Sinc, IsFrequencyOverPiAtDistanceZero) {
  EXPECT_DOUBLE_EQ(Sinc<double>(3.0).at_distance(0.0).weight, double(3 / pi));
  EXPECT_DOUBLE_EQ(Sinc<double>(3.0).at_distance(0.0).repulsion, double(9 / pi)); // (a^3/pi) / 3
  EXPECT_FLOAT_EQ(Sinc<float>(3.0f).at_distance(0.0f).weight, float(3 / pi));
}

TEST(Sinc, HasTheGradientOfItsWeight) {
  for (const double a : {0.5, 2.0})
    expect_gradients<Sinc>(a);
}

TEST(Sinc, HasTheRightRepulsionAtDistanceZero) {
  expect_repulsion_at_zero(Sinc<double>(1.3), 1e-3);
}

// The closed form loses 3 eps / z^3 to cancellation, little at z = 1; the series loses nothing.
TEST(Sinc, HasASeriesAndAClosedFormThatAgreeAcrossTheSwitch) {
  const auto closed = [](long double z) {
    return (std::sin(z) - z * std::cos(z)) / (z * z * z) / pi;
  };
  for (const double z : {0.5, 0.8, 0.99, 1 - 1e-12, 1.0, 1 + 1e-12, 1.01, 1.5}) {
    const auto expected = static_cast<double>(closed(z));
    EXPECT_NEAR(Sinc<double>(1.0).at_distance(z * z).repulsion, expected, 1e-14) << "z = " << z;
    const auto narrow = static_cast<float>(z);
    EXPECT_NEAR(Sinc<float>(1.0f).at_distance(narrow * narrow).repulsion,
                static_cast<double>(closed(narrow)), 1e-6)
        << "z = " << z;
  }
}

TEST(Sinc, IsAccurateWhereTheClosedFormHasLostAllDigits) {
  const double z = 1e-5; // (sin z - z cos z)/z^3 in double is off by about 1e-16 / 1e-15
  const double closed = (std::sin(z) - z * std::cos(z)) / (z * z * z) / double(pi);
  const double series = (1.0 / 3 - z * z / 30) / double(pi);
  EXPECT_NEAR(Sinc<double>(1.0).at_distance(z * z).repulsion, series, 1e-16);
  EXPECT_GT(std::abs(closed - series), 1e-8);
}

TEST(Sinc, SaysTheSameInFloat) { expect_same_in_float<Sinc>(3e-6, 0.5); }

TEST(Sinc, IsFiniteFarAway) {
  expect_finite_far_away<double>(Sinc<double>(1.0));
  expect_finite_far_away<float>(Sinc<float>(1.0f));
}

} // namespace
