// A whole run: steps a flight to its end, watches it, measures what came out.
#pragma once

#include <starling/observe/progress.hpp>
#include <starling/run/flight.hpp>

#include <functional>

namespace starling::run {

/// What the caller wants to know meanwhile; all may be empty.
struct Watch {
  std::function<void(const ProgressReport&, const Flight&)> progress;
  std::function<bool()> interrupted;       ///< asked after every step
  std::function<void(const Flight&)> keep; ///< called every `keep_every` steps: save it
  Step keep_every = 0;
};

/// Lets it go on to its end. Whatever fails on the way (the target, the memory, a cloud that
/// diverges) comes back as Outcome::failure with the state so far; invalid_argument and what
/// `watch` throws come through.
Outcome fly(Flight& flight, const Watch& watch = {});

/// What a run that was stopped came to is never "converged": its end was not reached, and nothing
/// confirmed it. Sets Outcome::interrupted, and the verdict to "cannot tell" where it was that.
void mark_interrupted(Outcome& outcome);

} // namespace starling::run
