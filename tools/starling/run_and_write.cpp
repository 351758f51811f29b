// A run with its files: results when it ends, the state when it does not.
#include "commands.hpp"

#include "assemble/report.hpp"
#include "io/errors.hpp"
#include "io/output_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

namespace starling::tool {

namespace {

/// Where the state goes: beside the results, never in their place. An earlier state is replaced,
/// anything else of that name stays.
std::string place_for_state(std::string out) {
  namespace fs = std::filesystem;
  while (out.size() > 1 && out.back() == '/')
    out.pop_back();
  const std::string first = (out.empty() ? "starling" : out) + "-state";
  std::string where = first;
  std::error_code ignored;
  for (int n = 2; fs::exists(where, ignored) && !fs::exists(where + "/state.npy", ignored); ++n)
    where = fmt::format("{}-{}", first, n);
  return where;
}

/// Saves the state and says so, and how to go on if it can. Part of a sentence.
std::string save_state(const std::string& out, const assemble::Outcome& outcome) {
  const std::string where = place_for_state(out);
  try {
    io::OutputFolder folder(where, true);
    assemble::write_state(folder, outcome);
    folder.commit();
  } catch (const io::CannotWrite& error) { // why the run ended matters more
    return fmt::format("its state is lost: {}", error.what());
  }
  const bool finite = std::ranges::all_of(outcome.positions, [](double x) { return std::isfinite(x); });
  return fmt::format("state after {} steps saved in {}{}", outcome.steps_done, where,
                     finite ? fmt::format(", go on with --start {}/state.npy", where) : "");
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
  const std::string saved = save_state(p.out, outcome);
  if (outcome.interrupted)
    return complain(interrupted, "interrupted; " + saved);
  try {
    std::rethrow_exception(outcome.failure);
  } catch (const std::exception& error) {
    return complain(failed, fmt::format("{}; {}", error.what(), saved));
  }
}

} // namespace starling::tool
