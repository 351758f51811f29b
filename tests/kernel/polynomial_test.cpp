// Polynomial kernel and sums of kernels, radial and dot mixed.
#include "kernel/slopes.hpp"

#include <starling/kernel/gaussian.hpp>
#include <starling/kernel/matern.hpp>
#include <starling/kernel/polynomial.hpp>
#include <starling/kernel/riesz.hpp>
#include <starling/kernel/sum.hpp>

namespace {

using namespace kernel_tests;
using namespace starling::kernel;

TEST(Polynomial, IsAPowerOfTheInnerProductPlusOne) {
  for (const int m : {1, 2, 3, 5})
    for (const double product : {-3.0, -1.0, 0.0, 0.7, 4.0}) {
      const auto base = 0.4L * product + 1;
      const auto expected = static_cast<double>(std::pow(base, static_cast<long double>(m)));
      const auto w = Polynomial<double>(0.4, m).at_product(product);
      EXPECT_NEAR(w.weight, expected, 1e-15 * (4 + 8 * std::abs(expected)))
          << "m = " << m << ", product = " << product;
      EXPECT_EQ(w.repulsion, 0.0);
    }
}

TEST(Polynomial, HasTheGradientOfItsWeight) {
  for (const int m : {1, 2, 3, 5})
    for (const double r : {0.1, 1.0, 3.0}) {
      expect_gradient<double>(Polynomial<double>(0.4, m), r);
      expect_gradient<float>(Polynomial<float>(0.4f, m), static_cast<float>(r));
    }
}

// Degree one is linear in y: the lift is the scale itself, also where x = y.
TEST(Polynomial, OfDegreeOneLiftsByItsScale) {
  EXPECT_EQ(Polynomial<double>(0.4, 1).at_product(7.0).lift, 0.4);
  EXPECT_EQ(Polynomial<double>(0.4, 1).at_product(0.0).lift, 0.4);
}

TEST(Polynomial, IsFiniteFarAway) {
  const auto w = Polynomial<float>(1.0f, 3).at_product(1e6f); // two points at distance 1e3 from 0
  EXPECT_TRUE(std::isfinite(w.weight));
  EXPECT_TRUE(std::isfinite(w.lift));
}

template <typename Real>
auto mixed() {
  return Sum<Real, Gaussian<Real>, Polynomial<Real>, Matern52<Real>>(
      {Real(2), Real(0.3), Real(0.5)}, Gaussian<Real>(Real(0.8)), Polynomial<Real>(Real(0.4), 2),
      Matern52<Real>(Real(1.5)));
}

TEST(Sum, AddsTheWeightsOfItsTerms) {
  const double r2 = 1.3, product = -0.6;
  const auto g = Gaussian<double>(0.8).at_distance(r2);
  const auto p = Polynomial<double>(0.4, 2).at_product(product);
  const auto m = Matern52<double>(1.5).at_distance(r2);
  const auto w = mixed<double>().at(r2, product);
  EXPECT_DOUBLE_EQ(w.weight, 2 * g.weight + 0.3 * p.weight + 0.5 * m.weight);
  EXPECT_DOUBLE_EQ(w.repulsion, 2 * g.repulsion + 0.5 * m.repulsion);
  EXPECT_DOUBLE_EQ(w.lift, 0.3 * p.lift);
}

TEST(Sum, OfRadialAndDotKernelsHasTheGradientOfItsWeight) {
  for (const double r : {1e-3, 0.1, 1.0, 3.0}) {
    expect_gradient<double>(mixed<double>(), r);
    if (r >= 0.1)
      expect_gradient<float>(mixed<float>(), static_cast<float>(r));
  }
}

TEST(Sum, SetsTheBandwidthOfTheTermsThatHaveOne) {
  auto sum = mixed<double>();
  sum.set_bandwidth(0.6);
  const double r2 = 0.9, product = 0.2;
  const Sum<double, Gaussian<double>, Polynomial<double>, Matern52<double>> expected(
      {2, 0.3, 0.5}, Gaussian<double>(0.6), Polynomial<double>(0.4, 2), Matern52<double>(0.6));
  EXPECT_EQ(sum.at(r2, product).weight, expected.at(r2, product).weight);
  EXPECT_NE(sum.at(r2, product).weight, mixed<double>().at(r2, product).weight);
}

TEST(Sum, IsSingularWhenATermIs) {
  EXPECT_FALSE((starling::is_singular<Sum<double, Gaussian<double>, Matern32<double>>>));
  EXPECT_TRUE((starling::is_singular<Sum<double, Gaussian<double>, Riesz<double>>>));
}

TEST(Sum, OfKernelsWithoutABandwidthHasNone) {
  EXPECT_TRUE((starling::HasBandwidth<Sum<double, Gaussian<double>, Polynomial<double>>, double>));
  EXPECT_FALSE((starling::HasBandwidth<Sum<double, Polynomial<double>>, double>));
}

} // namespace
