// What a run leaves behind: summary.json, draws, trace and config files, and the table people read.
#pragma once

#include "io/output_folder.hpp"
#include "plan/recipe.hpp"

#include <starling/run/flight.hpp>

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>

namespace starling::results {

/// What was run, with all that was decided.
plan::Recipe recipe_of(std::span<const run::Outcome> runs);

/// The content of summary.json: of one run, or of several pooled and then each.
nlohmann::ordered_json to_json(std::span<const run::Outcome> runs);

/// A line per parameter: mean, sd, quantiles, spread, and R-hat where there are several runs. At
/// most `most` of them, then how many more.
std::string table(const std::vector<judge::ParameterSummary>& parameters, std::size_t most = 24);

/// A line that says what weights of categories are compared with; empty where there are none.
/// `table` is that of an outcome.
std::string base_levels(const std::string& table);

/// "log evidence -12.34 +- 0.02 by bridge sampling", with what speaks against it.
std::string evidence_line(const run::EvidenceReport& evidence);

/// The draws in each format asked for (names of formats(), commas between), summary.json,
/// config.toml and the trace into the folder, not committed. Several runs have a draws-K.csv and a
/// trace-K.csv each, and are rows of one array in the others.
void write_results(io::OutputFolder& folder, std::span<const run::Outcome> runs,
                   const std::string& formats);

} // namespace starling::results
