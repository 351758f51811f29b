// Modes that no climb arrives at: walkers from other ways up find them.
#include "densities.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace wander_tests {

using namespace starling;
using namespace starling::stage_tests;

constexpr std::size_t items = 5, people = 30, dim = 2 * items + people;

/// Answers of people to items, by one factor: f_p l_i + N(0, .6^2).
std::vector<double> answers() {
  const Philox philox(21);
  std::vector<double> y(people * items);
  for (std::size_t p = 0; p < people; ++p)
    for (std::size_t i = 0; i < items; ++i)
      y[p * items + i] = (0.6 + 0.15 * double(i)) * normal_pair(philox(Stream::user, 0, p))[0] +
                         0.6 * normal_pair(philox(Stream::user, 1, p * items + i))[0];
  return y;
}

/// Loadings, factors, log scales. Loadings may have either sign, so there are two modes of the same
/// weight. The density rises without end where a scale goes to zero and the factors follow one
/// item.
double factor_model(std::span<const double> x, std::span<double> s) {
  static const std::vector<double> y = answers();
  double l = 0;
  std::ranges::fill(s, 0.0);
  for (std::size_t p = 0; p < people; ++p) {
    const double f = x[items + p];
    l -= f * f / 2;
    s[items + p] -= f;
  }
  for (std::size_t i = 0; i < items; ++i) {
    const double loading = x[i], log_scale = x[items + people + i], scale = std::exp(log_scale);
    l += -loading * loading / 2 - scale * scale / 2 + log_scale;
    s[i] -= loading;
    s[items + people + i] += 1 - scale * scale;
    for (std::size_t p = 0; p < people; ++p) {
      const double z = (y[p * items + i] - loading * x[items + p]) / scale;
      l += -z * z / 2 - log_scale;
      s[i] += z * x[items + p] / scale;
      s[items + p] += z * loading / scale;
      s[items + people + i] += z * z - 1;
    }
  }
  return l;
}

/// Eight schools, centred: mu, log tau, theta. One mode, and a neck that rises without end.
double schools(std::span<const double> x, std::span<double> s) {
  constexpr double effect[] = {28, 8, -3, 7, -1, 1, 18, 12},
                   error[] = {15, 10, 16, 11, 9, 11, 10, 18};
  const double mu = x[0], tau = std::exp(x[1]), by_scale = tau * tau / 25;
  double l = -mu * mu / 50 - std::log1p(by_scale) + x[1]; // N(0, 5) and half-Cauchy(5)
  s[0] = -mu / 25;
  s[1] = 1 - 2 * by_scale / (1 + by_scale);
  for (std::size_t k = 0; k < 8; ++k) {
    const double theta = x[2 + k], z = (theta - mu) / tau, r = (effect[k] - theta) / error[k];
    l -= z * z / 2 + x[1] + r * r / 2;
    s[0] += z / tau;
    s[1] += z * z - 1;
    s[2 + k] = r / error[k] - z / tau;
  }
  return l;
}

std::size_t hits(const DensityOfRows& density, std::size_t dimensions, std::uint64_t seed) {
  Settings settings = small(256);
  settings.seed = seed;
  stages::Journey journey({density, dimensions}, settings);
  journey.take(std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(journey.searched().modes, 1u) << "climbs find no other";
  return journey.searched().hits;
}

TEST(Wander, MeetsTheOtherSignOfAFactor) {
  for (const std::uint64_t seed : {1, 2, 3})
    EXPECT_GE(hits(each(factor_model), dim, seed), 1u) << seed;
}

TEST(Wander, MeetsNothingInTheNeckOfAFunnel) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6})
    EXPECT_EQ(hits(each(schools), 10, seed), 0u) << seed;
}

} // namespace wander_tests
