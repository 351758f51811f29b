// What a run leaves behind: summary.json, draws, trace and config files, and the table people read.
#pragma once

#include "assemble/run.hpp"
#include "io/output_folder.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace starling::assemble {

/// The content of summary.json.
nlohmann::ordered_json to_json(const Outcome& outcome);

/// A line per parameter: mean, sd, quantiles, spread. At most `most` of them, then how many more.
std::string table(const std::vector<ParameterSummary>& parameters, std::size_t most = 24);

/// draws.csv, draws.npz, summary.json, config.toml and trace.csv into the folder, not committed.
void write_results(io::OutputFolder& folder, const Outcome& outcome);

/// state.npy and config.toml of a run that did not end: --start state.npy goes on from there.
void write_state(io::OutputFolder& folder, const Outcome& outcome);

} // namespace starling::assemble
