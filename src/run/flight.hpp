// A run under way: a cloud and the roles that move it, to be stepped, looked at, saved and resumed.
#pragma once

#include "judge/diagnose.hpp"
#include "plan/recipe.hpp"
#include "assemble/roles.hpp"
#include "judge/trace.hpp"
#include "io/checkpoint.hpp"

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace starling::run {

struct Timing {
  double total = 0, deal = 0, score = 0, drift = 0, advance = 0;
};

/// What a run came to.
struct Outcome {
  plan::Recipe recipe;                  ///< resolved
  std::uint64_t run = 0;          ///< which of the recipe's runs, from 0
  std::vector<std::string> names; ///< of the coordinates of positions
  std::size_t threads = 1;
  Step steps_done = 0;
  bool interrupted = false;
  std::exception_ptr failure;      ///< why it stopped, if it did
  std::vector<double> positions;   ///< particles x parameters
  std::vector<double> log_density; ///< of each particle
  std::optional<assemble::Constrained> constrained; ///< where the parameters are not the positions
  std::vector<judge::ParameterSummary> constrained_summary;
  Timing seconds;
  judge::Diagnosis diagnosis;
  std::optional<assemble::HeldOut> held_out;
  std::vector<std::string> warnings;
  std::vector<judge::TraceRow> trace;

  std::size_t dim() const { return names.size(); }
  /// What the draws are: the model's parameters, or the positions themselves.
  const std::vector<std::string>& draw_names() const { return constrained ? constrained->names : names; }
  const std::vector<double>& draws() const { return constrained ? constrained->values : positions; }
  /// A summary per column of the draws.
  const std::vector<judge::ParameterSummary>& parameters() const {
    return constrained ? constrained_summary : diagnosis.parameters;
  }
  bool complete() const { return !failure && !interrupted; }
};

/// The state of a run is its ensemble and the number of the next step; all else follows from the
/// recipe. So two flights with the same state go on alike, bit for bit, whatever the threads.
class Flight {
public:
  /// At its start: the recipe's, or, where that is "given", the positions. `recipe` is resolved;
  /// `run` is which of its runs.
  static std::unique_ptr<Flight> begin(const plan::Recipe& recipe, std::uint64_t run = 0,
                                       const assemble::Guest* guest = nullptr,
                                       std::span<const double> positions = {});
  /// Where the checkpoint left it. `recipe` is that of the checkpoint, but for steps and threads.
  /// Throws io::BadData that names `where` when the two do not fit.
  static std::unique_ptr<Flight> resume(const io::Checkpoint& checkpoint, const plan::Recipe& recipe,
                                        const std::string& where, const assemble::Guest* guest = nullptr);
  virtual ~Flight() = default;

  const plan::Recipe& recipe() const { return recipe_; }
  std::uint64_t run() const { return run_; }
  Step done() const { return done_; }
  Step total() const { return total_; }
  bool over() const { return settled_ || done_ >= total_; }
  const std::vector<judge::TraceRow>& trace() const { return trace_; }

  /// Takes steps until `count` of them are done, the run is over, or `after`, asked after every
  /// step, says stop. What the target throws comes through, with the state as before that step.
  virtual void take(Step count, const std::function<Signal()>& after) = 0;

  /// Root mean square of the last drift.
  virtual double drift_size() const = 0;
  /// Copies, a row for each particle in the order of the start.
  virtual std::vector<double> positions() const = 0;
  virtual std::vector<double> scores() const = 0;
  virtual std::vector<double> drifts() const = 0;
  virtual const std::vector<std::string>& names() const = 0;

  /// Everything needed to go on elsewhere. `note` is kept as it is.
  virtual io::Checkpoint save(const std::string& note = {}) const = 0;

  /// What it came to so far. With `measured`, exact scores at the end and all that follows from
  /// them; it can go on afterwards as if it had not been asked.
  virtual Outcome outcome(bool measured) = 0;

protected:
  Flight(const plan::Recipe& recipe, std::uint64_t run);

  plan::Recipe recipe_;
  std::uint64_t run_;
  Step done_ = 0, total_;
  bool settled_ = false; // --until-converged: the looks say so
  std::vector<judge::TraceRow> trace_;
  Timing seconds_;
};

/// What a checkpoint says about itself.
struct Saved {
  plan::Recipe recipe;
  std::uint64_t run = 0;
  Step done = 0;
  std::string note;
};
Saved saved(const io::Checkpoint& checkpoint, const std::string& where);

} // namespace starling::run
