// A look: what the scores say, what the pairs say, how much of the drift is chance.
#include <starling/run/lookout.hpp>

#include <starling/judge/verdict.hpp>
#include <starling/observe/balance.hpp>
#include <starling/observe/noise.hpp>
#include <starling/observe/stein.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace starling::run {

namespace {

/// Root mean square over the dealt particles.
template <typename Real>
double rms(Rows<const Real> rows, const Batches& batches) {
  double sum = 0;
  for (const std::uint32_t i : batches.order())
    for (const Real value : rows[i])
      sum += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(sum / static_cast<double>(batches.order().size() * rows.dim));
}

/// As many pairs as cost about what a step costs, which forms its own in vectors.
std::size_t affordable(std::size_t population, std::size_t batch) {
  return std::clamp<std::size_t>(population * std::max<std::size_t>(1, batch / 32), 200, 100000);
}

} // namespace

template <typename Real>
Lookout<Real>::Lookout(std::uint64_t seed, bool periodic, std::vector<std::string> names)
    : seed_(seed), periodic_(periodic), names_(std::move(names)) {}

template <typename Real>
void Lookout<Real>::look(Step k, Ensemble<Real>& particles, const Batches& batches,
                         const AnyDrift<Real>& drift, double seconds,
                         std::vector<judge::TraceRow>& trace) const {
  const Rows<const Real> x = std::as_const(particles).position();
  const Rows<const Real> score = std::as_const(particles).score();
  const auto dim = static_cast<double>(x.dim);
  const std::vector<Balance> parameters = balance(x, score);
  judge::TraceRow row;
  row.step = k;
  row.sweeps = batches.time;
  row.seconds = seconds;
  row.batch = batches[0].size();
  row.drift = rms(std::as_const(particles).drift(), batches);
  row.score = rms(score, batches);
  double variance = 0, centre = 0;
  for (const Balance& one : parameters) {
    variance += one.sd * one.sd;
    centre += one.mean;
  }
  row.spread = std::sqrt(variance / dim);
  if (!periodic_)
    row.centre = centre / std::sqrt(dim);
  if (!periodic_ && x.count > 1) {
    const auto found = stein_discrepancy(x, score, batches, affordable(x.count, row.batch));
    row.ksd = found.multiquadric.value;
    row.ksd_se = found.multiquadric.se;
    row.ksd_gaussian = found.gaussian.value;
    row.ksd_gaussian_se = found.gaussian.se;
  }
  if (batches.whole()) { // else most scores are those of an earlier step, or of none
    row.noise = drift_noise(k, particles, batches, drift, seed_).ratio();
    row.shift = 0;
    for (const Balance& one : parameters)
      row.shift = std::max(row.shift, std::abs(one.shift));
    if (!periodic_ && x.count > 1) {
      const auto [least, most] = std::ranges::minmax_element(parameters, {}, &Balance::spread);
      row.least_identity = least->spread;
      row.most_identity = most->spread;
    }
  }
  trace.push_back(std::move(row));
  if (batches.whole())
    trace.back().verdict = judge::judge(parameters, x.count, names_, periodic_, trace).word;
}

template class Lookout<double>;
template class Lookout<float>;

} // namespace starling::run
