// The run: roles around the loop, stopwatches around the roles.
#include "assemble/run.hpp"

#include <starling/observe/guard.hpp>
#include <starling/observe/in_turn.hpp>
#include <starling/observe/moments.hpp>
#include <starling/rbm_svgd.hpp>
#include <starling/target/score.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>

namespace starling::assemble {

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Adds the time it lives to a sum.
class Stopwatch {
public:
  explicit Stopwatch(double& sum) : sum_(sum) {}
  ~Stopwatch() { sum_ += since(begin_); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

private:
  double& sum_;
  Clock::time_point begin_ = Clock::now();
};

/// Root mean square over the dealt particles.
template <typename Real>
double rms(Rows<const Real> rows, const Batches& batches) {
  double sum = 0;
  for (const std::uint32_t i : batches.order())
    for (const Real value : rows[i])
      sum += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(sum / static_cast<double>(batches.order().size() * rows.dim));
}

template <typename Real>
TraceRow look(Step k, const Ensemble<Real>& particles, const Batches& batches, double seconds) {
  Moments moments;
  moments.look(particles.position());
  double variance = 0;
  for (const double v : moments.variance())
    variance += v / static_cast<double>(particles.dim());
  const double share =
      static_cast<double>(batches.order().size()) / static_cast<double>(batches.population);
  return {k + 1, batches.time + share, seconds, batches[0].size(), rms(particles.drift(), batches),
          rms(particles.score(), batches), std::sqrt(variance)};
}

template <typename Real>
std::vector<double> as_double(Rows<const Real> rows) {
  return {rows.begin(), rows.end()};
}

/// Rows in the order of their particles again, wherever a dealer let them travel.
template <typename Real>
void bring_home(Ensemble<Real>& particles) {
  std::vector<std::uint32_t> order(particles.count());
  for (std::size_t i = 0; i < particles.count(); ++i)
    order[particles.id()[i]] = static_cast<std::uint32_t>(i);
  particles.reorder(order);
}

std::vector<std::string> warnings_for(const Recipe& r) {
  std::vector<std::string> warnings;
  const bool singular = ("+" + r.kernel).find("riesz:") != std::string::npos || r.kernel == "riesz";
  if (singular)
    warnings.push_back("kernel riesz is infinite at distance zero: its self term is dropped");
  if (singular && r.advance != "splitting")
    warnings.push_back("kernel riesz without --advance splitting can overflow when two particles meet");
  if (!r.domain.empty() && r.target != "plugin") // that one may well be periodic
    warnings.push_back(fmt::format("target {} is not periodic: its density jumps at the edge of the torus",
                                   r.target));
  return warnings;
}

/// Summaries of columns that have no scores; values that are not numbers are passed over.
std::vector<ParameterSummary> summarize_columns(const Constrained& table) {
  std::vector<ParameterSummary> summaries;
  const std::size_t width = table.names.size();
  for (std::size_t c = 0; c < width; ++c) {
    std::vector<double> values;
    for (std::size_t at = c; at < table.values.size(); at += width)
      if (!std::isnan(table.values[at]))
        values.push_back(table.values[at]);
    summaries.push_back(values.empty()
                            ? ParameterSummary{table.names[c], NAN, NAN, NAN, NAN, NAN, NAN, NAN}
                            : summarize(table.names[c], std::move(values)));
    summaries.back().shift = NAN;
  }
  return summaries;
}

/// What the end is worth: exact scores there, diagnostics, the rows held out.
template <typename Real>
void measure(Outcome& outcome, AnyTarget<Real>& target, const Ensemble<Real>& particles) {
  Column<Real> score(particles.position().size()), density(particles.count());
  const Rows<Real> s{score.data(), particles.count(), particles.dim()};
  target.evaluate(particles.position(), s, density);
  outcome.log_density.assign(density.begin(), density.end());
  const auto lost = std::ranges::count_if(density, [](Real v) { return !std::isfinite(v); });
  if (lost > 0)
    outcome.warnings.push_back(fmt::format("{} of {} particles ended where the log density is not "
                                           "finite: do not trust these results",
                                           lost, particles.count()));
  const std::vector<double> scores = as_double<Real>(s);
  outcome.diagnosis = diagnose({outcome.positions.data(), s.count, s.dim},
                               {scores.data(), s.count, s.dim}, outcome.names, outcome.recipe.seed,
                               !outcome.recipe.domain.empty());
  if (target.hold_out)
    outcome.held_out = target.hold_out(particles.position());
  if (target.constrain) {
    outcome.constrained = target.constrain(particles.position());
    outcome.constrained_summary = summarize_columns(*outcome.constrained);
  }
}

template <typename Real>
Outcome run_as(const Recipe& recipe, const Watch& watch) {
  Threads threads(recipe.threads);
  AnyTarget<Real> target = make_target<Real>(recipe, threads);
  auto deal = make_dealer<Real>(recipe);
  auto drift = make_drift<Real>(recipe, target.dim, threads);
  auto advance = make_advance<Real>(recipe, threads);
  Ensemble<Real> particles(recipe.particles, target.dim);
  start(recipe, target, particles.position());

  Outcome outcome;
  outcome.recipe = recipe;
  outcome.names = target.names;
  outcome.threads = threads.count();
  outcome.warnings = warnings_for(recipe);

  // The target as the Score role asks for it.
  struct View {
    AnyTarget<Real>& any;
    std::size_t dim() const { return any.dim; }
    void operator()(Step k, Rows<const Real> x, Rows<Real> s) { any.score(k, x, s); }
  };
  auto score = score_of<Real>(View{target});

  const Step steps = loop_steps(recipe), every = std::max<Step>(1, steps / 100);
  const Clock::time_point begin = Clock::now();
  Timing& time = outcome.seconds;
  const auto timed_deal = [&](Step k, Ensemble<Real>& e) -> const Batches& {
    const Stopwatch watching(time.deal);
    return deal(k, e);
  };
  const auto timed_score = [&](Step k, Ensemble<Real>& e, const Batches& b) {
    const Stopwatch watching(time.score);
    score(k, e, b);
  };
  const auto timed_drift = [&](Step k, Ensemble<Real>& e, const Batches& b) {
    const Stopwatch watching(time.drift);
    drift(k, e, b);
  };
  const auto timed_advance = [&](Step k, Ensemble<Real>& e, const Batches& b, const auto& flow) {
    const Stopwatch watching(time.advance);
    advance(k, e, b, std::cref(flow));
  };
  const auto trace = [&](Step k, const Ensemble<Real>& e, const Batches& b) {
    if ((k + 1) % every == 0 || k == 0 || k + 1 == steps)
      outcome.trace.push_back(look(k, e, b, since(begin)));
    outcome.steps_done = k + 1;
    outcome.interrupted = k + 1 < steps && watch.interrupted && watch.interrupted();
    return outcome.interrupted ? Signal::stop : Signal::go_on;
  };
  const Ensemble<Real>& cloud = particles;
  const Batches* dealt = nullptr; // the last batches, for the one live figure
  const auto remember = [&](Step, const Ensemble<Real>&, const Batches& b) {
    dealt = &b;
    return Signal::go_on;
  };
  Progress progress(steps, 0.1, [&](const ProgressReport& report) {
    if (watch.progress)
      watch.progress(report, rms(cloud.drift(), *dealt));
  });

  try {
    rbm_svgd(particles, Span{0, steps}, timed_deal, timed_score, timed_drift, timed_advance,
             InTurn(Guard(target.names), trace, remember, progress));
  } catch (const TargetError&) {
    outcome.failure = std::current_exception();
  } catch (const Diverged&) {
    outcome.failure = std::current_exception();
  }
  time.total = since(begin);
  time.advance -= time.score + time.drift; // it called them
  bring_home(particles);
  outcome.positions = as_double<Real>(std::as_const(particles).position());
  if (outcome.complete())
    measure(outcome, target, particles);
  if (target.warnings)
    std::ranges::move(target.warnings(), std::back_inserter(outcome.warnings));
  return outcome;
}

} // namespace

Outcome run(Recipe recipe, const Watch& watch) {
  resolve(recipe);
  return recipe.precision == "single" ? run_as<float>(recipe, watch)
                                      : run_as<double>(recipe, watch);
}

} // namespace starling::assemble
