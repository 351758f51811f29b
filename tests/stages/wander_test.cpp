// Modes that no climb arrives at: walkers from other ways up find them.
#include "densities.hpp"

#include <gtest/gtest.h>

#include <limits>

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

/// Loadings, factors, log scales. With loadings of either sign there are two modes of the same
/// weight; by their logarithms there is one. The density rises without end where a scale goes to
/// zero and the factors follow one item.
DensityOfRows factor_model(bool either_sign) {
  return each([y = answers(), either_sign](std::span<const double> x, std::span<double> s) {
    double l = 0;
    for (std::size_t a = 0; a < dim; ++a)
      s[a] = 0;
    for (std::size_t p = 0; p < people; ++p) {
      const double f = x[items + p];
      l -= f * f / 2;
      s[items + p] -= f;
    }
    for (std::size_t i = 0; i < items; ++i) {
      const double loading = either_sign ? x[i] : std::exp(x[i]), log_scale = x[items + people + i],
                   scale = std::exp(log_scale);
      double of_loading = -loading;
      l += -loading * loading / 2 - scale * scale / 2 + log_scale;
      s[items + people + i] += 1 - scale * scale;
      for (std::size_t p = 0; p < people; ++p) {
        const double z = (y[p * items + i] - loading * x[items + p]) / scale;
        l += -z * z / 2 - log_scale;
        of_loading += z * x[items + p] / scale;
        s[items + p] += z * loading / scale;
        s[items + people + i] += z * z - 1;
      }
      l += either_sign ? 0 : x[i];
      s[i] += either_sign ? of_loading : of_loading * loading + 1;
    }
    return l;
  });
}

std::size_t hits(bool either_sign, std::uint64_t seed) {
  Settings settings = small(256);
  settings.seed = seed;
  stages::Journey journey({factor_model(either_sign), dim}, settings);
  journey.take(std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(journey.searched().modes, 1u) << "climbs find no other";
  return journey.searched().hits;
}

TEST(Wander, MeetsTheOtherSignOfAFactor) {
  for (const std::uint64_t seed : {1, 2, 3})
    EXPECT_GE(hits(true, seed), 1u) << seed;
}

// With some other seeds a look around the cloud, not a walker, hits a peak without end.
TEST(Wander, MeetsNothingWhereThereIsOneMode) {
  for (const std::uint64_t seed : {1, 2})
    EXPECT_EQ(hits(false, seed), 0u) << seed;
}

} // namespace wander_tests
