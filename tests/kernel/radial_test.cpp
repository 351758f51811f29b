// Gaussian, inverse multiquadric and Matern kernels: formula, gradient, distance zero, far away.
#include "kernel/slopes.hpp"

#include <starling/kernel/gaussian.hpp>
#include <starling/kernel/inverse_multiquadric.hpp>
#include <starling/kernel/matern.hpp>

#include <functional>

namespace {

using namespace kernel_tests;
using namespace starling::kernel;

constexpr double eps = std::numeric_limits<double>::epsilon();

template <typename Real>
class PaperGaussian : public Gaussian<Real> {
public:
  explicit PaperGaussian(Real h) : Gaussian<Real>(h, Height::paper) {}
};

// `formula` is K as a function of r and h, in long double.
template <typename K>
void expect_formula(const std::function<long double(long double, long double)>& formula) {
  for (const double h : {0.35, 1.0, 7.0})
    for (const double r : {0.0, 1e-6, 0.1, 1.0, 2.5, 6.0}) {
      const auto expected = static_cast<double>(formula(r, h));
      // An exponent u costs u eps; here u is at most 60.
      EXPECT_NEAR(K(h).at_distance(r * r).weight, expected, 128 * eps * expected)
          << "r = " << r << ", h = " << h;
      EXPECT_EQ(K(h).at_distance(r * r).lift, 0.0);
    }
}

// A bandwidth set later is the same as one given at the start.
template <typename K>
void expect_bandwidth_can_be_set() {
  K kernel(3.0);
  kernel.set_bandwidth(0.7);
  EXPECT_EQ(kernel.at_distance(0.9).weight, K(0.7).at_distance(0.9).weight);
  EXPECT_EQ(kernel.at_distance(0.9).repulsion, K(0.7).at_distance(0.9).repulsion);
  EXPECT_NE(kernel.at_distance(0.9).weight, K(3.0).at_distance(0.9).weight);
}

TEST(Gaussian, IsExpOfMinusSquaredDistanceOverTwiceTheBandwidth) {
  expect_formula<Gaussian<double>>(
      [](long double r, long double h) { return std::exp(-r * r / (2 * h)); });
}

TEST(Gaussian, HasThePapersConstantWhenAsked) {
  expect_formula<PaperGaussian<double>>([](long double r, long double h) {
    return std::exp(-r * r / (2 * h)) / std::sqrt(2 * std::acos(-1.0L) * h);
  });
}

TEST(InverseMultiquadric, IsOneOverTheRootOfOnePlusSquaredDistanceOverTwiceTheBandwidth) {
  expect_formula<InverseMultiquadric<double>>(
      [](long double r, long double h) { return std::pow(1 + r * r / (2 * h), -0.5L); });
}

TEST(Matern32, IsThePublishedFormulaWithLengthRootOfTheBandwidth) {
  expect_formula<Matern32<double>>([](long double r, long double h) {
    const long double z = std::sqrt(3.0L) * r / std::sqrt(h);
    return (1 + z) * std::exp(-z);
  });
}

TEST(Matern52, IsThePublishedFormulaWithLengthRootOfTheBandwidth) {
  expect_formula<Matern52<double>>([](long double r, long double h) {
    const long double z = std::sqrt(5.0L) * r / std::sqrt(h);
    return (1 + z + 5 * r * r / (3 * h)) * std::exp(-z);
  });
}

TEST(Gaussian, HasTheGradientOfItsWeight) {
  for (const double h : {0.35, 2.0}) {
    expect_gradients<Gaussian>(h);
    expect_gradients<PaperGaussian>(h);
  }
}

TEST(InverseMultiquadric, HasTheGradientOfItsWeight) {
  for (const double h : {0.35, 2.0})
    expect_gradients<InverseMultiquadric>(h);
}

TEST(Matern32, HasTheGradientOfItsWeight) {
  for (const double h : {0.35, 2.0})
    expect_gradients<Matern32>(h);
}

TEST(Matern52, HasTheGradientOfItsWeight) {
  for (const double h : {0.35, 2.0})
    expect_gradients<Matern52>(h);
}

// K = K(0) + f'(0) r^2 + c r^3 + ...: the found repulsion is off by 2 |c| e, where c = a^3/3 for
// Matern 3/2 with a = sqrt(3/h), and 0 for the smoother ones.
TEST(RadialKernels, HaveTheRightRepulsionAtDistanceZero) {
  const double h = 0.7;
  expect_repulsion_at_zero(Gaussian<double>(h), 1e-3);
  expect_repulsion_at_zero(Gaussian<double>(h, Height::paper), 1e-3);
  expect_repulsion_at_zero(InverseMultiquadric<double>(h), 1e-3);
  expect_repulsion_at_zero(Matern32<double>(h), 2.1 / 3 * std::pow(3 / h, 1.5));
  expect_repulsion_at_zero(Matern52<double>(h), 1e-2);
}

TEST(RadialKernels, SayTheSameInFloat) {
  expect_same_in_float<Gaussian>(1e-5, 0.5); // exponent up to 16: 16 eps and a few more
  expect_same_in_float<PaperGaussian>(1e-5, 0.5);
  expect_same_in_float<InverseMultiquadric>(1e-6, 0.5);
  expect_same_in_float<Matern32>(1e-5, 0.5);
  expect_same_in_float<Matern52>(1e-5, 0.5);
}

TEST(RadialKernels, AreFiniteFarAway) {
  expect_finite_far_away<double>(Gaussian<double>(0.35));
  expect_finite_far_away<float>(Gaussian<float>(0.35f));
  expect_finite_far_away<double>(InverseMultiquadric<double>(0.35));
  expect_finite_far_away<float>(InverseMultiquadric<float>(0.35f));
  expect_finite_far_away<double>(Matern32<double>(0.35));
  expect_finite_far_away<float>(Matern32<float>(0.35f));
  expect_finite_far_away<double>(Matern52<double>(0.35));
  expect_finite_far_away<float>(Matern52<float>(0.35f));
}

TEST(RadialKernels, CanBeGivenANewBandwidth) {
  expect_bandwidth_can_be_set<Gaussian<double>>();
  expect_bandwidth_can_be_set<PaperGaussian<double>>();
  expect_bandwidth_can_be_set<InverseMultiquadric<double>>();
  expect_bandwidth_can_be_set<Matern32<double>>();
  expect_bandwidth_can_be_set<Matern52<double>>();
}

} // namespace
