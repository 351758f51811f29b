// Roles around the loop, stopwatches around the roles.
#include <starling/run/flight.hpp>

#include "run/check_roles.hpp"
#include "run/large_vectors.hpp"
#include "run/measure.hpp"
#include "run/state.hpp"
#include "run/stopwatch.hpp"

#include <starling/observe/guard.hpp>
#include <starling/rbm_svgd.hpp>
#include <starling/run/lookout.hpp>
#include <starling/target/score.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <type_traits>

namespace starling::run {

namespace {

template <typename Real>
class FlightOf final : public Flight {
public:
  FlightOf(Roles<Real> roles, const Settings& settings)
      : Flight(settings, roles), roles_(std::move(roles)), score_(View{roles_.target}, crew()),
        guard_(roles_.target.names, crew(), true),
        lookout_(settings.seed, settings.periodic, roles_.target.names, crew()),
        particles_(settings.particles, roles_.target.dim, crew()) {}

  void start(const std::function<void(Rows<Real>)>& fill) { fill(particles_.position()); }

  void restore(const Checkpoint& from, const std::string& where, const Head& head) {
    if (head.saved.done > total())
      reject("steps", fmt::format("at least the {} that are done", head.saved.done),
             std::to_string(total()));
    done_ = head.saved.done;
    settled_ = head.settled;
    seconds_ = head.seconds;
    trace_ = head.trace;
    restore_columns(from, where, head.memories, particles_);
  }

  void take(Step count, const std::function<Signal()>& after) override {
    if (over())
      return;
    const Step last = count < total() - done_ ? done_ + count : total();
    const Step every = look_every(total(), particles_.count(), particles_.dim());
    const TimedSteps timed(seconds_);
    const auto deal = [&](Step k, Ensemble<Real>& e) -> const Batches& {
      const Stopwatch watching(seconds_.deal);
      return roles_.deal(k, e);
    };
    const auto score = [&](Step k, Ensemble<Real>& e, const Batches& b) {
      const Stopwatch watching(seconds_.score);
      score_(k, e, b);
    };
    const auto drift = [&](Step k, Ensemble<Real>& e, const Batches& b) {
      const Stopwatch watching(seconds_.drift);
      roles_.drift(k, e, b);
    };
    const auto look = [&](Step k, Ensemble<Real>&, const Batches& b) {
      if (k % every == 0 && (trace_.empty() || trace_.back().step < k)) // not again after a failure
        this->look(k, b, timed.so_far());
    };
    const auto advance = [&](Step k, Ensemble<Real>& e, const Batches& b, const auto& flow) {
      const Stopwatch watching(seconds_.advance);
      roles_.advance(k, e, b, std::cref(flow));
    };
    const auto observe = [&](Step k, const Ensemble<Real>& e, const Batches& b) {
      guard_(k, e, b);
      done_ = k + 1;
      dealt_ = &b;
      const Signal asked = after ? after() : Signal::go_on;
      return settled_ ? Signal::stop : asked;
    };
    rbm_svgd(particles_, Span{done_, last}, deal, score, drift, look, advance, observe);
  }

  double drift_size() const override {
    if (measured_ || !dealt_)
      return drift_size_;
    double sum = 0;
    for (const std::uint32_t i : dealt_->order())
      for (const Real value : particles_.drift()[i])
        sum += static_cast<double>(value) * static_cast<double>(value);
    return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(
                               dealt_->order().size() * particles_.dim(), 1)));
  }
  std::vector<double> positions() const override { return at_home(particles_.position()); }
  std::vector<double> scores() const override { return forces(particles_.score()); }
  std::vector<double> drifts() const override { return forces(particles_.drift()); }
  const std::vector<std::string>& names() const override { return roles_.target.names; }

  Checkpoint save(const std::string& note) const override {
    const Settings& s = settings_;
    Checkpoint checkpoint =
        with_head({{particles_.count(), particles_.dim(), sizeof(Real) == sizeof(float), s.identity,
                    s.seed, s.run, done_, note},
                   settled_,
                   particles_.memories(),
                   seconds_,
                   trace_});
    save_columns(particles_, checkpoint);
    return checkpoint;
  }

private:
  Threads& crew() const { return roles_.threads ? *roles_.threads : Threads::alone(); }

  /// The target as the Score role asks for it.
  struct View {
    AnyTarget<Real>& any;
    std::size_t dim() const { return any.dim; }
    void operator()(Step k, Rows<const Real> x, Rows<Real> s) { any.score(k, x, s); }
  };

  void look(Step k, const Batches& batches, double seconds) {
    const Stopwatch watching(seconds_.look);
    lookout_.look(k, particles_, batches, roles_.drift, seconds, trace_);
    settled_ = settings_.until_converged && judge::settled(trace_);
  }

  /// Rows in the order of their particles, wherever a dealer let them travel. `beside` is done by
  /// one of the threads meanwhile.
  std::vector<double> at_home(Rows<const Real> rows,
                              const std::function<void()>& beside = {}) const {
    return scattered(rows, std::as_const(particles_).id(), crew(), beside);
  }
  std::vector<double> forces(Rows<const Real> rows) const {
    return measured_ ? copied(rows, crew()) : at_home(rows);
  }

