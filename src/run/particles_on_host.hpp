// Particles that are all here, in the host's memory; and what they are worth at the end.
#pragma once

#include "run/large_vectors.hpp"
#include "run/measure.hpp"
#include "run/raw_flight.hpp"

#include <starling/finite.hpp>
#include <starling/observe/guard.hpp>
#include <starling/target/score.hpp>

#include <cmath>
#include <type_traits>

namespace starling::run {

template <typename Real>
class ParticlesOnHost {
public:
  using Particles = Ensemble<Real>;
  static constexpr bool warns_by_itself = false, spread = false;

  ParticlesOnHost(Roles<Real>& roles, const Settings& settings)
      : roles_(roles), score_(View{roles.target}, threads()),
        guard_(roles.target.names, threads(), true),
        particles_(settings.particles, roles.target.dim, threads()) {}

  void start(const std::function<void(Rows<Real>)>& fill) { fill(particles_.position()); }
  void restore(const Checkpoint& from, const std::string& where, const Head& head) {
    restore_columns(from, where, head.memories, particles_);
  }
  Checkpoint save(Checkpoint head) const {
    save_columns(particles_, head);
    return head;
  }
  void save_to(const std::filesystem::path& file, Checkpoint head) const {
    write_checkpoint(file, save(std::move(head)));
  }

  Particles& particles() { return particles_; }
  std::size_t memories() const { return particles_.memories(); }
  const Batches& deal(Step k) { return roles_.deal(k, particles_); }
  void score(Step k, const Batches& batches) { score_(k, particles_, batches); }
  void drift(Step k, const Batches& batches) { roles_.drift(k, particles_, batches); }
  void advance(Step k, const Batches& batches, bool, const std::function<void()>& flow) {
    roles_.advance(k, particles_, batches, flow);
  }
  bool look(Step k, const Batches& batches, const Lookout<Real>& lookout, double seconds,
            std::vector<judge::TraceRow>& trace) {
    lookout.look(k, particles_, batches, roles_.drift, seconds, trace);
    return true;
  }
  void check(Step k, const Batches& batches) {
    guard_(k, particles_, batches);
    dealt_ = &batches;
  }
  template <typename Work>
  void guarded(Work&& work) {
    work();
  }
  void finish() {}
  Step next(Step done) const { return done; }

  double drift_size(const std::vector<judge::TraceRow>&) const {
    if (measured_ || !dealt_)
      return drift_size_;
    double sum = 0;
    for (const std::uint32_t i : dealt_->order())
      for (const Real value : particles_.drift()[i])
        sum += static_cast<double>(value) * static_cast<double>(value);
    return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(
                               dealt_->order().size() * particles_.dim(), 1)));
  }
  std::vector<double> positions() const { return by_particle(particles_.position()); }
  std::vector<double> scores() const { return forces(particles_.score()); }
  std::vector<double> drifts() const { return forces(particles_.drift()); }
  bool finite() const {
    const Rows<const Real> x = particles_.position();
    return all_finite(std::span(x.data, x.size()), threads());
  }

  /// What the end is worth: exact scores there, diagnostics, the rows held out. On a copy, so that
  /// the run can go on; it is gone again before the diagnosis, since of 10^7 particles it counts,
  /// and scores are copied only then.
  void report(bool measured, Outcome& o, const EndOfRun<Real>& end) {
    if (!measured)
      return;
    if (end.over) { // no step comes that needs the forces
      o.positions =
          by_particle(std::as_const(particles_).position(), [&] { drift_size_ = drift_size({}); });
      {
        typename Ensemble<Real>::Loan loan(particles_, threads());
        measured_ = true;
        measure(loan.borrower, end, o);
      }
      o.scores = scores();
    } else {
      o.positions = positions();
      Ensemble<Real> last(particles_.count(), particles_.dim(), threads());
      measure(last, end, o);
      o.scores = copied(std::as_const(last).score(), threads());
    }
    const std::size_t count = particles_.count(), dim = particles_.dim();
    AnyTarget<Real>& target = roles_.target;
    const bool has_density = !target.has_density || target.has_density();
    o.diagnosis = judge::diagnose(
        {o.positions.data(), count, dim}, {o.scores.data(), count, dim},
        has_density ? std::span<const double>(o.log_density) : std::span<const double>(), o.names,
        end.settings.seed, end.settings.periodic, o.trace, threads());
    certify(end, o);
    Column<Real> x;
    if (target.hold_out || target.constrain)
      x.assign(o.positions.begin(), o.positions.end());
    if (target.hold_out)
      o.held_out = target.hold_out({x.data(), count, dim});
    if (target.constrain)
      take_columns(target.constrain({x.data(), count, dim}), o, threads());
    o.table = target.table;
    count_groups(target, o, threads());
    o.trace.back().verdict =
        o.diagnosis.judgement
            .verdict; // it knows of densities that fail, of the certificate and of groups
    for (std::string found : {judge::outlier_warning(o.parameters(), count),
                              judge::missing_values_warning(o.parameters())})
      if (!found.empty())
        o.warnings.push_back(std::move(found));
  }

