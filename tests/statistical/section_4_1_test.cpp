// Section 4.1: the errors of RBM-SVGD on the 1-D mixture, over a hundred starts, against the
// figures of an independent program.
#include <starling/advance/explicit_step.hpp>
#include <starling/cpu/pairwise_drift.hpp>
#include <starling/deal/matching.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/drift/reference.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/observe/in_turn.hpp>
#include <starling/random/start.hpp>
#include <starling/rbm_svgd.hpp>
#include <starling/target/lift.hpp>
#include <starling/target/mixture.hpp>
#include <starling/target/score.hpp>

#include "support/batch_mean.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

namespace starling {
namespace {

using Kernel = kernel::Gaussian<double>;
using Pairwise = cpu::PairwiseDrift<double, Kernel>;
using WrongDrift = support::BatchMean<ReferenceDrift<double, Kernel>>;

constexpr std::size_t population = 256, starts = 100;
constexpr double bandwidth = 0.35, step_size = 0.2;
constexpr Step steps = 500;

/// Estimates of E x, E x^2, E cos 2x; the truth for N(-2, 1)/3 + 2 N(2, 1)/3.
using Figures = std::array<double, 3>;
Figures truth() { return {2.0 / 3, 5, std::cos(4.0) * std::exp(-2.0)}; }

/// A dealer for batches of p from a seed.
using Dealing =
    std::function<std::function<const Batches&(Step, Ensemble<double>&)>(std::uint64_t)>;

Dealing shuffled(std::size_t p) {
  return [p](std::uint64_t seed) { return Shuffle(seed, p); };
}
Dealing matched() {
  return [](std::uint64_t seed) { return Matching(seed); };
}

template <typename Drift, typename Rule>
Figures one_run(std::uint64_t start, const Dealing& dealing, Drift drift, Rule rule) {
  const Eigen::MatrixXd unit = Eigen::MatrixXd::Identity(1, 1);
  auto target =
      lift<double>(1, Mixture<double>({{1, -2 * unit.col(0), unit}, {2, 2 * unit.col(0), unit}}));
  Ensemble<double> particles(population, 1);
  start_normal(particles.position(), 1000 + start, -10, 1);
  rbm_svgd(particles, Span{0, steps}, dealing(5000 + start), score_of<double>(target), drift,
           ExplicitStep<double, Rule>(rule), NoObserver());
  Figures mean{};
  for (const double x : particles.position()) {
    mean[0] += x / population;
    mean[1] += x * x / population;
    mean[2] += std::cos(2 * x) / population;
  }
  return mean;
}

/// Mean squared errors over the starts, and their standard errors as a share of them.
struct Errors {
  Figures square{}, share{};
};

template <typename Drift, typename Rule>
Errors errors(const Dealing& dealing, const Drift& drift, const Rule& rule) {
  std::vector<Figures> squares(starts);
  Threads threads(2);
  threads.for_pieces(starts, 1, [&](std::size_t r, std::size_t) {
    squares[r] = one_run(r, dealing, drift, rule);
    for (std::size_t f = 0; f < 3; ++f)
      squares[r][f] = std::pow(squares[r][f] - truth()[f], 2);
  });
  Errors result;
  for (std::size_t f = 0; f < 3; ++f) {
    double variance = 0;
    for (const Figures& square : squares)
      result.square[f] += square[f] / starts;
    for (const Figures& square : squares)
      variance += std::pow(square[f] - result.square[f], 2) / (starts - 1);
    result.share[f] = std::sqrt(variance / starts) / result.square[f];
  }
  return result;
}

/// The largest |ours - reference| in standard errors of the difference. The reference too comes
/// from a hundred starts, so its standard error is taken to be the same share of it as ours is of
/// ours.
double deviation(std::size_t p, const Errors& ours, const Figures& reference) {
  double worst = 0;
  for (std::size_t f = 0; f < 3; ++f) {
    const double error = ours.share[f] * std::hypot(ours.square[f], reference[f]);
    worst = std::max(worst, std::abs(ours.square[f] - reference[f]) / error);
    std::printf("p = %zu: mean squared error %.3g +- %.2g, reference %.3g\n", p, ours.square[f],
                ours.share[f] * ours.square[f], reference[f]);
  }
  return worst;
}

constexpr Figures reference_2 = {.0717, 1.53, .0032}, reference_8 = {.0029, .108, .00068},
                  reference_32 = {.00084, .0101, .00026}, reference_128 = {.00070, .0061, .0016};
constexpr double tolerance = 4;

double deviation_of_rbm_svgd(std::size_t p, const Figures& reference) {
  const Errors ours =
      errors(shuffled(p), Pairwise(Kernel(bandwidth)), FadingAdaGrad<double>(step_size));
  return deviation(p, ours, reference);
}

TEST(Section41, HasTheReferenceErrorsForBatchesOf2) {
  EXPECT_LT(deviation_of_rbm_svgd(2, reference_2), tolerance);
}
TEST(Section41, HasTheReferenceErrorsForBatchesOf8) {
  EXPECT_LT(deviation_of_rbm_svgd(8, reference_8), tolerance);
}
TEST(Section41, HasTheReferenceErrorsForBatchesOf32) {
  EXPECT_LT(deviation_of_rbm_svgd(32, reference_32), tolerance);
}
TEST(Section41, HasTheReferenceErrorsForBatchesOf128) {
  EXPECT_LT(deviation_of_rbm_svgd(128, reference_128), tolerance);
}

TEST(Section41, HasTheReferenceErrorsForPairsMatchedInATournament) {
  const Errors ours =
      errors(matched(), Pairwise(Kernel(bandwidth)), FadingAdaGrad<double>(step_size));
  EXPECT_LT(deviation(2, ours, reference_2), tolerance);
}

TEST(Section41, WouldBeRejectedWithBatchMeanWeights) {
  const WrongDrift wrong{ReferenceDrift<double, Kernel>(Kernel(bandwidth))};
  const FadingAdaGrad<double> rule(step_size);
  EXPECT_GT(deviation(2, errors(shuffled(2), wrong, rule), reference_2), tolerance);
  EXPECT_GT(deviation(8, errors(shuffled(8), wrong, rule), reference_8), tolerance);
}

TEST(Section41, WouldBeRejectedWithTheEverGrowingAdaGradWhichNeverArrives) {
  const Errors ours =
      errors(shuffled(8), Pairwise(Kernel(bandwidth)), SummingAdaGrad<double>(step_size));
  EXPECT_GT(deviation(8, ours, reference_8), tolerance);
  EXPECT_GT(std::sqrt(ours.square[0]), 3); // the mean is still that far off
}

} // namespace
} // namespace starling
