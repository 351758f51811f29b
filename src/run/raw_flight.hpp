// A run of the raw method under way: roles around the loop, stopwatches around the roles, wherever
// the particles live.
#pragma once

#include "run/check_roles.hpp"
#include "run/state.hpp"
#include "run/stopwatch.hpp"

#include <starling/rbm_svgd.hpp>
#include <starling/run/flight.hpp>
#include <starling/run/lookout.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace starling::run {

/// What a store needs of its flight to say what the run came to.
template <typename Real>
struct EndOfRun {
  Roles<Real>& roles;
  const Settings& settings;
  const Lookout<Real>& lookout;
  Step done;
  bool over;
  const Timing& seconds;
  std::function<Checkpoint()> head; ///< of a checkpoint, without columns
};

/// Store is where the particles live: ParticlesOnHost, mpi::ParticlesOnRanks,
/// cuda::ParticlesOnCard. It has the particles of the loop; what deals, scores, drifts, advances
/// and looks there; and their columns, to a checkpoint and back.
template <typename Real, typename Store>
class RawFlight final : public Flight {
public:
  /// `more` is what the store needs beside roles and settings.
  template <typename... More>
  RawFlight(Roles<Real> roles, const Settings& settings, More&&... more)
      : Flight(settings, Store::warns_by_itself ? without_warnings(roles) : roles),
        roles_(std::move(roles)),
        lookout_(settings.seed, settings.periodic, roles_.target.names, threads()),
        store_(roles_, settings_, std::forward<More>(more)...) {}

  Store& store() { return store_; }

  void restore(const Checkpoint& from, const std::string& where, const Head& head) {
    if (head.saved.done > total())
      reject("steps", "at least the " + std::to_string(head.saved.done) + " that are done",
             std::to_string(total()));
    store_.restore(from, where, head);
    done_ = head.saved.done;
    settled_ = head.settled;
    seconds_ = head.seconds;
    trace_ = head.trace;
  }

  void take(Step count, const std::function<Signal()>& after) override {
    if (over())
      return;
    using P = typename Store::Particles;
    const Step last = count < total() - done_ ? done_ + count : total();
    const Step every = look_every(total(), settings_.particles, roles_.target.dim);
    const TimedSteps timed(seconds_);
    const auto is_looked_at = [&](Step k) {
      return k % every == 0 && (trace_.empty() || trace_.back().step < k); // once, if it fails
    };
    const auto deal = [&](Step k, P&) -> const Batches& {
      const Stopwatch watching(seconds_.deal);
      return store_.deal(k);
    };
    const auto score = [&](Step k, P&, const Batches& batches) {
      const Stopwatch watching(seconds_.score);
      store_.score(k, batches);
    };
    const auto drift = [&](Step k, P&, const Batches& batches) {
      const Stopwatch watching(seconds_.drift);
      store_.drift(k, batches);
    };
    const auto look = [&](Step k, P&, const Batches& batches) {
      if (is_looked_at(k))
        this->look(k, batches, timed.so_far());
    };
    const auto advance = [&](Step k, P&, const Batches& batches, const auto& flow) {
      const Stopwatch watching(seconds_.advance);
      store_.advance(k, batches, is_looked_at(k), std::cref(flow));
    };
    const auto observe = [&](Step k, const P&, const Batches& batches) {
      store_.check(k, batches);
      done_ = k + 1;
      const Signal asked = after ? after() : Signal::go_on;
      return settled_ ? Signal::stop : asked;
    };
    try {
      store_.guarded([&] {
        rbm_svgd(store_.particles(), Span{done_, last}, deal, score, drift, look, advance, observe);
        store_.finish();
      });
    } catch (...) {
      done_ = store_.next(done_);
      throw;
    }
  }

  double drift_size() const override { return store_.drift_size(trace_); }
  std::vector<double> positions() const override { return store_.positions(); }
  std::vector<double> scores() const override { return store_.scores(); }
  std::vector<double> drifts() const override { return store_.drifts(); }
  const std::vector<std::string>& names() const override { return roles_.target.names; }

  Checkpoint save(const std::string& note) const override { return store_.save(head(note)); }
  void save_to(const std::filesystem::path& file, const std::string& note) const override {
    store_.save_to(file, head(note));
  }
  bool spread() const override { return Store::spread; }
  bool finite() const override { return store_.finite(); }

private:
  static Roles<Real> without_warnings(Roles<Real> roles) {
    roles.target.warnings = {};
    return roles;
  }
  Threads& threads() const { return roles_.threads ? *roles_.threads : Threads::alone(); }

  void look(Step k, const Batches& batches, double seconds) {
    const Stopwatch watching(seconds_.look);
    if (!store_.look(k, batches, lookout_, seconds, trace_))
      return;
    settled_ = settings_.until_converged && judge::settled(trace_);
  }

  Checkpoint head(const std::string& note) const {
    const Settings& s = settings_;
    return with_head({{s.particles, roles_.target.dim, sizeof(Real) == sizeof(float), s.identity,
                       s.seed, s.run, done_, note},
                      settled_,
                      store_.memories(),
                      seconds_,
                      trace_});
  }

  void report(bool measured, Outcome& outcome) override {
    store_.report(measured, outcome,
                  EndOfRun<Real>{roles_, settings_, lookout_, done_, over(), seconds_,
                                 [this] { return head({}); }});
  }

  Roles<Real> roles_;
  Lookout<Real> lookout_;
  mutable Store store_; // steps that are still to be taken on a card change nothing that is seen
};

template <typename Store, typename Real, typename Fill, typename... More>
std::unique_ptr<Flight> begin_in(Roles<Real> roles, const Settings& settings, const Fill& start,
                                 More&&... more) {
  check(roles);
  auto flight = std::make_unique<RawFlight<Real, Store>>(std::move(roles), settings,
                                                         std::forward<More>(more)...);
  flight->store().start(start);
  return flight;
}

template <typename Store, typename Real, typename... More>
std::unique_ptr<Flight> resume_in(Roles<Real> roles, const Settings& settings,
                                  const Checkpoint& checkpoint, const std::string& where,
                                  More&&... more) {
  check(roles);
  const Head head =
      read_head_for(settings, roles.target.dim, sizeof(Real) == sizeof(float), checkpoint, where);
  auto flight = std::make_unique<RawFlight<Real, Store>>(std::move(roles), settings,
                                                         std::forward<More>(more)...);
  flight->restore(checkpoint, where, head);
  return flight;
}

} // namespace starling::run
