// Particles on a card: steps there, everything else on the host. Some rows come down for a look,
// all of them for a checkpoint.
#pragma once

#include "cuda/cloud.hpp"
#include "run/raw_flight.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace starling::cuda {

template <typename Real>
class ParticlesOnCard {
public:
  using Particles = Ensemble<Real>;
  static constexpr bool warns_by_itself = true, spread = false; // the host's outcome does

  ParticlesOnCard(run::Roles<Real>& roles, const run::Settings& settings,
                  std::shared_ptr<Machine> machine, RunSpec<Real> spec)
      : roles_(roles), settings_(settings), cloud_(std::move(machine), std::move(spec)) {}

  void start(const std::function<void(Rows<Real>)>& fill) {
    starling::Ensemble<Real> here(settings_.particles, roles_.target.dim);
    fill(here.position());
    cloud_.particles().upload(here);
  }
  void restore(const run::Checkpoint& from, const std::string& where, const run::Head& head) {
    starling::Ensemble<Real> here(settings_.particles, roles_.target.dim);
    run::restore_columns(from, where, head.memories, here);
    if (std::ranges::any_of(here.moves(), [&](std::uint32_t m) { return m != here.moves()[0]; }))
      throw io::BadData(where, "is of a run whose particles made different numbers of steps; it "
                               "continues only with --device cpu");
    cloud_.particles().upload(here);
    cloud_.positions_in(head.saved.done);
  }
  run::Checkpoint save(run::Checkpoint head) {
    starling::Ensemble<Real> here(settings_.particles, roles_.target.dim);
    flushed().particles().download(here);
    run::save_columns(here, head);
    return head;
  }
  void save_to(const std::filesystem::path& file, run::Checkpoint head) {
    run::write_checkpoint(file, save(std::move(head)));
  }

  Particles& particles() { return cloud_.particles(); }
  std::size_t memories() { return cloud_.particles().memories(); }

  // Only steps that are looked at are taken apart. The others are recorded as a whole, and the
  // cloud takes many of them together.
  const Batches& deal(Step) { return looked_at_; }
  void score(Step, const Batches&) {} // in the flow
  void drift(Step k, const Batches&) { cloud_.flow(k, rows_of_a_look, seen_, looked_at_); }
  bool look(Step k, const Batches&, const run::Lookout<Real>& lookout, double seconds,
            std::vector<judge::TraceRow>& trace) {
    if (!std::ranges::all_of(seen_->drift(), [](Real v) { return std::isfinite(v); })) {
      cloud_.flush(); // which says what it is
      return false;
    }
    lookout.look(k, *seen_, looked_at_, roles_.drift, seconds, trace);
    return true;
  }
  void advance(Step k, const Batches&, bool is_looked_at, const std::function<void()>& flow) {
    is_looked_at ? flow() : cloud_.record(k); // the move after a flow is recorded with it
  }
  void check(Step, const Batches&) {} // the cloud does
  void finish() { cloud_.flush(); }
  Step next(Step) const { return cloud_.next(); }
  template <typename Work>
  void guarded(Work&& work) {
    work();
  }

  double drift_size(const std::vector<judge::TraceRow>& trace) const { // of the last look
    return trace.empty() ? 0 : trace.back().drift;
  }
  std::vector<double> positions() { return by_particle(flushed().particles().position()); }
  std::vector<double> scores() {
    cloud_.flow_again();
    return by_particle(cloud_.particles().score());
  }
  std::vector<double> drifts() {
    cloud_.flow_again();
    return by_particle(cloud_.particles().drift());
  }
  bool finite() {
    return std::ranges::all_of(positions(), [](double x) { return std::isfinite(x); });
  }

  /// What the host makes of the same state.
  void report(bool measured, run::Outcome& outcome, const run::EndOfRun<Real>& end) {
    outcome = run::resume<Real>(roles_, settings_, save(end.head()), "the card")->outcome(measured);
  }

private:
  /// Rows that a look judges by: enough for its figures, few against what a step costs.
  static constexpr std::size_t rows_of_a_look = 32768;

  /// With all its steps taken. They change what it holds, and nothing that anybody sees.
  Cloud<Real>& flushed() {
    cloud_.flush();
    return cloud_;
  }

  /// Rows in the order of their particles.
  std::vector<double> by_particle(DeviceColumn<Real> column) {
    const std::vector<Real> values = cloud_.column(column);
    const std::vector<std::uint32_t> ids = cloud_.particles().ids();
    std::vector<double> sorted(values.size());
    for (std::size_t n = 0; n < values.size(); ++n)
      sorted[std::size_t{ids[n / column.dim]} * column.dim + n % column.dim] =
          static_cast<double>(values[n]);
    return sorted;
  }

  run::Roles<Real>& roles_;
  const run::Settings& settings_;
  Cloud<Real> cloud_;
  std::unique_ptr<starling::Ensemble<Real>> seen_; // rows of a look
  Batches looked_at_;                              // their batches
};

} // namespace starling::cuda
