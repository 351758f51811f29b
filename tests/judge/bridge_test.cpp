// Bridge sampling between densities whose integrals are known.
#include <starling/judge/bridge.hpp>
#include <starling/random/philox.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <vector>

namespace {

using namespace starling;

const double log_root_2_pi = 0.5 * std::log(2 * std::numbers::pi);

/// Draws of e^(-x^2/2), whose integral is the root of 2 pi, by chains that keep `memory` of the
/// last place; fresh draws of N(shift, width^2); log ratios at both. `forgotten` is left out of the
/// fit's log density.
struct Pair {
  std::vector<double> at_draws, at_fit;
};
constexpr std::size_t chains = 64, clouds = 40;

Pair pair_of(std::uint64_t seed, double memory, double shift, double width, double forgotten = 0) {
  const Philox philox(seed);
  const auto normal = [&](Step step, std::size_t i) {
    return normal_pair(philox(Stream::user, step, i))[0];
  };
  const auto ratio = [&](double x) {
    const double z = (x - shift) / width;
    return -x * x / 2 - (-z * z / 2 - std::log(width) - log_root_2_pi - forgotten);
  };
  Pair made;
  std::vector<double> x(chains);
  for (std::size_t c = 0; c < chains; ++c)
    x[c] = normal(0, c);
  for (std::size_t t = 1; t <= clouds; ++t)
    for (std::size_t c = 0; c < chains; ++c) {
      x[c] = memory * x[c] + std::sqrt(1 - memory * memory) * normal(t, c);
      made.at_draws.push_back(ratio(x[c]));
    }
  for (std::size_t i = 0; i < chains * clouds; ++i)
    made.at_fit.push_back(ratio(shift + width * normal(1000, i)));
  return made;
}

struct Errors {
  double mean = 0, square = 0, se_square = 0; ///< of the errors; of what they were said to be
};

Errors errors_of(double memory, double shift, double width, double forgotten = 0,
                 std::size_t walkers = chains) {
  constexpr int seeds = 200;
  Errors all;
  for (int seed = 1; seed <= seeds; ++seed) {
    const Pair one = pair_of(std::uint64_t(seed), memory, shift, width, forgotten);
    const judge::LogEvidence found = judge::bridge(one.at_draws, walkers, one.at_fit);
    const double error = found.value - log_root_2_pi;
    all.mean += error / seeds;
    all.square += error * error / seeds;
    all.se_square += found.se * found.se / seeds;
  }
  return all;
}

// A variance from 200 errors has a standard error of a tenth.
constexpr double least = 0.7, most = 1.3;

TEST(Bridge, FindsTheIntegralAndItsError) {
  for (const double memory : {0.0, 0.9}) {
    const Errors e = errors_of(memory, 1, 1.5);
    EXPECT_LT(std::abs(e.mean), 3 * std::sqrt(e.square / 200)) << memory;
    EXPECT_GT(e.square / e.se_square, least) << memory;
    EXPECT_LT(e.square / e.se_square, most) << memory;
  }
}

// Negative controls: the normaliser of the fit left out; and draws of chains taken for independent
// ones.
TEST(Bridge, IsWrongByWhatTheFitsNormaliserIsWrongBy) {
  const Errors e = errors_of(0, 1, 1.5, 0.05);
  EXPECT_GT(std::abs(e.mean), 10 * std::sqrt(e.se_square / 200));
}

TEST(Bridge, SaysTooSmallAnErrorWhereChainsAreTakenForIndependentDraws) {
  const Errors e = errors_of(0.9, 1, 1.5, 0, chains * clouds);
  EXPECT_GT(e.square / e.se_square, 2);
}

TEST(Bridge, IsExactWhereTheFitIsTheDensity) {
  const Pair one = pair_of(1, 0, 0, 1);
  const judge::LogEvidence found = judge::bridge(one.at_draws, chains, one.at_fit);
  EXPECT_NEAR(found.value, log_root_2_pi, 1e-12);
  EXPECT_NEAR(found.se, 0, 1e-12);
  EXPECT_NEAR(found.overlap, 1, 1e-12);
}

TEST(Bridge, SaysHowLittleOverlaps) {
  const Pair near = pair_of(1, 0, 1, 1), far = pair_of(1, 0, 8, 1);
  const judge::LogEvidence good = judge::bridge(near.at_draws, chains, near.at_fit);
  const judge::LogEvidence poor = judge::bridge(far.at_draws, chains, far.at_fit);
  EXPECT_GT(good.worth(), judge::least_worth);
  EXPECT_LT(poor.worth(), judge::least_worth);
}

// Half of the fit lies where the density is zero: the ratios elsewhere are twice as large.
TEST(Bridge, CountsDrawsOfTheFitWhereTheDensityIsZero) {
  const double none = -std::numeric_limits<double>::infinity();
  const std::vector<double> at_draws(40, std::log(2.0));
  std::vector<double> at_fit(40, std::log(2.0));
  for (std::size_t i = 0; i < at_fit.size(); i += 2)
    at_fit[i] = none;
  EXPECT_NEAR(judge::bridge(at_draws, 10, at_fit).value, 0, 1e-9);
  const std::vector<double> nowhere(40, none);
  EXPECT_TRUE(std::isnan(judge::bridge(at_draws, 10, nowhere).value));
}

TEST(Bridge, RefusesWhatIsNoCloud) {
  const std::vector<double> ten(10, 0.0), none;
  EXPECT_THROW(judge::bridge(ten, 3, ten), std::invalid_argument);
  EXPECT_THROW(judge::bridge(ten, 1, ten), std::invalid_argument);
  EXPECT_THROW(judge::bridge(ten, 5, none), std::invalid_argument);
  EXPECT_THROW(judge::bridge(none, 5, ten), std::invalid_argument);
}

TEST(Bridge, OfTwoEstimatesIsAtLeastAsUncertainAsTheyAreApart) {
  const judge::LogEvidence a{1, 0.3, 0.5, 100}, b{1.2, 0.4, 0.7, 100}, c{3, 0.4, 0.7, 100};
  EXPECT_NEAR(judge::mean_of(a, b).value, 1.1, 1e-12);
  EXPECT_NEAR(judge::mean_of(a, b).se, 0.25, 1e-12);
  EXPECT_NEAR(judge::mean_of(a, b).overlap, 0.6, 1e-12);
  EXPECT_NEAR(judge::mean_of(a, c).se, 1, 1e-12);
}

} // namespace
