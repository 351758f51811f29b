// Summaries, and the verdict.
#include "judge/diagnose.hpp"

#include <starling/random/permute.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace starling::judge {

namespace {

// What a cloud may be off by before it is said: a fifth of an sd in place, a fifth in spread (a
// quarter upwards), and in each case more than three standard errors of as many independent draws.
constexpr double tolerated_shift = 0.2, least_spread = 0.8, most_spread = 1.25, errors = 3;
// What place and spread may change by, in spreads, from one quarter of the looks to the next.
constexpr double tolerated_move = 0.1;
// A cloud that grows, with its scores, and is twice as wide as they say, has left.
constexpr double beyond_control = 4;
// More than one particle in a hundred where the density fails, and no figure can be believed.
constexpr double tolerated_losses = 0.01;
// More of the variance than this in a hundredth of the particles is that of a few: of a normal they
// have .08, of an exponential .2.
constexpr double most_outside = 0.5;
// Below this the slope at a single particle counts as flat.
constexpr double flat = 1e-2;

// The value below which a share q of the sorted values lies, linear between neighbours.
double quantile(const std::vector<double>& sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

std::size_t outermost(std::size_t count) { return (count + 99) / 100; }

/// Of the hundredth of the sorted values that is farthest from the mean.
double outer_squares(std::span<const double> sorted, double mean) {
  double sum = 0;
  for (std::size_t left = outermost(sorted.size()); left > 0; --left) {
    const double below = mean - sorted.front(), above = sorted.back() - mean;
    sum += below > above ? below * below : above * above;
    sorted = below > above ? sorted.subspan(1) : sorted.first(sorted.size() - 1);
  }
  return sum;
}

/// The parameters that have something wrong with them: how many, and the worst.
struct Suspects {
  std::size_t count = 0, worst = 0;
  double fault = 0;
  void add(std::size_t a, double how_far) {
    ++count;
    if (how_far > fault) {
      fault = how_far;
      worst = a;
    }
  }
};

/// As far as N particles can tell: the parameter whose spread is least known, if that is too
/// little.
std::string caveat(const std::vector<Balance>& parameters, const std::vector<std::string>& names) {
  const auto least_known = std::ranges::max_element(parameters, {}, &Balance::spread_se);
  if (errors * least_known->spread_se < 1 - least_spread)
    return "";
  return fmt::format(", as far as this cloud can tell (the identity of {} is {:.2f} +- {:.2f})",
                     names[static_cast<std::size_t>(least_known - parameters.begin())],
                     least_known->spread, least_known->spread_se);
}

bool numbers(const std::vector<Balance>& parameters) {
  return std::ranges::all_of(parameters, [](const Balance& one) {
    return std::isfinite(one.sd) && std::isfinite(one.shift) && std::isfinite(one.spread);
  });
}

} // namespace

Verdict judge(const std::vector<Balance>& parameters, std::size_t count,
              const std::vector<std::string>& names, bool periodic,
              const std::vector<TraceRow>& trace) {
  if (!numbers(parameters))
    return {"diverged", "a particle has left the range of numbers: lower --step-size"};
  if (count == 1) { // the mode, not a sample: only the slope can be judged
    double steepest = 0;
    for (const Balance& one : parameters)
      steepest = std::max(steepest, std::abs(one.mean_score));
    return {steepest < flat ? "converged" : "still moving",
            fmt::format("one particle seeks the mode; the largest score left is {:.2g}", steepest)};
  }
  Suspects shifted, narrow, wide;
  for (std::size_t a = 0; a < parameters.size(); ++a) {
    const Balance& one = parameters[a];
    if (std::abs(one.shift) > std::max(tolerated_shift, errors * one.shift_se))
      shifted.add(a, std::abs(one.shift));
    const double slack = errors * one.spread_se;
    if (!periodic && one.spread < least_spread && one.spread + slack < 1)
      narrow.add(a, 1 - one.spread);
    if (!periodic && one.spread > most_spread && one.spread - slack > 1)
      wide.add(a, one.spread);
  }
  const Trends going = periodic ? Trends() : trends(trace);
  const bool grows = going.spread.change > 0, travels = going.centre.beyond(tolerated_move);
  const bool mending =
      going.spread.beyond(on_its_way) && (grows ? narrow.count > 0 : wide.count > 0);
  const auto spread_of = [&](const Suspects& which) {
    return fmt::format("{} of {} parameters ({}: identity {:.3g} instead of 1)", which.count,
                       parameters.size(), names[which.worst], parameters[which.worst].spread);
  };

  if (wide.fault > beyond_control && grows && going.spread.beyond(tolerated_move) &&
      going.score.change > 0 && going.score.beyond(tolerated_move))
    return {"diverged",
            fmt::format("the cloud grows and its scores with it; it is too wide in {}: lower "
                        "--step-size",
                        spread_of(wide))};
  if (shifted.count > 0)
    return {"still moving",
            fmt::format("{} is {:.2g} sd from where its scores balance: take more steps, "
                        "or start nearer",
                        names[shifted.worst], shifted.fault)};
  if (travels)
    return {"still moving",
            fmt::format("the cloud moved by {:.2g} sd over the last quarter of the run: "
                        "take more steps",
                        std::abs(going.centre.change))};
  if (mending || (going.spread.beyond(tolerated_move) && wide.count + narrow.count == 0))
    return {"still moving",
            fmt::format("the cloud {} by {:.0f} % over the last quarter of the run: take "
                        "more steps",
                        grows ? "grew" : "shrank",
                        100 * std::abs(std::expm1(going.spread.change)))};
  if (narrow.count > 0)
    return {"collapsed",
            fmt::format("the spread is too small in {}: known of local kernels in many "
                        "dimensions; do not trust these standard deviations",
                        spread_of(narrow))};
  if (wide.count > 0) {
    const bool in_batches = trace.empty() || trace.back().noise != 0;
    return {"noisy", fmt::format("the spread is too large in {}: {}lower --step-size",
                                 spread_of(wide), in_batches ? "raise --batch or " : "")};
  }
  return {"converged",
          periodic ? "the scores balance (spread is not judged on a torus)"
                   : "the scores balance and the spread is right" + caveat(parameters, names)};
}

ParameterSummary summarize(std::string name, std::vector<double> values) {
  ParameterSummary p;
  p.name = std::move(name);
  const auto n = static_cast<double>(values.size());
  for (const double v : values)
    p.mean += v / n;
  double squares = 0;
  for (const double v : values)
    squares += (v - p.mean) * (v - p.mean);
  p.sd = std::sqrt(squares / n);
  std::sort(values.begin(), values.end());
  p.q05 = quantile(values, 0.05);
  p.q50 = quantile(values, 0.50);
  p.q95 = quantile(values, 0.95);
  p.outer_share = squares > 0 ? outer_squares(values, p.mean) / squares : 0;
  p.spread_identity = NAN;
  return p;
}

Diagnosis diagnose(Rows<const double> x, Rows<const double> score,
                   std::span<const double> log_density, const std::vector<std::string>& names,
                   std::uint64_t seed, bool periodic, const std::vector<TraceRow>& trace) {
  Diagnosis d;
  const std::vector<Balance> parameters = balance(x, score);
  for (std::size_t a = 0; a < x.dim; ++a) {
    std::vector<double> values(x.count);
    for (std::size_t i = 0; i < x.count; ++i)
      values[i] = x[i][a];
    d.parameters.push_back(summarize(names[a], std::move(values)));
    d.parameters.back().shift = parameters[a].shift;
    if (!periodic && x.count > 1)
      d.parameters.back().spread_identity = parameters[a].spread;
  }
  if (!periodic && x.count > 1) {
    constexpr std::size_t most_pairs = 200000; // some milliseconds
    Batches batches; // of everyone, in batches that have about that many pairs together
    batches.population = x.count;
    permute(batches.lay_out(x.count, Batches::pieces(x.count, 2 * most_pairs / x.count + 1)),
            Philox(seed), Stream::diagnosis, 0);
    const SteinDiscrepancies found = stein_discrepancy(x, score, batches, most_pairs);
    d.ksd = found.multiquadric;
    d.ksd_gaussian = found.gaussian;
  }
  const Verdict verdict = judge(parameters, x.count, names, periodic, trace);
  d.verdict = verdict.word;
  d.sentence = verdict.sentence;
  const auto lost = std::ranges::count_if(log_density, [](double v) { return !std::isfinite(v); });
  const bool unknown = std::ranges::all_of(log_density, [](double v) { return std::isnan(v); });
  if (lost > 0 && !unknown) {
    const bool too_many =
        static_cast<double>(lost) > tolerated_losses * static_cast<double>(x.count);
    if (too_many)
      d.verdict = "diverged";
    d.sentence = fmt::format("{} of {} particles stand where the density fails; {}", lost, x.count,
                             too_many ? "no figure can be trusted" : "for the rest, " + d.sentence);
  }
  return d;
}

std::string strays(const std::vector<ParameterSummary>& parameters, std::size_t count) {
  Suspects far;
  for (std::size_t a = 0; count >= 100 && a < parameters.size(); ++a)
    if (parameters[a].outer_share > most_outside)
      far.add(a, parameters[a].outer_share);
  if (far.count == 0)
    return "";
  return fmt::format("{:.0f} % of the variance of {}{} lies in {} of {} particles, far out: a heavy tail, or strays; do "
                     "not trust its mean and sd",
                     100 * far.fault, parameters[far.worst].name,
                     far.count > 1 ? fmt::format(" (and much of {} more)", far.count - 1) : "",
                     outermost(count), count);
}

Diagnosis diverged(const std::string& why) {
  Diagnosis d;
  d.verdict = "diverged";
  d.sentence = why;
  return d;
}

} // namespace starling::judge