private:
  Threads& threads() const { return roles_.threads ? *roles_.threads : Threads::alone(); }

  /// The target as the Score role asks for it.
  struct View {
    AnyTarget<Real>& any;
    std::size_t dim() const { return any.dim; }
    void operator()(Step k, Rows<const Real> x, Rows<Real> s) { any.score(k, x, s); }
  };

  /// Rows in the order of their particles, wherever a dealer let them travel. `beside` is done by
  /// one of the threads meanwhile.
  std::vector<double> by_particle(Rows<const Real> rows,
                                  const std::function<void()>& beside = {}) const {
    return scattered(rows, std::as_const(particles_).id(), threads(), beside);
  }
  std::vector<double> forces(Rows<const Real> rows) const {
    return measured_ ? copied(rows, threads()) : by_particle(rows);
  }

  /// Scores, log density and a look at the outcome's positions, in a cloud that is used for nothing
  /// else.
  void measure(Ensemble<Real>& last, const EndOfRun<Real>& end, Outcome& o) {
    const Batches& batches =
        (roles_.deal_everyone ? roles_.deal_everyone : roles_.deal)(end.done, last);
    // Filled in afterwards, so that rows are in the order of the particles even if they travelled.
    place(o.positions, last.position(), threads());
    o.log_density = zeros(last.count(), threads());
    if constexpr (std::is_same_v<Real, double>) {
      roles_.target.evaluate(std::as_const(last).position(), last.score(), o.log_density);
    } else {
      Column<Real> density(last.count());
      roles_.target.evaluate(std::as_const(last).position(), last.score(), density);
      std::ranges::copy(density, o.log_density.begin());
    }
    roles_.drift(end.done, last, batches);
    end.lookout.look(end.done, last, batches, roles_.drift, end.seconds.total, o.trace);
  }

  void certify(const EndOfRun<Real>& end, Outcome& o) {
    using judge::evidence::NotCertified;
    judge::Judgement& judgement = o.diagnosis.judgement;
    if (end.settings.certify == std::optional<std::size_t>(0)) {
      if (judgement.converged())
        judgement.remark(NotCertified{NotCertified::Why::not_asked});
      return;
    }
    if constexpr (std::is_same_v<Real, double>)
      certify_at(roles_.target, threads(), o.trace.back().sweeps, o);
    else if (judgement.converged())
      judgement.remark(NotCertified{NotCertified::Why::single_precision});
  }

  Roles<Real>& roles_;
  Score<Real, View> score_;
  Guard guard_;
  Ensemble<Real> particles_;
  const Batches* dealt_ = nullptr; // of the last step
  bool measured_ = false; // scores and drifts are those of the end, in the particles' order
  double drift_size_ = 0; // from before
};

} // namespace starling::run
