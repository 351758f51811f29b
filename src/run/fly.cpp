// Watching a run from its first step to its last.
#include <starling/run/fly.hpp>

#include <starling/error.hpp>

#include <algorithm>
#include <stdexcept>

namespace starling::run {

Outcome fly(Flight& flight, const Watch& watch) {
  starling::Progress progress(flight.total(), 0.1, [&](const ProgressReport& report) {
    ProgressReport now = report;
    if (!flight.stage().empty()) { // how many units there are is known only as it goes
      now.total = std::max(flight.total(), now.done);
      now.seconds_left =
          now.seconds / static_cast<double>(now.done) * static_cast<double>(now.total - now.done);
    }
    if (watch.progress)
      watch.progress(now, flight);
  });
  bool interrupted = false;
  std::exception_ptr failure, of_watch;
  const auto tell = [&] {
    if (flight.done() > 0) // else the scout is under way
      progress.tell(flight.done() - 1);
    if (flight.done() > 0 && watch.keep && watch.keep_every > 0 &&
        flight.done() % watch.keep_every == 0)
      watch.keep(flight);
    interrupted = !flight.over() && watch.interrupted && watch.interrupted();
  };
  const auto after = [&] {
    try {
      tell();
    } catch (...) { // no failure of the run
      of_watch = std::current_exception();
    }
    return interrupted || of_watch ? Signal::stop : Signal::go_on;
  };
  judge::Diagnosis diagnosis;
  try {
    while (!flight.over() && !interrupted && !of_watch)
      flight.take(flight.total() - flight.done(), after);
    if (!interrupted && !of_watch)
      return flight.outcome(true);
  } catch (const std::invalid_argument&) {
    throw; // a mistake in what was asked for, not on the way
  } catch (const Diverged& error) {
    failure = std::current_exception();
    diagnosis = judge::diverged(error.what());
  } catch (...) { // the target, or what the machine does not give: memory, a file that has gone
    failure = std::current_exception();
  }
  if (of_watch)
    std::rethrow_exception(of_watch);
  Outcome outcome = flight.outcome(false);
  outcome.failure = failure;
  outcome.diagnosis = diagnosis;
  if (interrupted)
    mark_interrupted(outcome);
  return outcome;
}

void mark_interrupted(Outcome& outcome) {
  outcome.interrupted = true;
  judge::Judgement& judgement = outcome.diagnosis.judgement;
  if (!judgement.converged())
    return;
  judgement.verdict = judge::Verdict::cannot_tell;
  judgement.remark(judge::evidence::Interrupted{outcome.steps_done});
  if (!outcome.trace.empty())
    outcome.trace.back().verdict = judgement.verdict;
}

} // namespace starling::run
