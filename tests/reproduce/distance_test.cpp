// The distances of the figure about densities, against integrals and against known answers.
#include "mixture_density/distance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace starling::reproduce {
namespace {

TEST(MixtureQuantile, InvertsTheDistributionFunction) {
  for (const double u : {1e-6, 0.1, 1.0 / 3, 0.5, 0.9, 1 - 1e-6})
    EXPECT_NEAR(mixture_cdf(mixture_quantile(u)), u, 1e-13);
}

TEST(MixtureDensity, IsTheSlopeOfTheDistributionFunction) {
  for (const double x : {-4.0, -2.0, 0.3, 2.5})
    EXPECT_NEAR(mixture_density(x), (mixture_cdf(x + 1e-5) - mixture_cdf(x - 1e-5)) / 2e-5, 1e-9);
}

TEST(DistanceToMixture, IsKnownForOneParticle) {
  // far left of nearly everything: E (y - x) = 2/3 + 30 and E (y - x)^2 = var + (2/3 + 30)^2
  const Distances d = DistanceToMixture(1)(std::vector<double>{-30});
  EXPECT_NEAR(d.w1, 30 + 2.0 / 3, 1e-12);
  EXPECT_NEAR(d.w2, std::sqrt(5 - 4.0 / 9 + std::pow(30 + 2.0 / 3, 2)), 1e-12);
}

TEST(DistanceToMixture, IsTheIntegralOverTheQuantiles) {
  const std::vector<double> x = {3, -2.5, 0.1, 2, -11, 1.5, 2.2};
  std::vector<double> sorted = {-11, -2.5, 0.1, 1.5, 2, 2.2, 3};
  double w1 = 0, square = 0;
  const int n = 70000; // midpoints, a whole number of them on each stair
  for (int i = 0; i < n; ++i) {
    const double gap =
        sorted[static_cast<std::size_t>(i / (n / 7))] - mixture_quantile((i + 0.5) / n);
    w1 += std::abs(gap) / n;
    square += gap * gap / n;
  }
  const Distances d = DistanceToMixture(7)(x);
  EXPECT_NEAR(d.w1, w1, 1e-4);
  EXPECT_NEAR(d.w2, std::sqrt(square), 1e-4);
}

TEST(DistanceToMixture, IsSmallForQuantilesAndNotForShiftedOnes) {
  std::vector<double> x;
  for (int i = 0; i < 1000; ++i)
    x.push_back(mixture_quantile((i + 0.5) / 1000));
  const DistanceToMixture distance(1000);
  EXPECT_LT(distance(x).w1, 0.01);
  for (double& v : x)
    v += 1;
  EXPECT_NEAR(distance(x).w1, 1, 0.01);
  EXPECT_NEAR(distance(x).w2, 1, 0.01);
}

} // namespace
} // namespace starling::reproduce
