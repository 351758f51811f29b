// Riesz kernel and its attraction: formula, gradient, what happens at distance zero.
#include "kernel/slopes.hpp"

#include <starling/kernel/gaussian.hpp>
#include <starling/kernel/riesz.hpp>

namespace {

using namespace kernel_tests;
using starling::is_singular;
using starling::kernel::Riesz;
using starling::kernel::RieszAttraction;

TEST(Riesz, IsOneOverAPowerOfTheDistance) {
  for (const double a : {0.5, 1.0, 2.5})
    for (const double r : {1e-3, 0.1, 1.0, 7.0, 1e3}) {
      const auto expected = static_cast<double>(1 / std::pow(static_cast<long double>(r), a));
      EXPECT_NEAR(Riesz<double>(a).at_distance(r * r).weight, expected, 1e-15 * 8 * expected)
          << "a = " << a << ", r = " << r;
    }
}

TEST(Riesz, HasTheGradientOfItsWeight) {
  for (const double a : {0.5, 1.0, 2.5})
    expect_gradients<Riesz>(a);
}

TEST(Riesz, SaysTheSameInFloat) { expect_same_in_float<Riesz>(2e-6, 1.5); }

TEST(Riesz, IsFiniteFarAwayAndInfiniteAtDistanceZero) {
  expect_finite_far_away<double>(Riesz<double>(1.0));
  expect_finite_far_away<float>(Riesz<float>(1.0f));
  EXPECT_TRUE(std::isinf(Riesz<double>(1.0).at_distance(0.0).weight));
}

TEST(Riesz, SaysThatItIsSingular) {
  EXPECT_TRUE(is_singular<Riesz<double>>);
  EXPECT_TRUE(is_singular<RieszAttraction<float>>);
  EXPECT_FALSE(is_singular<starling::kernel::Gaussian<double>>);
}

TEST(RieszAttraction, HasTheWeightOfRieszAndNoRepulsion) {
  for (const double r2 : {0.01, 1.0, 9.0}) {
    const auto whole = Riesz<double>(1.5).at_distance(r2);
    const auto part = RieszAttraction<double>(1.5).at_distance(r2);
    EXPECT_EQ(part.weight, whole.weight);
    EXPECT_EQ(part.repulsion, 0.0);
    EXPECT_EQ(part.lift, 0.0);
    EXPECT_GT(whole.repulsion, 0.0);
  }
}

} // namespace
