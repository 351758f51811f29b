// The table of formats that draws are written in.
#pragma once

#include "io/output_folder.hpp"
#include "io/stan_csv.hpp"
#include "plan/recipe.hpp"

#include <starling/run/flight.hpp>

#include <span>
#include <string>
#include <vector>

namespace starling::results {

/// What a format is given to write: the draws of each run, and where they come from.
struct Drawn {
  std::span<const run::Outcome> runs;
  const std::vector<io::Draws>& draws; ///< one for each run
  const plan::Recipe& recipe;
  Threads& threads;
};

struct FormatEntry {
  std::string name, help;
  void (*write)(io::OutputFolder& folder, const Drawn& drawn);
};

std::span<const FormatEntry> formats();

/// "draws.csv" of one run, "draws-2.csv" of the second of several.
std::string file_of(std::span<const run::Outcome> runs, const run::Outcome& outcome,
                    const char* name);

} // namespace starling::results
