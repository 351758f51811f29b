// Roles around the loop, stopwatches around the roles.
#include "run/flight.hpp"

#include "run/flight_state.hpp"
#include "run/lookout.hpp"
#include "plan/spec.hpp"
#include "io/errors.hpp"

#include <starling/deal/shuffle.hpp>
#include <starling/observe/guard.hpp>
#include <starling/random/philox.hpp>
#include <starling/rbm_svgd.hpp>
#include <starling/target/score.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>

namespace starling::run {

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

/// The first run has the seed itself, so that one run is the first of many.
plan::Recipe seeded(plan::Recipe recipe, std::uint64_t run) {
  if (run > 0) {
    const auto bits = Philox(recipe.seed)(Stream::runs, 0, run);
    recipe.seed = std::uint64_t{bits[0]} << 32 | bits[1];
  }
  return recipe;
}

/// Summaries of columns that have no scores; values that are not numbers are passed over.
std::vector<judge::ParameterSummary> summarize_columns(const assemble::Constrained& table) {
  std::vector<judge::ParameterSummary> summaries;
  const std::size_t width = table.names.size();
  for (std::size_t c = 0; c < width; ++c) {
    std::vector<double> values;
    for (std::size_t at = c; at < table.values.size(); at += width)
      if (!std::isnan(table.values[at]))
        values.push_back(table.values[at]);
    summaries.push_back(values.empty()
                            ? judge::ParameterSummary{table.names[c], NAN, NAN, NAN, NAN, NAN, NAN, NAN}
                            : judge::summarize(table.names[c], std::move(values)));
    summaries.back().shift = NAN;
  }
  return summaries;
}

template <typename Real>
class FlightOf final : public Flight {
public:
  FlightOf(const plan::Recipe& recipe, std::uint64_t run, const assemble::Guest* guest)
      : Flight(recipe, run), mine_(seeded(recipe, run)), threads_(recipe.threads),
        target_(assemble::make_target<Real>(mine_, threads_, recipe.seed, guest)), score_(View{target_}),
        deal_(assemble::make_dealer<Real>(mine_)), drift_(assemble::make_drift<Real>(mine_, target_.dim, threads_)),
        advance_(assemble::make_advance<Real>(mine_, threads_)), guard_(target_.names),
        lookout_(mine_, target_.names), particles_(recipe.particles, target_.dim) {}

  void start(std::span<const double> given) {
    if (recipe_.start == "given")
      assemble::place(given, particles_.position());
    else
      assemble::start(mine_, target_, particles_.position());
  }
  void restore(const io::Checkpoint& from, const std::string& where) {
    const Head head = read_head(from, where);
    if (head.done > total_)
      reject("steps", fmt::format("at least the {} that are done", head.done), std::to_string(total_));
    done_ = head.done;
    settled_ = head.settled;
    seconds_ = head.seconds;
    trace_ = head.trace;
    lookout_ = Lookout<Real>(mine_, target_.names, trace_);
    restore_columns(from, where, head.memories, particles_);
  }

  void take(Step count, const std::function<Signal()>& after) override {
    if (over())
      return;
    const Step last = count < total_ - done_ ? done_ + count : total_;
    // A look costs a few steps: a hundred in a long run, in a short one no more than trends need.
    const Step every = std::max(std::clamp<Step>(total_ / 25, 1, 20), total_ / 100);
    const Clock::time_point begin = Clock::now();
    const Timing before = seconds_;
    const auto deal = [&](Step k, Ensemble<Real>& e) -> const Batches& {
      const Stopwatch watching(seconds_.deal);
      return deal_(k, e);
    };
    const auto score = [&](Step k, Ensemble<Real>& e, const Batches& b) {
      const Stopwatch watching(seconds_.score);
      score_(k, e, b);
    };
    const auto drift = [&](Step k, Ensemble<Real>& e, const Batches& b) {
      const Stopwatch watching(seconds_.drift);
      drift_(k, e, b);
    };
    const auto look = [&](Step k, Ensemble<Real>&, const Batches& b) {
      if (k % every == 0 && (trace_.empty() || trace_.back().step < k)) // not again after a failure
        this->look(k, b, before.total + since(begin));
    };
    const auto advance = [&](Step k, Ensemble<Real>& e, const Batches& b, const auto& flow) {
      const Stopwatch watching(seconds_.advance);
      advance_(k, e, b, std::cref(flow));
    };
    const auto observe = [&](Step k, const Ensemble<Real>& e, const Batches& b) {
      guard_(k, e, b);
      done_ = k + 1;
      dealt_ = &b;
      const Signal asked = after ? after() : Signal::go_on;
      return settled_ ? Signal::stop : asked;
    };
    struct Ending { // also when the target throws
      FlightOf& flight;
      Timing before;
      Clock::time_point begin;
      ~Ending() {
        Timing& t = flight.seconds_;
        t.total = before.total + since(begin);
        t.advance -= t.score + t.drift + flight.looking_ - before.score - before.drift; // it called them
        flight.looking_ = 0;
      }
    } const ending{*this, before, begin};
    rbm_svgd(particles_, Span{done_, last}, deal, score, drift, look, advance, observe);
  }

