// Watching a run from its first step to its last.
#include <starling/run/fly.hpp>

#include <starling/error.hpp>

#include <algorithm>

namespace starling::run {

Outcome fly(Flight& flight, const Watch& watch) {
  starling::Progress progress(flight.total(), 0.1, [&](const ProgressReport& report) {
    ProgressReport now = report;
    if (!flight.stage().empty()) { // how many units there are is known only as it goes
      now.total = std::max(flight.total(), now.done);
      now.seconds_left = now.seconds / static_cast<double>(now.done) * static_cast<double>(now.total - now.done);
    }
    if (watch.progress)
      watch.progress(now, flight);
  });
  bool interrupted = false;
  const auto after = [&] {
    if (flight.done() > 0) // else the scout is under way
      progress.tell(flight.done() - 1);
    if (flight.done() > 0 && watch.keep && watch.keep_every > 0 && flight.done() % watch.keep_every == 0)
      watch.keep(flight);
    interrupted = !flight.over() && watch.interrupted && watch.interrupted();
    return interrupted ? Signal::stop : Signal::go_on;
  };
  std::exception_ptr failure;
  judge::Diagnosis diagnosis;
  try {
    while (!flight.over() && !interrupted)
      flight.take(flight.total() - flight.done(), after);
    if (!interrupted)
      return flight.outcome(true);
  } catch (const TargetError&) {
    failure = std::current_exception();
  } catch (const Diverged& error) {
    failure = std::current_exception();
    diagnosis = judge::diverged(error.what());
  }
  Outcome outcome = flight.outcome(false);
  outcome.interrupted = interrupted;
  outcome.failure = failure;
  outcome.diagnosis = diagnosis;
  return outcome;
}

} // namespace starling::run
