// A run with its files: results when it ends, the state when it does not.
#include "commands.hpp"

#include "assemble/report.hpp"
#include "io/output_folder.hpp"

#include <fmt/format.h>

#include <optional>

namespace starling::tool {

namespace {

/// Beside the results, never in their place: an earlier result stays.
std::string save_state(const std::string& out, const assemble::Outcome& outcome) {
  const std::string where = (out.empty() ? "starling" : out) + "-state";
  io::OutputFolder folder(where, true);
  assemble::write_state(folder, outcome);
  folder.commit();
  return where;
}

} // namespace

int run_and_write(const assemble::Recipe& recipe, const Presentation& p,
                  assemble::Outcome& outcome) {
  std::optional<io::OutputFolder> folder; // opened first: no long run ends in "cannot write"
  if (!p.out.empty())
    folder.emplace(p.out, p.force);
  outcome = assemble::run(recipe, watch_for(p));
  clear_progress();
  if (!p.quiet)
    for (const std::string& warning : outcome.warnings)
      fmt::print(stderr, "starling: warning: {}\n", warning);
  if (outcome.complete()) {
    if (folder) {
      assemble::write_results(*folder, outcome);
      folder->commit();
    }
    return ok;
  }
  const std::string where = save_state(p.out, outcome);
  const auto tell = [&](const std::string& what) {
    fmt::print(stderr, "starling: {}; state after {} steps saved in {}, go on with --start {}/state.npy\n",
               what, outcome.steps_done, where, where);
  };
  if (outcome.interrupted) {
    tell("interrupted");
    return interrupted;
  }
  try {
    std::rethrow_exception(outcome.failure);
  } catch (const std::exception& error) {
    tell(error.what());
  }
  return failed;
}

} // namespace starling::tool
