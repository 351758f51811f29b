// The formats of draws: Stan CSV, NPZ, Zarr.
#include "results/formats.hpp"

#include "io/npy.hpp"
#include "io/runs.hpp"
#include "io/zarr.hpp"
#include "plan/names.hpp"
#include "plan/spec.hpp"
#include "plan/tables.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace starling::results {

namespace {

/// A file for each run, which stansummary, cmdstanpy, cmdstanr and ArviZ read.
void write_csv(io::OutputFolder& folder, const DrawsToWrite& all) {
  for (std::size_t k = 0; k < all.runs.size(); ++k) {
    const RunToWrite& run = all.runs[k];
    io::StanHeader header;
    if (!all.target.empty())
      header.model = all.target;
    header.steps = run.steps;
    header.seed = run.seed;
    header.run = run.number;
    header.data_file = all.data_file;
    header.seconds = run.seconds;
    io::write_stan_csv(folder.path(file_of_run("draws", run.number, all.runs.size())), all.draws[k],
                       header, all.threads ? *all.threads : Threads::alone());
  }
}

void write_npz(io::OutputFolder& folder, const DrawsToWrite& all) {
  io::NpzWriter npz(folder.path("draws.npz"));
  io::add_runs(npz, all.draws);
  if (!all.unconstrained.empty())
    npz.add("unconstrained", all.unconstrained, all.unconstrained_shape);
  npz.close();
}

void write_zarr(io::OutputFolder& folder, const DrawsToWrite& all) {
  io::write_zarr(folder.path("draws.zarr"), all.draws,
                 {{"particles", all.draws.front().rows},
                  {"steps", all.runs.front().steps},
                  {"seed", all.seed}});
}

} // namespace

std::span<const FormatEntry> formats() {
  static const std::vector<FormatEntry> table = {
      {"csv", "Stan CSV, a file for each run", write_csv},
      {"npz", "NumPy arrays", write_npz},
      {"zarr", "Zarr, as ArviZ and xarray read it", write_zarr}};
  return table;
}

void check_formats(const std::string& wanted) {
  for (const std::string& format : plan::split(wanted, ','))
    plan::choose("format", format, plan::names_of(formats()));
}

void write_draws(io::OutputFolder& folder, const DrawsToWrite& all, const std::string& wanted) {
  const std::vector<std::string> names = plan::split(wanted, ',');
  for (const FormatEntry& format : formats())
    if (std::ranges::find(names, format.name) != names.end())
      format.write(folder, all);
}

std::string file_of_run(const char* name, std::uint64_t number, std::size_t runs) {
  return runs == 1 ? fmt::format("{}.csv", name) : fmt::format("{}-{}.csv", name, number);
}

} // namespace starling::results
