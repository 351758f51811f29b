// The spread of the cloud on N(0, I): as wide with small batches as with full SVGD, unless the
// weights are wrong; wider when the step stays constant.
#include <starling/advance/explicit_step.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/deal/whole.hpp>
#include <starling/drift/bilinear.hpp>
#include <starling/drift/pairwise.hpp>
#include <starling/drift/reference.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/observe/moments.hpp>
#include <starling/random/start.hpp>
#include <starling/rbm_svgd.hpp>
#include <starling/target/lift.hpp>
#include <starling/target/score.hpp>

#include "support/batch_mean.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <string>

namespace starling {
namespace {

using Kernel = kernel::Gaussian<double>;
using Pairwise = PairwiseDrift<double, Kernel>;
using WrongDrift = support::BatchMean<ReferenceDrift<double, Kernel>>;
using Constant = ConstantStep<double>;

constexpr std::size_t population = 256;

Ensemble<double> drawn(std::size_t dim) {
  Ensemble<double> particles(population, dim);
  start_normal(particles, 1, 0, 1);
  return particles;
}

double variance_of(const Ensemble<double>& particles) { // per coordinate
  Moments moments;
  moments.look(particles.position());
  double sum = 0;
  for (const double v : moments.variance())
    sum += v / static_cast<double>(particles.dim());
  return sum;
}

/// Moves the particles; the variance averaged over the steps from `settled` on.
template <typename Deal, typename Drift, typename Rule>
double variance(Ensemble<double>& particles, Step steps, Step settled, Deal deal, Drift drift,
                Rule rule) {
  const std::size_t dim = particles.dim();
  auto target = lift<double>(dim, [](std::span<const double> x, std::span<double> score) {
    for (std::size_t a = 0; a < x.size(); ++a)
      score[a] = -x[a];
    return 0.0;
  });
  double sum = 0, looks = 0;
  rbm_svgd(particles, Span{0, steps}, deal, score_of<double>(target), drift,
           ExplicitStep<double, Rule>(rule),
           [&](Step k, const Ensemble<double>& now, const Batches&) {
             if (k >= settled && k % 5 == 0) {
               sum += variance_of(now);
               ++looks;
             }
             return Signal::go_on;
           });
  return sum / looks;
}

/// Mean and standard error over independent runs.
struct Measured {
  double mean = 0, se = 0;
};
Measured over_seeds(const std::function<double(std::uint64_t)>& run) {
  constexpr int seeds = 6;
  double sum = 0, squares = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const double value = run(seed);
    sum += value;
    squares += value * value;
  }
  const double mean = sum / seeds;
  return {mean, std::sqrt((squares / seeds - mean * mean) / (seeds - 1))};
}

// Of the mean of six runs: Student's t with five degrees of freedom is beyond 5.9 once in 1000
// times.
constexpr double far = 5.9;

// h = d / log N: the mean squared distance 2d of two draws in the place of the squared median.
Kernel kernel_for(std::size_t dim) {
  return Kernel(static_cast<double>(dim) / std::log(static_cast<double>(population)));
}

/// Where SVGD comes to rest.
template <typename Drift>
Ensemble<double> at_rest(std::size_t dim, const Drift& drift) {
  Ensemble<double> particles = drawn(dim);
  variance(particles, 300, 0, Whole(), drift, Constant(0.5));
  return particles;
}

/// What batches of p make of the variance of a cloud that SVGD leaves about where it is, beyond
/// what SVGD does, over the time from 15 to 40. A step eta inflates it in proportion to eta, and
/// beyond that to its square: with eta, 2 eta and 4 eta over the same time both orders go, and what
/// is left is what batches do by themselves: nothing, says Lemma 1.
template <typename Drift>
Measured left_by_batches(const Ensemble<double>& rest, std::size_t p, const Drift& drift) {
  const auto at = [&](double eta, auto deal) {
    Ensemble<double> particles = rest;
    return variance(particles, Step(40 / eta), Step(15 / eta), deal, drift, Constant(eta));
  };
  const double svgd = at(0.2, Whole());
  return over_seeds([&](std::uint64_t seed) {
    const Shuffle deal(seed + 100, p);
    return (8 * at(0.05, deal) - 6 * at(0.1, deal) + at(0.2, deal)) / 3 - svgd;
  });
}

class Spread : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, Spread, testing::Values(1, 5, 20),
                         [](const auto& one) { return "In" + std::to_string(one.param); });

