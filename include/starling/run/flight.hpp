// A run under way: a cloud and the roles that move it, to be stepped, looked at, saved and resumed.
#pragma once

#include <starling/density.hpp>
#include <starling/judge/bridge.hpp>
#include <starling/judge/diagnose.hpp>
#include <starling/judge/groups.hpp>
#include <starling/judge/move_test.hpp>
#include <starling/run/checkpoint.hpp>
#include <starling/run/roles.hpp>

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace starling::run {

/// What a run is, beside its roles.
struct Settings {
  std::size_t particles = 0;
  Step steps = 0; ///< that the loop takes; with replacement a sweep has N/p of them
  std::uint64_t seed = 1;
  bool until_converged = false; ///< stop once the looks say converged and keep saying so
  bool periodic = false;        ///< on a torus: spread and discrepancy are not judged
  std::uint64_t run = 0;        ///< which of several, from 0
  /// Exact moves that certify the end of a raw run; 0: none; nothing: 20, where they are cheap
  /// against it.
  std::optional<std::size_t> certify = 0;
  std::string identity; ///< any bytes, kept in checkpoints: what the roles can be made from again
};

struct Timing {
  double total = 0, deal = 0, score = 0, drift = 0, advance = 0, look = 0;
};

/// The log evidence, where it was asked for.
struct EvidenceReport {
  judge::LogEvidence found;
  std::optional<judge::LogEvidence> tempered; ///< by tempering, beside the bridge
  std::string doubt;                          ///< why it cannot be trusted, in words; empty: it can
};

/// What a run in stages says beside its cloud.
struct StageReport {
  std::vector<std::pair<std::string, std::uint64_t>> gradients; ///< of each stage
  Failures failures, failures_of_moves; ///< of the density; those of exact moves are among them
  std::size_t modes = 1;                ///< that the scout counted
  bool by_pathfinder = false, settled = false, polished = false;
  std::uint64_t turned_back = 0; ///< how often the flight did; that of several groups in sum
  std::size_t walkers = 0;       ///< that flew and moved, where they were fewer than all; else 0
  bool raw = false;              ///< no stages: the raw method, certified or not
  std::string frame;             ///< in a word
  /// Where the frame bends: a parameter, and those that say where it lies and how wide it is.
  std::map<std::string, std::vector<std::string>> controls;
  std::vector<std::string>
      columns; ///< of the certificate and the pooled figures: positions, then what users read
  std::vector<double> pooled_means, pooled_sds; ///< over exact moves; empty where there were none
  std::optional<judge::Certificate> certificate;
  std::optional<EvidenceReport> evidence;
  std::size_t data_rows = 0,
              rows_a_step = 0; ///< where the density is made of rows, few of which the flight reads
  std::vector<std::pair<std::string, std::uint64_t>> rows_read; ///< by each stage
  double rows_noise = 0, rows_away = 0;                         ///< RowsReport::noise and away
  double guide_error = 0;                                       ///< RowsReport::error
  bool guide_decides = false;                                   ///< RowsReport::guide_decides
};

/// What a run came to.
struct Outcome {
  Settings settings;
  std::vector<std::string> names; ///< of the coordinates of positions
  std::size_t threads = 1;
  Step steps_done = 0;
  bool interrupted = false;
  std::exception_ptr failure;      ///< why it stopped, if it did
  std::vector<double> positions;   ///< particles x parameters
  std::vector<double> log_density; ///< of each particle
  std::vector<double> scores; ///< at the positions, exact; empty where the end was not measured,
                              ///< and of a run in stages, whose flight has them
  std::optional<Constrained> constrained; ///< where the parameters are not the positions
  std::vector<judge::ParameterSummary> constrained_summary;
  Timing seconds;
  judge::Diagnosis diagnosis;
  std::vector<judge::Group> groups; ///< separate ones, of the draws; empty where there is one
  std::optional<HeldOut> held_out;
  std::string table; ///< what its target made of the columns of a table, as JSON; or empty
  std::optional<StageReport> stages; ///< of a run that went in stages
  std::vector<std::string> warnings;
  std::vector<judge::TraceRow> trace; ///< of the looks on the way and the one at the end

  std::size_t dim() const { return names.size(); }
  std::uint64_t run() const { return settings.run; }
  /// What the draws are: the model's parameters, or the positions themselves.
  const std::vector<std::string>& draw_names() const {
    return constrained ? constrained->names : names;
  }
  const std::vector<double>& draws() const { return constrained ? constrained->values : positions; }
  /// A summary per column of the draws.
  const std::vector<judge::ParameterSummary>& parameters() const {
    return constrained ? constrained_summary : diagnosis.parameters;
  }
  bool complete() const { return !failure && !interrupted; }
};

/// The state of a run is its ensemble, the number of the next step and the trace; all else follows
/// from its roles and settings. So two flights with the same state go on alike, bit for bit,
/// whatever the threads.
class Flight {
public:
  virtual ~Flight() = default;

  const Settings& settings() const { return settings_; }
  std::uint64_t run() const { return settings_.run; }
  Step done() const { return done_; }
  Step total() const { return settings_.steps; }
  bool over() const { return settled_ || done_ >= total(); }
  /// Every look so far. Nobody else keeps one.
  const std::vector<judge::TraceRow>& trace() const { return trace_; }

  /// Takes steps until `count` of them are done, the run is over, or `after`, asked after every
  /// step, says stop. What the target throws comes through, with the state as before that step.
  virtual void take(Step count, const std::function<Signal()>& after) = 0;

  /// The name of the stage under way; empty where there is only one.
  virtual std::string stage() const { return {}; }
  /// Root mean square of the last drift.
  virtual double drift_size() const = 0;
  /// Particles x parameters, in the order of the particles, whatever the rows' order is.
  virtual std::vector<double> positions() const = 0;
  /// The same, as the last step left them, or the measured outcome of a run that is over; zero
  /// before the first.
  virtual std::vector<double> scores() const = 0;
  virtual std::vector<double> drifts() const = 0;
  virtual const std::vector<std::string>& names() const = 0;

  /// Everything needed to go on elsewhere. `note` is kept as it is, whatever its bytes are.
  virtual Checkpoint save(const std::string& note = {}) const = 0;
  /// The same to a file, which is whole or not there. Of a flight whose rows are spread the first
  /// rank writes it, block by block. Throws io::CannotWrite.
  virtual void save_to(const std::filesystem::path& file, const std::string& note = {}) const;
  /// Whether its rows are spread over ranks, all of which then ask for all of this together.
  virtual bool spread() const { return false; }
  /// Whether every position is a number.
  virtual bool finite() const;

  /// What it came to so far. With `measured`, exact scores at the end and all that follows from
  /// them; it can go on afterwards as if it had not been asked.
  Outcome outcome(bool measured);

protected:
  /// Parts: Roles, or what else has threads, a target and warnings.
  template <typename Parts>
  Flight(Settings settings, const Parts& parts)
      : settings_(std::move(settings)), threads_(parts.threads ? parts.threads->count() : 1),
        warnings_(parts.warnings), late_warnings_(parts.target.warnings) {}

  /// Adds to an outcome that has the state what only this kind of flight knows; its positions, if
  /// they are wanted on the way.
  virtual void report(bool measured, Outcome& outcome) = 0;

  Settings settings_;
  Step done_ = 0;
  bool settled_ = false; // until_converged: the looks say so
  std::vector<judge::TraceRow> trace_;
  Timing seconds_;

private:
  std::size_t threads_;
  std::vector<std::string> warnings_;                       // of what was asked for
  std::function<std::vector<std::string>()> late_warnings_; // of the run so far; may be empty
};

/// A flight before its first step; `start` fills in the positions. A start that an earlier run left
/// wants another seed: continued_seed. Throws invalid_argument. Real is double or float.
template <typename Real>
std::unique_ptr<Flight> begin(Roles<Real> roles, const Settings& settings,
                              const std::function<void(Rows<Real>)>& start);

/// Where the checkpoint left it. Roles and settings are those that it was saved with; only `steps`
/// and the threads may be others. Throws io::BadData that names `where` when they do not fit.
template <typename Real>
std::unique_ptr<Flight> resume(Roles<Real> roles, const Settings& settings,
                               const Checkpoint& checkpoint, const std::string& where);

} // namespace starling::run
