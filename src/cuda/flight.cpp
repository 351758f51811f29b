// Steps on the device, everything else on the host: some rows come down for a look, all of them for
// a checkpoint.
#include "cuda/flight.hpp"

#include "run/state.hpp"

#include <starling/run/lookout.hpp>

#include <algorithm>
#include <chrono>

namespace starling::cuda {

namespace {

using Clock = std::chrono::steady_clock;

/// Rows that a look judges by: enough for its figures, few against what a step costs.
constexpr std::size_t rows_of_a_look = 32768;

template <typename Real>
class FlightOf final : public run::Flight {
public:
  FlightOf(std::shared_ptr<Machine> machine, Charge<Real> charge, run::Roles<Real> roles,
           const run::Settings& settings)
      : Flight(settings, quiet(roles)), roles_(std::move(roles)),
        cloud_(std::make_unique<Cloud<Real>>(std::move(machine), std::move(charge))),
        lookout_(settings.seed, settings.periodic, roles_.target.names) {}

  void start(const std::function<void(Rows<Real>)>& fill) {
    starling::Ensemble<Real> here(settings_.particles, roles_.target.dim);
    fill(here.position());
    cloud_->particles().upload(here);
  }

  void restore(const run::Checkpoint& from, const std::string& where, const run::Head& head) {
    if (head.saved.done > total())
      reject("steps", "at least the " + std::to_string(head.saved.done) + " that are done",
             std::to_string(total()));
    starling::Ensemble<Real> here(settings_.particles, roles_.target.dim);
    run::restore_columns(from, where, head.memories, here);
    if (std::ranges::any_of(here.moves(), [&](std::uint32_t m) { return m != here.moves()[0]; }))
      throw io::BadData(where, "is of a run whose particles moved unequally often, which goes on "
                               "with --device cpu alone");
    cloud_->particles().upload(here);
    cloud_->positions_in(head.saved.done);
    done_ = head.saved.done;
    settled_ = head.settled;
    seconds_ = head.seconds;
    trace_ = head.trace;
  }

  void take(Step count, const std::function<Signal()>& after) override {
    if (over())
      return;
    const Step last = count < total() - done_ ? done_ + count : total();
    const Step every =
        run::look_every(total(), settings_.particles, roles_.target.dim); // as on the host
    struct Watch {
      double& sum;
      double before;
      Clock::time_point begin = Clock::now();
      double now() const {
        return before + std::chrono::duration<double>(Clock::now() - begin).count();
      }
      ~Watch() { sum = now(); }
    } const watch{seconds_.total, seconds_.total};
    try {
      while (done_ < last) {
        const Step k = done_;
        if (k % every == 0 && (trace_.empty() || trace_.back().step < k)) {
          look(k, watch.now());
        } else {
          cloud_->record(k);
        }
        done_ = k + 1;
        if ((after && after() == Signal::stop) || settled_)
          break;
      }
      cloud_->flush();
    } catch (...) {
      done_ = cloud_->next();
      throw;
    }
  }

  double drift_size() const override {
    return trace_.empty() ? 0 : trace_.back().drift;
  } // of the last look
  std::vector<double> positions() const override { return at_home(cloud().particles().position()); }
  std::vector<double> scores() const override {
    return at_home((cloud_->flow_again(), cloud_->particles().score()));
  }
  std::vector<double> drifts() const override {
    return at_home((cloud_->flow_again(), cloud_->particles().drift()));
  }
  const std::vector<std::string>& names() const override { return roles_.target.names; }

  run::Checkpoint save(const std::string& note) const override {
    starling::Ensemble<Real> here(settings_.particles, roles_.target.dim);
    cloud().particles().download(here);
    const run::Settings& s = settings_;
    run::Checkpoint checkpoint =
        run::with_head({{here.count(), here.dim(), sizeof(Real) == sizeof(float), s.identity,
                         s.seed, s.run, done_, note},
                        settled_,
                        here.memories(),
                        seconds_,
                        trace_});
    run::save_columns(here, checkpoint);
    return checkpoint;
  }

  void report(bool measured,
              run::Outcome& outcome) override { // what the host makes of the same state
    outcome = run::resume<Real>(roles_, settings_, save({}), "the device")->outcome(measured);
  }

private:
  /// The host's outcome has all the warnings already.
  static run::Roles<Real> quiet(run::Roles<Real> roles) {
    roles.target.warnings = {};
    return roles;
  }

  /// With all its steps taken. They change what it holds, and nothing that anybody sees.
  Cloud<Real>& cloud() const {
    cloud_->flush();
    return *cloud_;
  }

  void look(Step k, double seconds) {
    Batches batches;
    cloud_->flow(k, rows_of_a_look, seen_, batches);
    if (!std::ranges::all_of(seen_->drift(), [](Real v) { return std::isfinite(v); }))
      return cloud_->flush(); // which says what it is
    lookout_.look(k, *seen_, batches, roles_.drift, seconds, trace_);
    settled_ = settings_.until_converged && judge::settled(trace_);
  }

  std::vector<double> at_home(DeviceColumn<Real> column) const {
    const std::vector<Real> values = cloud_->column(column);
    const std::vector<std::uint32_t> ids = cloud_->particles().ids();
    std::vector<double> home(values.size());
    for (std::size_t n = 0; n < values.size(); ++n)
      home[std::size_t{ids[n / column.dim]} * column.dim + n % column.dim] =
          static_cast<double>(values[n]);
    return home;
  }

  run::Roles<Real> roles_;
  std::unique_ptr<Cloud<Real>> cloud_;
  run::Lookout<Real> lookout_;
  std::unique_ptr<starling::Ensemble<Real>> seen_;
};

} // namespace

template <typename Real>
std::unique_ptr<run::Flight> begin(std::shared_ptr<Machine> machine, Charge<Real> charge,
                                   run::Roles<Real> roles, const run::Settings& settings,
                                   const std::function<void(Rows<Real>)>& start) {
  auto flight = std::make_unique<FlightOf<Real>>(std::move(machine), std::move(charge),
                                                 std::move(roles), settings);
  flight->start(start);
  return flight;
}

template <typename Real>
std::unique_ptr<run::Flight> resume(std::shared_ptr<Machine> machine, Charge<Real> charge,
                                    run::Roles<Real> roles, const run::Settings& settings,
                                    const run::Checkpoint& checkpoint, const std::string& where) {
  run::resume<Real>(roles, settings, checkpoint, where); // says what does not fit
  auto flight = std::make_unique<FlightOf<Real>>(std::move(machine), std::move(charge),
                                                 std::move(roles), settings);
  flight->restore(checkpoint, where, run::read_head(checkpoint, where));
  return flight;
}

template std::unique_ptr<run::Flight> begin(std::shared_ptr<Machine>, Charge<double>,
                                            run::Roles<double>, const run::Settings&,
                                            const std::function<void(Rows<double>)>&);
template std::unique_ptr<run::Flight> begin(std::shared_ptr<Machine>, Charge<float>,
                                            run::Roles<float>, const run::Settings&,
                                            const std::function<void(Rows<float>)>&);
template std::unique_ptr<run::Flight> resume(std::shared_ptr<Machine>, Charge<double>,
                                             run::Roles<double>, const run::Settings&,
                                             const run::Checkpoint&, const std::string&);
template std::unique_ptr<run::Flight> resume(std::shared_ptr<Machine>, Charge<float>,
                                             run::Roles<float>, const run::Settings&,
                                             const run::Checkpoint&, const std::string&);

} // namespace starling::cuda