  /// What the end is worth: exact scores there, diagnostics, the rows held out. On a copy, so that
  /// the run can go on; it is gone again before the diagnosis, since of 10^7 particles it counts,
  /// and scores are copied only then.
  void report(bool measured, Outcome& o) override {
    if (!measured)
      return;
    if (over()) { // no step comes that needs the forces
      o.positions =
          at_home(std::as_const(particles_).position(), [&] { drift_size_ = drift_size(); });
      {
        typename Ensemble<Real>::Loan loan(particles_, crew());
        measured_ = true;
        measure(loan.borrower, o);
      }
      o.scores = scores();
    } else {
      o.positions = positions();
      Ensemble<Real> last(particles_.count(), particles_.dim(), crew());
      measure(last, o);
      o.scores = copied(std::as_const(last).score(), crew());
    }
    const std::size_t count = particles_.count(), dim = particles_.dim();
    AnyTarget<Real>& target = roles_.target;
    const bool has_density = !target.has_density || target.has_density();
    o.diagnosis = judge::diagnose({o.positions.data(), count, dim}, {o.scores.data(), count, dim},
                                  has_density ? std::span<const double>(o.log_density)
                                              : std::span<const double>(),
                                  o.names, settings_.seed, settings_.periodic, o.trace, crew());
    certify(o);
    Column<Real> x;
    if (target.hold_out || target.constrain)
      x.assign(o.positions.begin(), o.positions.end());
    if (target.hold_out)
      o.held_out = target.hold_out({x.data(), count, dim});
    if (target.constrain) {
      o.constrained = target.constrain({x.data(), count, dim});
      o.constrained_summary = summarize_columns(*o.constrained, crew());
    }
    count_groups(target, o, crew());
    o.trace.back().verdict =
        o.diagnosis.judgement
            .verdict; // it knows of densities that fail, of the certificate and of groups
    for (std::string found : {judge::outlier_warning(o.parameters(), count),
                              judge::missing_values_warning(o.parameters())})
      if (!found.empty())
        o.warnings.push_back(std::move(found));
  }

  /// Scores, log density and a look at the outcome's positions, in a cloud that is used for nothing
  /// else.
  void measure(Ensemble<Real>& last, Outcome& o) {
    const Batches& batches =
        (roles_.deal_everyone ? roles_.deal_everyone : roles_.deal)(done_, last);
    // Filled in afterwards, so that rows are in the order of the particles even if they travelled.
    place(o.positions, last.position(), crew());
    o.log_density = zeros(last.count(), crew());
    if constexpr (std::is_same_v<Real, double>) {
      roles_.target.evaluate(std::as_const(last).position(), last.score(), o.log_density);
    } else {
      Column<Real> density(last.count());
      roles_.target.evaluate(std::as_const(last).position(), last.score(), density);
      std::ranges::copy(density, o.log_density.begin());
    }
    roles_.drift(done_, last, batches);
    lookout_.look(done_, last, batches, roles_.drift, seconds_.total, o.trace);
  }

  void certify(Outcome& o) {
    using judge::evidence::NotCertified;
    judge::Judgement& judgement = o.diagnosis.judgement;
    if (settings_.certify == std::optional<std::size_t>(0)) {
      if (judgement.converged())
        judgement.remark(NotCertified{NotCertified::Why::not_asked});
      return;
    }
    if constexpr (std::is_same_v<Real, double>)
      certify_at(roles_.target, roles_.threads ? *roles_.threads : Threads::alone(),
                 o.trace.back().sweeps, o);
    else if (judgement.converged())
      judgement.remark(NotCertified{NotCertified::Why::single_precision});
  }

  Roles<Real> roles_;
  Score<Real, View> score_;
  Guard guard_;
  Lookout<Real> lookout_;
  Ensemble<Real> particles_;
  const Batches* dealt_ = nullptr; // of the last step
  bool measured_ = false; // scores and drifts are those of the end, in the particles' order
  double drift_size_ = 0; // from before
};

} // namespace

void Flight::save_to(const std::filesystem::path& file, const std::string& note) const {
  write_checkpoint(file, save(note));
}

bool Flight::finite() const {
  return std::ranges::all_of(positions(), [](double x) { return std::isfinite(x); });
}

Outcome Flight::outcome(bool measured) {
  Outcome o;
  o.settings = settings_;
  o.names = names();
  o.threads = threads_;
  o.warnings = warnings_;
  o.steps_done = done_;
  o.seconds = seconds_;
  o.trace = trace_;
  report(measured, o);
  if (o.positions.empty())
    o.positions = positions();
  if (late_warnings_)
    std::ranges::move(late_warnings_(), std::back_inserter(o.warnings));
  return o;
}

template <typename Real>
std::unique_ptr<Flight> begin(Roles<Real> roles, const Settings& settings,
                              const std::function<void(Rows<Real>)>& start) {
  check(roles);
  auto flight = std::make_unique<FlightOf<Real>>(std::move(roles), settings);
  flight->start(start);
  return flight;
}

template <typename Real>
std::unique_ptr<Flight> resume(Roles<Real> roles, const Settings& settings,
                               const Checkpoint& checkpoint, const std::string& where) {
  check(roles);
  const Head head =
      read_head_for(settings, roles.target.dim, sizeof(Real) == sizeof(float), checkpoint, where);
  auto flight = std::make_unique<FlightOf<Real>>(std::move(roles), settings);
  flight->restore(checkpoint, where, head);
  return flight;
}

template std::unique_ptr<Flight> begin(Roles<double>, const Settings&,
                                       const std::function<void(Rows<double>)>&);
template std::unique_ptr<Flight> begin(Roles<float>, const Settings&,
                                       const std::function<void(Rows<float>)>&);
template std::unique_ptr<Flight> resume(Roles<double>, const Settings&, const Checkpoint&,
                                        const std::string&);
template std::unique_ptr<Flight> resume(Roles<float>, const Settings&, const Checkpoint&,
                                        const std::string&);

} // namespace starling::run
