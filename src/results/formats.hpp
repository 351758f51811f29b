// The table of formats that draws are written in.
#pragma once

#include "io/output_folder.hpp"
#include "io/stan_csv.hpp"

#include <starling/threads.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace starling::results {

/// One of the runs whose draws are written.
struct RunToWrite {
  std::uint64_t number = 1; ///< from 1
  std::uint64_t steps = 0, seed = 0;
  double seconds = 0;
};

/// What a format is given to write: the draws of each run, and where they come from. Of a run that
/// was just made as of one that was read from files.
struct DrawsToWrite {
  const std::vector<io::Draws>& draws; ///< one for each run
  std::vector<RunToWrite> runs;
  std::string target, data_file;         ///< empty: not known
  std::uint64_t seed = 0;                ///< of all runs
  std::span<const double> unconstrained; ///< positions, where draws are made from them
  std::vector<std::size_t> unconstrained_shape;
  Threads* threads = nullptr; ///< none: the caller's thread alone
};

struct FormatEntry {
  std::string name, help;
  void (*write)(io::OutputFolder& folder, const DrawsToWrite& all);
};

std::span<const FormatEntry> formats();

/// Throws invalid_argument that names the format which is none.
void check_formats(const std::string& wanted);

/// Writes the draws in each format that is named, commas between.
void write_draws(io::OutputFolder& folder, const DrawsToWrite& all, const std::string& wanted);

/// "draws.csv" of one run, "draws-2.csv" of the second of several.
std::string file_of_run(const char* name, std::uint64_t number, std::size_t runs);

} // namespace starling::results