TEST_P(Spread, IsThatOfSvgdForBatchesOf8AndCollapsesUnderBatchMeanWeights) {
  const std::size_t dim = GetParam();
  const Pairwise drift(kernel_for(dim));
  const WrongDrift wrong{ReferenceDrift<double, Kernel>(kernel_for(dim))};
  const Ensemble<double> rest = at_rest(dim, drift);
  const Measured apart = left_by_batches(rest, 8, drift), lost = left_by_batches(rest, 8, wrong);
  std::printf(
      "d = %zu: variance %.4f; batches of 8 change it by %.4f +- %.4f, with batch-mean weights "
      "by %.3f +- %.3f\n",
      dim, variance_of(rest), apart.mean, apart.se, lost.mean, lost.se);
  EXPECT_LT(std::abs(apart.mean), far * apart.se);
  EXPECT_LT(lost.mean, -5 * far * apart.se); // the same test tells wrong weights by far
  EXPECT_LT(lost.mean, -far * lost.se);
}

// The exact bilinear part, c = 1/d, keeps open what the local kernel lets collapse.
TEST(SpreadWithABilinearPart, IsWiderIn20DimensionsAndTheSameWhateverTheBatches) {
  constexpr std::size_t dim = 20;
  const Pairwise alone(kernel_for(dim));
  const WithBilinear<double, Pairwise> drift(alone, 1.0 / dim);
  const Ensemble<double> rest = at_rest(dim, drift);
  const double without = variance_of(at_rest(dim, alone)), with = variance_of(rest);
  for (const std::size_t p : {2, 8}) {
    const Measured apart = left_by_batches(rest, p, drift);
    std::printf("with a bilinear part: variance %.4f, %.4f without; p = %zu changes it by %.4f +- "
                "%.4f\n",
                with, without, p, apart.mean, apart.se);
    EXPECT_LT(std::abs(apart.mean), far * apart.se);
    EXPECT_GT(with, without + 10 * far * apart.se);
  }
  EXPECT_LT(std::abs(1 - with), std::abs(1 - without) / 2); // more than half of the way to 1
}

TEST(SpreadOfPairs, IsInflatedByAConstantStepInProportionToIt) {
  const Pairwise drift(Kernel(0.0925));
  const auto of = [&](std::uint64_t seed, auto rule) {
    Ensemble<double> particles = drawn(1);
    return variance(particles, 6000, 1000, Shuffle(seed + 200, 2), drift, rule);
  };
  const double svgd = variance_of(at_rest(1, drift));
  const auto inflation = [&](double eta) {
    return over_seeds([&](std::uint64_t seed) { return of(seed, Constant(eta)) - svgd; });
  };
  const Measured small = inflation(0.025), twice = inflation(0.05), large = inflation(0.2);
  const Measured decaying = over_seeds(
      [&](std::uint64_t seed) { return of(seed, DecayingStep<double>(0.5, 20, 0.8)) - svgd; });
  std::printf("p = 2: inflated by %.4f +- %.4f for eta = .025, %.4f +- %.4f for .05, %.4f for .2, "
              "%.4f +- %.4f decaying\n",
              small.mean, small.se, twice.mean, twice.se, large.mean, decaying.mean, decaying.se);
  EXPECT_GT(small.mean, far * small.se);
  EXPECT_GT(large.mean, twice.mean + 10 * far * std::hypot(large.se, twice.se));
  // double within the error and the next order, which the larger steps measure: c eta + b eta^2
  const double bend = (large.mean - 4 * twice.mean) / (0.2 * 0.2 - 4 * 0.05 * 0.05);
  EXPECT_LT(std::abs(twice.mean - 2 * small.mean - 2 * bend * 0.025 * 0.025),
            far * std::hypot(twice.se, 2 * small.se));
  EXPECT_LT(decaying.mean, small.mean); // its last steps are smaller than that
}

} // namespace
} // namespace starling
