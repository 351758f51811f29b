// Mollified Riesz kernel: its confluent function, its table, its gradient, and what it averages.
#include "kernel/slopes.hpp"

#include <starling/kernel/riesz.hpp>
#include <starling/kernel/smooth_riesz.hpp>
#include <starling/random/philox.hpp>

#include <vector>

namespace {

using namespace kernel_tests;
using starling::kernel::confluent_decay;
using starling::kernel::SmoothRiesz;

struct Known {
  double a, b, z, value;
};

// Values of 1F1(a; b; -z) from mpmath 1.3, hyp1f1 at 40 digits.
const std::vector<Known> low = {
    {0.25, 0.5, 0, 1.0},
    {0.25, 0.5, 0.1, 0.95202225725051971146},
    {0.25, 0.5, 1, 0.65798432299964717933},
    {0.25, 0.5, 10, 0.2808236439554829195},
    {0.25, 0.5, 49, 0.18549923527896592014},
    {0.25, 0.5, 51, 0.18362450799223257896},
    {0.25, 0.5, 200, 0.13012045419365918937},
    {0.5, 1.5, 0.1, 0.96764331263559182927},
    {0.5, 1.5, 1, 0.7468241328124270254},
    {0.5, 1.5, 10, 0.28024739050664274064},
    {0.5, 1.5, 49, 0.12660384649325114481},
    {0.5, 1.5, 51, 0.12409659136408727714},
    {0.5, 1.5, 200, 0.06266570686577501256},
    {1.5, 2.5, 0.1, 0.94208841899448386457},
    {1.5, 2.5, 10, 0.042030298586532038368},
    {1.5, 2.5, 49, 0.0038756279538750350451},
    {1.5, 2.5, 51, 0.0036498997460025669748},
    {1.5, 2.5, 200, 0.0004699928014933125942},
    {1.0, 5.0, 1, 0.82910658811461571829},
    {1.0, 5.0, 49, 0.076834568964305966503},
    {1.0, 5.0, 51, 0.073995140720874368699},
};
const std::vector<Known> high = {
    {0.5, 25, 60, 0.53822996305979784476},     {1.25, 51, 60, 0.37520859536955068035},
    {0.75, 100, 80, 0.64266050912056988547},   {1.5, 101, 150, 0.25355459077248338763},
    {20, 60, 1500, 1.2194120208056822819e-30}, {20, 60, 3000, 1.5046571639581264486e-36},
};

void expect_known(const std::vector<Known>& values, double share) {
  for (const Known& k : values)
    EXPECT_NEAR(confluent_decay(k.a, k.b, k.z), k.value, share * k.value)
        << "1F1(" << k.a << "; " << k.b << "; -" << k.z << ")";
}

TEST(ConfluentDecay, HasTheKnownValues) { expect_known(low, 1e-14); }

// The asymptotic series falls only where z is above a b: in high dimension 50 is not far yet.
TEST(ConfluentDecay, HasTheKnownValuesInHighDimension) { expect_known(high, 1e-12); }

struct Shape {
  double exponent, smoothing;
  std::size_t dim;
};
const std::vector<Shape> shapes = {{0.3, 0.7, 1},  {0.9, 1.0, 1},  {0.5, 0.1, 2},  {1.5, 2.0, 2},
                                   {1.0, 0.5, 3},  {2.5, 1.0, 3},  {1.0, 1.0, 8},  {6.0, 1.0, 8},
                                   {1.0, 1.0, 56}, {2.5, 0.5, 56}, {1.5, 3.0, 150}};

double direct_weight(const Shape& k, double r) {
  const double d = double(k.dim), s2 = k.smoothing * k.smoothing;
  return std::pow(2 * s2, -k.exponent / 2) *
         std::exp(std::lgamma((d - k.exponent) / 2) - std::lgamma(d / 2)) *
         confluent_decay(k.exponent / 2, d / 2, r * r / (2 * s2));
}

// -2 f' = (1/s^2) (a/d) times the same constant times 1F1(a/2 + 1; d/2 + 1; -z).
double direct_repulsion(const Shape& k, double r) {
  const double d = double(k.dim), s2 = k.smoothing * k.smoothing;
  return std::pow(2 * s2, -k.exponent / 2) *
         std::exp(std::lgamma((d - k.exponent) / 2) - std::lgamma(d / 2)) * k.exponent / (d * s2) *
         confluent_decay(k.exponent / 2 + 1, d / 2 + 1, r * r / (2 * s2));
}

TEST(SmoothRiesz, InterpolatesTheDirectFormulaAtEveryDistance) {
  for (const Shape& shape : shapes) {
    const SmoothRiesz<double> wide(shape.exponent, shape.smoothing, shape.dim);
    const SmoothRiesz<float> narrow(float(shape.exponent), float(shape.smoothing), shape.dim);
    double worst = 0, worst_narrow = 0;
    for (int n = 0; n <= 1600; ++n) {
      const double r = n == 0 ? 0 : std::pow(10.0, -4 + n / 200.0); // 0, then 1e-4 to 1e4
      const auto w = wide.at_distance(r * r);
      const auto f = narrow.at_distance(float(r * r));
      const double weight = direct_weight(shape, r), repulsion = direct_repulsion(shape, r);
      worst =
          std::max({worst, std::abs(w.weight / weight - 1), std::abs(w.repulsion / repulsion - 1)});
      worst_narrow = std::max(
          {worst_narrow, std::abs(f.weight / weight - 1), std::abs(f.repulsion / repulsion - 1)});
    }
    EXPECT_LT(worst, 1e-9) << "exponent " << shape.exponent << ", dim " << shape.dim;
    EXPECT_LT(worst_narrow, 1e-4) << "exponent " << shape.exponent << ", dim " << shape.dim;
  }
}

TEST(SmoothRiesz, HasTheGradientOfItsWeight) {
  for (const double r : {0.01, 0.1, 0.5, 1.0, 1.7, 3.0, 6.0}) {
    expect_gradient<double>(SmoothRiesz<double>(1.0, 0.5, 3), r, 1e-8);
    expect_gradient<double>(SmoothRiesz<double>(2.5, 1.0, 3), r, 1e-8);
    if (r >= 0.5)
      expect_gradient<float>(SmoothRiesz<float>(1.0f, 0.5f, 3), float(r), 1e-5f);
  }
}

TEST(SmoothRiesz, HasTheRightRepulsionAtDistanceZero) {
  expect_repulsion_at_zero(SmoothRiesz<double>(1.0, 0.5, 3), 1e-2);
}

TEST(SmoothRiesz, IsRieszFarAwayAndFinite) {
  const SmoothRiesz<double> smooth(1.0, 0.5, 3);
  expect_finite_far_away<double>(smooth);
  expect_finite_far_away<float>(SmoothRiesz<float>(1.0f, 0.5f, 3));
  // |x|^-1 is harmonic in three dimensions: a mean over a ball of it is exact but for erfc(r/s).
  const auto far = starling::kernel::Riesz<double>(1.0).at_distance(400.0);
  EXPECT_NEAR(smooth.at_distance(400.0).weight, far.weight, 1e-9 * far.weight);
  EXPECT_NEAR(smooth.at_distance(400.0).repulsion, far.repulsion, 1e-9 * far.repulsion);
}

struct Estimate {
  double mean, error;
};

// E |x + s Z|^-a with |x| = r from normals drawn by address. Its variance is finite for 2a < d.
Estimate monte_carlo(const Shape& shape, double r, std::uint64_t draws) {
  const starling::Philox philox(11);
  double sum = 0, squares = 0;
  for (std::uint64_t n = 0; n < draws; ++n) {
    double r2 = 0;
    for (std::size_t a = 0; a < shape.dim; ++a) {
      const double z = starling::normal_pair(philox(starling::Stream::user, a / 2, n))[a % 2];
      const double x = (a == 0 ? r : 0) + shape.smoothing * z;
      r2 += x * x;
    }
    const double value = std::pow(r2, -shape.exponent / 2);
    sum += value;
    squares += value * value;
  }
  const auto count = static_cast<double>(draws);
  const double mean = sum / count;
  return {mean, std::sqrt((squares / count - mean * mean) / count)};
}

TEST(SmoothRiesz, IsTheMeanOfRieszOverGaussianNoise) {
  for (const Shape& shape : {Shape{0.3, 0.7, 1}, Shape{0.5, 1.0, 2}, Shape{1.0, 0.5, 3}})
    for (const double r : {0.0, 0.6, 2.0}) {
      const Estimate drawn = monte_carlo(shape, r, 40000);
      const auto at = [&](double s) {
        return SmoothRiesz<double>(shape.exponent, s, shape.dim).at_distance(r * r).weight;
      };
      EXPECT_NEAR(at(shape.smoothing), drawn.mean, 4 * drawn.error)
          << "dim " << shape.dim << ", r = " << r;
      if (r == 0) { // the check sees a smoothing that is a tenth too large
        EXPECT_GT(std::abs(at(1.1 * shape.smoothing) - drawn.mean), 4 * drawn.error);
      }
    }
}

} // namespace
