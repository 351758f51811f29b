// Stochastic SVGD on N(0, I): second and fourth moments as eta goes to 0, whatever the batches are.
#include <starling/advance/explicit_step.hpp>
#include <starling/advance/stochastic_step.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/drift/batch_mean.hpp>
#include <starling/drift/pairwise.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/random/start.hpp>
#include <starling/rbm_svgd.hpp>
#include <starling/target/lift.hpp>
#include <starling/target/score.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace starling {
namespace {

using Kernel = kernel::Gaussian<double>;
using Lemma = PairwiseDrift<double, Kernel>;
using Mean = BatchMeanDrift<double, Lemma>;

constexpr std::size_t population = 64, replicates = 8;

struct Figures {
  double second = 0, fourth = 0;
};

struct Case {
  std::size_t dim, batch;
  double bandwidth, eta; ///< the larger of the two steps
  Step steps;
};

template <typename Drift, typename Advance>
Figures moments(const Case& c, std::uint64_t seed, Drift drift, Advance advance) {
  Ensemble<double> particles(population, c.dim);
  start_normal(particles, seed, 0, 1); // where it is to stay
  auto target = lift<double>(c.dim, [](std::span<const double> x, std::span<double> score) {
    for (std::size_t a = 0; a < x.size(); ++a)
      score[a] = -x[a];
    return 0.0;
  });
  Figures sum;
  double looks = 0;
  rbm_svgd(particles, Span{0, c.steps}, Shuffle(seed, c.batch), score_of<double>(target), drift,
           advance, [&](Step k, const Ensemble<double>& now, const Batches&) {
             if (k >= c.steps / 4 && k % 4 == 0) {
               for (const double x : now.position()) {
                 sum.second += x * x;
                 sum.fourth += x * x * x * x;
               }
               looks += static_cast<double>(population * c.dim);
             }
             return Signal::go_on;
           });
  return {sum.second / looks, sum.fourth / looks};
}

auto noisy(const Case& c, std::uint64_t seed, double eta) {
  return StochasticStep<double, Kernel>(seed, {eta, 1, 0}, Kernel(c.bandwidth));
}

/// A mean over replicates and its standard error.
struct Measured {
  double mean = 0, se = 0;
};
Measured over(const std::array<double, replicates>& values) {
  Measured m;
  for (const double v : values)
    m.mean += v / replicates;
  for (const double v : values)
    m.se += (v - m.mean) * (v - m.mean) / (replicates - 1.0) / replicates;
  m.se = std::sqrt(m.se);
  return m;
}

/// At eta and at eta/2, put through a line to eta = 0; what is left is of order eta^2.
struct AtZero {
  Measured second, fourth;
};
AtZero at_zero(const Case& c) {
  std::array<double, replicates> second, fourth;
  const std::uint64_t seed = 1000 * c.dim + 100 * c.batch; // other clouds in every case
  for (std::size_t r = 0; r < replicates; ++r) {
    Case half = c;
    half.steps *= 2;
    const Figures coarse =
        moments(c, seed + r, Mean(Lemma(Kernel(c.bandwidth))), noisy(c, seed + r, c.eta));
    const Figures fine = moments(half, seed + 50 + r, Mean(Lemma(Kernel(c.bandwidth))),
                                 noisy(c, seed + 50 + r, c.eta / 2));
    second[r] = 2 * fine.second - coarse.second;
    fourth[r] = 2 * fine.fourth - coarse.fourth;
  }
  return {over(second), over(fourth)};
}

/// What four standard errors and the curvature in eta leave open. Of an Ornstein-Uhlenbeck process
/// with rate eta' the variance is 1/(1 - eta'/2), and the line through eta' and eta'/2 is short by
/// eta'^2/8: below .002 for the steps here.
void expect_near(const char* what, const Measured& m, double truth, double curvature) {
  EXPECT_NEAR(m.mean, truth, 4 * m.se + curvature) << what;
}

// A particle moves by about eta/p where the kernel is narrow, as it is in many dimensions; on the
// line all of the batch is felt.
const std::vector<Case> cases = {
    {1, 2, 0.2, 0.05, 4000}, {1, 8, 0.2, 0.1, 5000}, {1, 32, 0.2, 0.4, 6000},
    {1, 64, 0.2, 0.6, 6000}, {5, 2, 1, 0.2, 1500},   {5, 8, 1, 0.5, 1500},
    {5, 32, 1, 1.5, 1500},   {5, 64, 1, 2, 1500},    {20, 2, 4, 0.2, 600},
    {20, 8, 4, 0.8, 600},    {20, 32, 4, 3, 600},    {20, 64, 4, 6, 600},
};

void expect_moments(std::size_t dim) {
  for (const Case& c : cases) {
    if (c.dim != dim)
      continue;
    const AtZero found = at_zero(c);
    std::printf("d = %2zu, p = %2zu: second %.4f +- %.4f, fourth %.4f +- %.4f\n", c.dim, c.batch,
                found.second.mean, found.second.se, found.fourth.mean, found.fourth.se);
    SCOPED_TRACE(testing::Message() << "d = " << c.dim << ", p = " << c.batch);
    expect_near("second", found.second, 1, 0.002);
    expect_near("fourth", found.fourth, 3, 0.012);
    EXPECT_LT(found.second.se,
              0.03); // the test has power: without noise it is short by .2 and more
    EXPECT_LT(found.fourth.se, 0.25);
  }
}
TEST(StochasticSvgd, HasTheMomentsOfTheTargetAsTheStepGoesToZeroForEveryBatchSizeOnTheLine) {
  expect_moments(1);
}
TEST(StochasticSvgd, HasTheMomentsOfTheTargetAsTheStepGoesToZeroForEveryBatchSizeInFive) {
  expect_moments(5);
}
TEST(StochasticSvgd, HasTheMomentsOfTheTargetAsTheStepGoesToZeroForEveryBatchSizeInTwenty) {
  expect_moments(20);
}

TEST(StochasticSvgd, IsWithinTwoAndFivePercentInTwentyDimensionsInBatchesOfEight) {
  const Case c{20, 8, 4, 0.16, 3000};
  std::array<double, replicates> second, fourth;
  for (std::size_t r = 0; r < replicates; ++r) {
    const Figures f =
        moments(c, 300 + r, Mean(Lemma(Kernel(c.bandwidth))), noisy(c, 300 + r, c.eta));
    second[r] = f.second;
    fourth[r] = f.fourth;
  }
  const Measured m2 = over(second), m4 = over(fourth);
  EXPECT_LT(std::abs(m2.mean - 1) + 2 * m2.se, 0.02);
  EXPECT_LT(std::abs(m4.mean - 3) + 2 * m4.se, 0.15);
}

// The controls: drift or noise alone is another law, and so are Lemma 1's weights with the noise.
TEST(StochasticSvgd, IsNothingWithoutItsNoise) {
  for (const Case& c : {cases[1], cases[5], cases[9]}) {
    ExplicitStep<double, ConstantStep<double>> silent{ConstantStep<double>(c.eta)};
    const Figures f = moments(c, 1, Mean(Lemma(Kernel(c.bandwidth))), silent);
    EXPECT_LT(f.second, 0.8) << c.dim;
    EXPECT_LT(f.fourth, 2.2) << c.dim;
  }
}
TEST(StochasticSvgd, IsAnotherLawWithTheWeightsOfLemma1) {
  for (const Case& c : {cases[1], cases[5], cases[9]}) {
    const Figures f = moments(c, 1, Lemma(Kernel(c.bandwidth)), noisy(c, 1, c.eta));
    EXPECT_GT(std::abs(f.second - 1), 0.2) << c.dim;
  }
}

} // namespace
} // namespace starling
