// Runs of section 4.1 of the paper, for all experiments on the mixture: one run, and errors over
// many.
#include "mixture_runs.hpp"

#include <starling/cpu/explicit_step.hpp>
#include <starling/cpu/mixture.hpp>
#include <starling/cpu/pairwise_drift.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/deal/whole.hpp>
#include <starling/drift/adaptive.hpp>
#include <starling/kernel/bandwidth.hpp>
#include <starling/random/start.hpp>
#include <starling/rbm_svgd.hpp>
#include <starling/target/score.hpp>

#include <cmath>

namespace starling::reproduce {

Json to_json(const MixtureSetting& setting) {
  return {{"particles", setting.population},
          {"bandwidth", setting.bandwidth > 0 ? Json(setting.bandwidth) : Json("dynamic")},
          {"step_size", setting.step_size},
          {"start", "normal:-10,1"},
          {"advance", "adagrad"}};
}

MixtureDealer mixture_dealer(std::uint64_t seed, std::size_t p, std::size_t population) {
  if (p == population)
    return Whole();
  return Shuffle(seed, p);
}

void run_mixture(const MixtureSetting& setting, std::uint64_t seed, const MixtureDealer& deal,
                 Step steps, const MixtureLook& look) {
  using Drift = cpu::PairwiseDrift<double, kernel::Gaussian<double>>;
  Ensemble<double> particles(setting.population, 1);
  start_normal(particles.position(), seed, -10, 1);
  const auto positions = [&] {
    return std::span<const double>(particles.position().data, particles.count());
  };
  look(0, positions());
  const auto run = [&](auto drift) {
    cpu::MixtureOnTheLine<double> target(Mixture<double>::paper());
    rbm_svgd(
        particles, Span{0, steps}, MixtureDealer(deal), score_of<double>(target), drift,
        cpu::ExplicitStep<double, FadingAdaGrad<double>>(FadingAdaGrad<double>(setting.step_size)),
        [&](Step k, const Ensemble<double>&, const Batches&) {
          look(k + 1, positions());
          return Signal::go_on;
        });
  };
  if (setting.bandwidth > 0)
    run(Drift(kernel::Gaussian<double>(setting.bandwidth)));
  else
    run(AdaptiveDrift<double, Drift, kernel::MedianBandwidth<double>>(
        Drift(kernel::Gaussian<double>(1)), {}));
}

Figures mixture_truth() { return {2.0 / 3, 5, std::cos(4.0) * std::exp(-2.0)}; }

Figures squared_errors(std::span<const double> x) {
  Figures mean{};
  for (const double v : x) {
    mean[0] += v;
    mean[1] += v * v;
    mean[2] += std::cos(2 * v);
  }
  Figures squares;
  for (std::size_t f = 0; f < squares.size(); ++f)
    squares[f] = std::pow(mean[f] / static_cast<double>(x.size()) - mixture_truth()[f], 2);
  return squares;
}

Mean mean_of(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  Mean mean;
  for (const double v : values)
    mean.value += v / n;
  double sum = 0;
  for (const double v : values)
    sum += (v - mean.value) * (v - mean.value);
  mean.error = std::sqrt(sum / (n - 1) / n);
  return mean;
}

Mean mse(const Squares& squares, std::size_t f) {
  std::vector<double> column;
  for (const Figures& one : squares)
    column.push_back(one[f]);
  return mean_of(column);
}

Mean paired_difference(const Squares& a, const Squares& b, std::size_t f) {
  std::vector<double> column;
  for (std::size_t r = 0; r < a.size(); ++r)
    column.push_back(a[r][f] - b[r][f]);
  return mean_of(column);
}

Json mse_json(const Squares& squares) {
  Json values = Json::array(), errors = Json::array();
  for (std::size_t f = 0; f < mixture_functions.size(); ++f) {
    const Mean mean = mse(squares, f);
    values.push_back(mean.value);
    errors.push_back(mean.error);
  }
  return {{"mse", values}, {"error", errors}};
}

Squares mixture_errors(Threads& threads, std::size_t starts, const MixtureSetting& setting,
                       Step steps, const std::function<MixtureDealer(std::uint64_t)>& dealer) {
  Squares squares(starts);
  threads.for_pieces(starts, 1, [&](std::size_t r, std::size_t) {
    run_mixture(setting, r + 1, dealer(r + 1), steps, [&](Step done, std::span<const double> x) {
      if (done == steps)
        squares[r] = squared_errors(x);
    });
  });
  return squares;
}

} // namespace starling::reproduce