  double drift_size() const override {
    double sum = 0;
    std::size_t count = 0;
    if (dealt_)
      for (const std::uint32_t i : dealt_->order())
        for (const Real value : particles_.drift()[i]) {
          sum += static_cast<double>(value) * static_cast<double>(value);
          ++count;
        }
    return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(count, 1)));
  }
  std::vector<double> positions() const override { return at_home(particles_.position()); }
  std::vector<double> scores() const override { return at_home(particles_.score()); }
  std::vector<double> drifts() const override { return at_home(particles_.drift()); }
  const std::vector<std::string>& names() const override { return target_.names; }

  io::Checkpoint save(const std::string& note) const override {
    io::Checkpoint checkpoint;
    checkpoint.head = write_head({recipe_, run_, done_, settled_, particles_.memories(), seconds_, trace_, note});
    save_columns(particles_, checkpoint);
    return checkpoint;
  }

  Outcome outcome(bool measured) override {
    Outcome o;
    o.recipe = recipe_;
    o.run = run_;
    o.names = target_.names;
    o.threads = threads_.count();
    o.warnings = plan::warnings_for(recipe_);
    o.steps_done = done_;
    o.positions = positions();
    o.seconds = seconds_;
    o.trace = trace_;
    if (measured)
      measure(o);
    if (target_.warnings)
      std::ranges::move(target_.warnings(), std::back_inserter(o.warnings));
    return o;
  }

private:
  /// The target as the Score role asks for it.
  struct View {
    assemble::AnyTarget<Real>& any;
    std::size_t dim() const { return any.dim; }
    void operator()(Step k, Rows<const Real> x, Rows<Real> s) { any.score(k, x, s); }
  };

  void look(Step k, const Batches& batches, double seconds) {
    const Stopwatch watching(looking_);
    trace_.push_back(lookout_.look(k, particles_, batches, drift_, seconds));
    settled_ = recipe_.until_converged && judge::settled(trace_);
  }

  /// Rows in the order of their particles, wherever a dealer let them travel.
  std::vector<double> at_home(Rows<const Real> rows) const {
    std::vector<double> home(rows.size());
    for (std::size_t i = 0; i < rows.count; ++i)
      std::ranges::copy(rows[i], home.begin() + static_cast<std::ptrdiff_t>(particles_.id()[i] * rows.dim));
    return home;
  }

  /// Batches of the size in use, of everyone, for the last look at rows that stay where they are.
  Batches deal_at_the_end(Ensemble<Real>& last) {
    if (!mine_.replace && mine_.deal != "matching")
      return deal_(done_, last);
    const std::size_t p = plan::parse_count("batch", mine_.batch, 2);
    Batches batches = Shuffle(mine_.seed, p)(done_, last);
    if (mine_.replace)
      batches.time *= static_cast<double>(p) / static_cast<double>(last.count());
    return batches;
  }

  /// What the end is worth: exact scores there, diagnostics, the rows held out. On a copy, so that
  /// the run can go on.
  void measure(Outcome& o) {
    Ensemble<Real> last(particles_.count(), particles_.dim());
    std::ranges::transform(o.positions, last.position().begin(), [](double v) { return static_cast<Real>(v); });
    Column<Real> density(last.count());
    target_.evaluate(std::as_const(last).position(), last.score(), density);
    o.log_density.assign(density.begin(), density.end());

    Batches batches = deal_at_the_end(last);
    drift_(done_, last, batches);
    o.trace.push_back(Lookout<Real>(lookout_).look(done_, last, batches, drift_, seconds_.total));

    const std::vector<double> scores(last.score().begin(), last.score().end());
    o.diagnosis = judge::diagnose({o.positions.data(), last.count(), last.dim()},
                           {scores.data(), last.count(), last.dim()}, o.log_density, o.names,
                           mine_.seed, !recipe_.domain.empty(), o.trace);
    if (target_.hold_out)
      o.held_out = target_.hold_out(std::as_const(last).position());
    if (target_.constrain) {
      o.constrained = target_.constrain(std::as_const(last).position());
      o.constrained_summary = summarize_columns(*o.constrained);
    }
    if (std::string found = judge::strays(o.parameters(), last.count()); !found.empty())
      o.warnings.push_back(std::move(found));
  }

  plan::Recipe mine_; // with the seed of this run
  Threads threads_;
  assemble::AnyTarget<Real> target_;
  Score<Real, View> score_;
  assemble::AnyDealer<Real> deal_;
  assemble::AnyDrift<Real> drift_;
  assemble::AnyAdvance<Real> advance_;
  Guard guard_;
  Lookout<Real> lookout_;
  Ensemble<Real> particles_;
  const Batches* dealt_ = nullptr; // of the last step
  double looking_ = 0;             // seconds
};

/// Calls use with the flight of the recipe's number type.
template <typename Use>
std::unique_ptr<Flight> make(const plan::Recipe& recipe, std::uint64_t run, const assemble::Guest* guest, Use&& use) {
  const auto of = [&]<typename Real>(Real) -> std::unique_ptr<Flight> {
    auto flight = std::make_unique<FlightOf<Real>>(recipe, run, guest);
    use(*flight);
    return flight;
  };
  return recipe.precision == "single" ? of(float()) : of(double());
}

} // namespace

Flight::Flight(const plan::Recipe& recipe, std::uint64_t run)
    : recipe_(recipe), run_(run), total_(assemble::loop_steps(recipe)) {}

std::unique_ptr<Flight> Flight::begin(const plan::Recipe& recipe, std::uint64_t run, const assemble::Guest* guest,
                                      std::span<const double> positions) {
  return make(recipe, run, guest, [&](auto& flight) { flight.start(positions); });
}

std::unique_ptr<Flight> Flight::resume(const io::Checkpoint& checkpoint, const plan::Recipe& recipe,
                                       const std::string& where, const assemble::Guest* guest) {
  const std::uint64_t run = read_head(checkpoint, where).run;
  return make(recipe, run, guest, [&](auto& flight) { flight.restore(checkpoint, where); });
}

} // namespace starling::run
