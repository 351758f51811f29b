// What a run leaves behind: summary.json, draws, trace and config files, and the table people read.
#pragma once

#include "io/output_folder.hpp"

#include <starling/run/flight.hpp>

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>

namespace starling::results {

/// The content of summary.json: of one run, or of several together and then each.
nlohmann::ordered_json to_json(std::span<const run::Outcome> runs);

/// A line per parameter: mean, sd, quantiles, spread, and R-hat where there are several runs. At
/// most `most` of them, then how many more.
std::string table(const std::vector<judge::ParameterSummary>& parameters, std::size_t most = 24);

/// The draws in each format asked for ("csv", "npz", "zarr", commas between), summary.json,
/// config.toml and the trace into the folder, not committed. Several runs have a draws-K.csv and a
/// trace-K.csv each, and are rows of one array in the others.
void write_results(io::OutputFolder& folder, std::span<const run::Outcome> runs,
                   const std::string& formats);

/// Throws invalid_argument that names the format which is none.
void check_formats(const std::string& formats);

} // namespace starling::results
