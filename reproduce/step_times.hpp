// How long steps take: stopwatches, medians, and each role's share of a step.
#pragma once

#include <starling/cpu/explicit_step.hpp>
#include <starling/cpu/pairwise_drift.hpp>
#include <starling/cpu/permute.hpp>
#include <starling/deal/matching.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/deal/whole.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/observe/in_turn.hpp>
#include <starling/rbm_svgd.hpp>
#include <starling/target/score.hpp>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace starling::reproduce {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// The median time of so many runs, after one to warm up.
template <typename Run>
double median_seconds(std::size_t repeats, Run&& run) {
  run();
  std::vector<double> times;
  for (std::size_t r = 0; r < repeats; ++r) {
    const auto begin = Clock::now();
    run();
    times.push_back(seconds_since(begin));
  }
  return median(times);
}

/// Seconds per step: of the bare loop, and of each role in a loop with stopwatches.
struct StepTimes {
  double total = 0, deal = 0, score = 0, drift = 0, advance = 0;
};

template <typename Real>
using GaussDrift = cpu::PairwiseDrift<Real, kernel::Gaussian<Real>>;

/// RBM-SVGD with that dealer, that drift and fading AdaGrad, from the same start each time.
template <typename Real, typename Target, typename Deal, typename Drift>
StepTimes time_with(Target& target, const Ensemble<Real>& start, Deal deal, Drift drift, double eta,
                    Step steps, std::size_t repeats, Threads& threads) {
  cpu::ExplicitStep<Real, FadingAdaGrad<Real>> advance(FadingAdaGrad<Real>(eta), threads);
  auto score = score_of<Real>(target);
  std::vector<StepTimes> parts;
  const double bare = median_seconds(repeats, [&] {
    Ensemble<Real> particles = start;
    rbm_svgd(particles, Span{0, steps}, deal, score, drift, advance, NoObserver());
  });
  for (std::size_t r = 0; r < repeats; ++r) {
    StepTimes t;
    Ensemble<Real> particles = start;
    auto last = Clock::now();
    const auto lap = [&](double& part) {
      const auto now = Clock::now();
      part += std::chrono::duration<double>(now - last).count();
      last = now;
    };
    rbm_svgd(
        particles, Span{0, steps},
        [&](Step k, Ensemble<Real>& e) -> const Batches& {
          const Batches& batches = deal(k, e);
          lap(t.deal);
          return batches;
        },
        [&](Step k, Ensemble<Real>& e, const Batches& b) {
          score(k, e, b);
          lap(t.score);
        },
        [&](Step k, Ensemble<Real>& e, const Batches& b) {
          drift(k, e, b);
          lap(t.drift);
        },
        [&](Step k, Ensemble<Real>& e, const Batches& b, const auto& flow) {
          advance(k, e, b, flow);
          lap(t.advance);
        },
        NoObserver());
    parts.push_back(t);
  }
  const auto middle = [&](double StepTimes::*part) {
    std::vector<double> values;
    for (const StepTimes& t : parts)
      values.push_back(t.*part);
    return median(values) / static_cast<double>(steps);
  };
  return StepTimes{bare / static_cast<double>(steps), middle(&StepTimes::deal),
                   middle(&StepTimes::score), middle(&StepTimes::drift),
                   middle(&StepTimes::advance)};
}

/// The same, pairs dealt by a matching, larger batches by a shuffle. p = N is SVGD.
template <typename Real, typename Target, typename Drift>
StepTimes time_with_drift(Target& target, const Ensemble<Real>& start, std::size_t p, Drift drift,
                          double eta, Step steps, std::size_t repeats, Threads& threads) {
  const auto with_dealer = [&](auto deal) {
    return time_with(target, start, std::move(deal), drift, eta, steps, repeats, threads);
  };
  if (p == start.count())
    return with_dealer(Whole());
  return p == 2 ? with_dealer(Matching(1)) : with_dealer(Shuffle(1, p, cpu::permute));
}

/// The same with the SIMD drift at a fixed bandwidth.
template <typename Real, typename Target>
StepTimes time_steps(Target& target, const Ensemble<Real>& start, std::size_t p, double bandwidth,
                     double eta, Step steps, std::size_t repeats, Threads& threads) {
  const kernel::Gaussian<Real> gauss(static_cast<Real>(bandwidth));
  return time_with_drift(target, start, p, GaussDrift<Real>(gauss, threads), eta, steps, repeats,
                         threads);
}

} // namespace starling::reproduce
