// A whole run from a recipe: assembles the roles, runs the loop, measures what came out.
#pragma once

#include "assemble/diagnose.hpp"
#include "assemble/recipe.hpp"
#include "assemble/roles.hpp"

#include <starling/observe/progress.hpp>

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace starling::assemble {

/// One look at the cloud while it moves.
struct TraceRow {
  Step step = 0;           ///< steps done
  double sweeps = 0;       ///< the same in sweeps over all particles
  double seconds = 0;      ///< since the start of the loop
  std::size_t batch = 0;   ///< particles in the largest batch
  double drift = 0;        ///< root mean square of the drift
  double score = 0;        ///< root mean square of the score
  double spread = 0;       ///< root mean square of the standard deviations
};

struct Timing {
  double total = 0, deal = 0, score = 0, drift = 0, advance = 0;
};

struct Outcome {
  Recipe recipe; ///< resolved
  std::vector<std::string> names; ///< of the coordinates of positions
  std::size_t threads = 1;
  Step steps_done = 0;
  bool interrupted = false;
  std::exception_ptr failure;      ///< why it stopped, if it did; positions are the last ones
  std::vector<double> positions;   ///< particles x parameters
  std::vector<double> log_density; ///< of each particle
  std::optional<Constrained> constrained; ///< where the parameters are not the positions
  std::vector<ParameterSummary> constrained_summary;
  Timing seconds;
  Diagnosis diagnosis;
  std::optional<HeldOut> held_out;
  std::vector<std::string> warnings;
  std::vector<TraceRow> trace;

  std::size_t dim() const { return names.size(); }
  /// A summary per column of the draws.
  const std::vector<ParameterSummary>& parameters() const {
    return constrained ? constrained_summary : diagnosis.parameters;
  }
  bool complete() const { return !failure && !interrupted; }
};

/// What the caller wants to know meanwhile; both may be empty.
struct Watch {
  std::function<void(const ProgressReport&, double drift)> progress;
  std::function<bool()> interrupted; ///< asked after every step
};

/// Runs it. Errors in what was asked for are thrown; a target that fails on the way, or a cloud that
/// diverges, comes back as Outcome::failure with the state so far.
Outcome run(Recipe recipe, const Watch& watch = {});

} // namespace starling::assemble
