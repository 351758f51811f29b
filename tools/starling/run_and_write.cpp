// Runs with their files: results when they end, the state meanwhile and when they do not.
#include "commands.hpp"

#include "assemble/flight.hpp"
#include "io/errors.hpp"
#include "io/output_folder.hpp"
#include "ranks.hpp"
#include "results/results.hpp"
#include "state_folder.hpp"
#include "stop.hpp"

#include <starling/cpu/products.hpp>
#include <starling/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <stdexcept>
#include <thread>

namespace starling::tool {

namespace {

std::unique_ptr<run::Flight> begin_or_resume(const plan::Plan& plan, std::uint64_t run,
                                             const Presentation& p, const StateFolder& state) {
  if (!p.resume.empty())
    if (const auto checkpoint = state.find(run))
      return assemble::resume_flight(*checkpoint, plan, state.name(run), nullptr, ranks());
  return assemble::make_flight(plan, run, nullptr, {}, ranks());
}

/// In a handler of what was thrown on all ranks, and on all of them the same: ranks other than the
/// first know only the words of what failed to be written.
void rethrow_unless_written_wrong(const std::exception& error) {
  if (ranks()->size() > 1 &&
      !mpi::failure_agreed(*ranks(), std::current_exception())) // or on this one alone
    throw;
  if (!mpi::any(*ranks(), dynamic_cast<const io::CannotWrite*>(&error) != nullptr))
    throw;
}

/// Every rank does this; the first writes. Rows that are spread are nowhere all together.
void keep(StateFolder& state, const run::Flight& flight, const Presentation& p) {
  if (flight.spread()) {
    on_first([&] { state.claim(); });
    return flight.save_to(state.name(flight.run()), p.out);
  }
  const run::Checkpoint now = flight.save(p.out);
  on_first([&] { state.keep(flight.run(), now); });
}

/// What an earlier checkpoint has, and how to go on from there. Part of a sentence.
std::string where_the_last_is(const StateFolder& state, std::uint64_t run, bool goes_on) {
  return fmt::format("an earlier checkpoint exists: {} {}",
                     goes_on ? "continue with --resume" : "start from there with --start",
                     goes_on ? state.path().string() : state.name(run));
}

/// Saves what is under way and says so, and how to go on. Part of a sentence.
std::string save(StateFolder& state, const std::vector<run::Checkpoint>& finished,
                 const run::Flight& flight, const Presentation& p, bool goes_on) {
  if (flight.done() == 0 &&
      !flight.stage().empty()) // before the scout is done there are no positions
    return "the scout was not finished, so there is no state to save";
  if (!flight.finite())
    return "there is no state to save";
  try {
    on_first([&] {
      for (std::size_t run = 0; run < finished.size(); ++run)
        state.keep(run, finished[run]);
    });
    keep(state, flight, p);
  } catch (const std::exception& error) { // why the run ended matters more
    rethrow_unless_written_wrong(error);
    return state.has_saved(flight.run())
               ? fmt::format("its state could not be saved ({}), but {}", error.what(),
                             where_the_last_is(state, flight.run(), goes_on))
               : fmt::format("its state is lost: {}", error.what());
  }
  return fmt::format("state after {} steps saved, {} {}", flight.done(),
                     goes_on ? "continue with --resume" : "start from there with --start",
                     goes_on ? state.path().string() : state.name(flight.run()));
}

/// Where every rank holds the whole cloud, all meet scores that are no numbers, and settings that
/// do not do, alike, after they were gathered: they still have to know that of each other.
void know_alike(const run::Flight& flight, const std::exception_ptr& failure) {
  if (!failure || ranks()->size() == 1 || mpi::failure_agreed(*ranks(), failure) || flight.spread())
    return;
  try {
    std::rethrow_exception(failure);
  } catch (const TargetError&) {
  } catch (const Diverged&) {
  } catch (const std::invalid_argument&) {
  } catch (...) { // this rank's alone, perhaps
    return;
  }
  try {
    mpi::agree(*ranks(), failure);
  } catch (...) { // what it was, is known
  }
}

bool lacks_memory(const run::Outcome& outcome) {
  try {
    if (outcome.failure)
      std::rethrow_exception(outcome.failure);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
  }
  return false;
}

int stopped(const run::Outcome& outcome, const Presentation& p, const std::string& saved) {
  if (outcome.interrupted && mpi::any(*ranks(), time_is_up()))
    return complain(over_time,
                    fmt::format("the time limit of {} s was reached; {}", p.time_limit, saved));
  if (outcome.interrupted)
    return complain(interrupted, "interrupted; " + saved);
  try {
    std::rethrow_exception(outcome.failure);
  } catch (const std::bad_alloc&) {
    return complain(
        failed,
        fmt::format("memory: not enough{}; {}",
                    p.memory_limit.empty() ? "" : " within the limit of " + p.memory_limit, saved));
  } catch (const std::exception& error) {
    return complain(failed, fmt::format("{}; {}", error.what(), saved));
  } catch (...) {
    return complain(
        failed, fmt::format("the target threw something that is not a std::exception; {}", saved));
  }
}

} // namespace

int run_and_write(const plan::Plan& plan, const Presentation& p,
                  std::vector<run::Outcome>& outcomes) {
  std::optional<io::OutputFolder> folder; // opened first: no long run ends in "cannot write"
  on_first([&] {
    if (!p.out.empty())
      folder.emplace(p.out, p.force);
  });
  listen(p.time_limit, folder ? folder->made() : std::span<const std::filesystem::path>());
  if (!p.memory_limit.empty()) {
    const std::uint64_t bytes = parse_bytes("memory-limit", p.memory_limit);
    cpu::reserve_products(plan.threads ? plan.threads
                                       : std::max(1u, std::thread::hardware_concurrency()));
    limit_memory(bytes);
  }
  StateFolder state = p.resume.empty() ? StateFolder::beside(p.out) : StateFolder::of(p.resume);
  if (!p.resume.empty()) {
    on_first([&] { state.claim(); });
    note_saved();
  }
  run::Watch watch = watch_for(p, plan.runs);
  ranks()->would_stop = is_to_stop;
  watch.interrupted = [] {
    should_stop(); // a step was taken
    return mpi::stop_is_agreed(*ranks());
  };
  watch.keep_every = p.checkpoint_every;
  watch.keep = [&](const run::Flight& flight) {
    keep(state, flight, p);
    note_saved();
  };
  std::vector<run::Checkpoint> finished; // runs before the one under way
  for (std::uint64_t run = 0; run < plan.runs; ++run) {
    std::unique_ptr<run::Flight> flight;
    mpi::run_and_agree(*ranks(), [&] { flight = begin_or_resume(plan, run, p, state); });
    if (p.checkpoint_every > 0)
      on_first([&] { state.claim(); }); // else when there is something to save
    wait_for_steps(p.checkpoint_every == 0
                       ? "no state was saved: --checkpoint-every saves it during the run"
                       : "no state was saved: the first checkpoint was not reached",
                   fmt::format("the state of the last checkpoint is in {}", state.path().string()));
    try {
      outcomes.push_back(run::fly(*flight, watch));
    } catch (const io::CannotWrite& error) { // a checkpoint on the way
      if (ranks()->size() > 1 || !state.has_saved(run))
        throw;
      return complain(cannot_write,
                      fmt::format("{}; {}", error.what(), where_the_last_is(state, run, true)));
    } catch (...) {
      know_alike(*flight, std::current_exception());
      throw;
    }
    const run::Outcome& outcome = outcomes.back();
    clear_progress();
    if (!p.quiet)
      for (const std::string& warning : outcome.warnings)
        tell_line("warning: " + warning);
    if (!outcome.complete() || run + 1 == plan.runs)
      stop_the_clock();
    if (!outcome.complete()) {
      limit_memory(0); // what there is must be saved
      know_alike(*flight, outcome.failure);
      if (outcome.failure && ranks()->size() > 1 && !mpi::failure_agreed(*ranks(), outcome.failure))
        std::rethrow_exception(outcome.failure); // nobody else knows: no state can be gathered
      return stopped(
          outcome, p,
          save(state, finished, *flight, p, outcome.interrupted || lacks_memory(outcome)));
    }
    if (plan.runs > 1) {
      finished.push_back(flight->save(p.out));
      if (p.checkpoint_every > 0)
        watch.keep(*flight);
    }
    if (!p.out.empty() && run + 1 == plan.runs) {
      try {
        on_first([&] {
          results::write_results(*folder, outcomes, p.format);
          folder->commit();
        });
      } catch (const std::exception& error) {
        rethrow_unless_written_wrong(error);
        return complain(cannot_write, fmt::format("{}; {}", error.what(),
                                                  save(state, finished, *flight, p, true)));
      }
    }
  }
  if ((p.checkpoint_every > 0 || !p.resume.empty()) && ranks()->first())
    state.remove();
  return ok;
}

} // namespace starling::tool
