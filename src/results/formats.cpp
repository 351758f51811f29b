// The formats of draws: Stan CSV, NPZ, Zarr.
#include "results/formats.hpp"

#include "io/npy.hpp"
#include "io/runs.hpp"
#include "io/zarr.hpp"

#include <starling/run/seeds.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace starling::results {

namespace {

/// A file for each run, which stansummary, cmdstanpy, cmdstanr and ArviZ read.
void write_csv(io::OutputFolder& folder, const Drawn& drawn) {
  for (std::size_t k = 0; k < drawn.runs.size(); ++k) {
    const run::Outcome& o = drawn.runs[k];
    io::StanHeader header;
    header.model = drawn.recipe.target;
    header.steps = o.steps_done;
    header.seed = run::run_seed(drawn.recipe.seed, o.run());
    header.run = o.run() + 1;
    header.data_file = drawn.recipe.text_of("data");
    header.seconds = o.seconds.total;
    io::write_stan_csv(folder.path(file_of(drawn.runs, o, "draws")), drawn.draws[k], header,
                       drawn.threads);
  }
}

void write_npz(io::OutputFolder& folder, const Drawn& drawn) {
  const run::Outcome& first = drawn.runs.front();
  io::NpzWriter npz(folder.path("draws.npz"));
  io::add_runs(npz, drawn.draws);
  if (first.constrained) {
    std::vector<std::size_t> shape = {first.log_density.size(), first.dim()};
    if (drawn.runs.size() > 1)
      shape.insert(shape.begin(), drawn.runs.size());
    std::vector<double> all; // of several runs
    if (drawn.runs.size() > 1)
      for (const run::Outcome& o : drawn.runs)
        all.insert(all.end(), o.positions.begin(), o.positions.end());
    npz.add("unconstrained", drawn.runs.size() > 1 ? all : first.positions, shape);
  }
  npz.close();
}

void write_zarr(io::OutputFolder& folder, const Drawn& drawn) {
  io::write_zarr(folder.path("draws.zarr"), drawn.draws,
                 {{"particles", drawn.recipe.particles},
                  {"steps", drawn.runs.front().steps_done},
                  {"seed", drawn.recipe.seed}});
}

} // namespace

std::span<const FormatEntry> formats() {
  static const std::vector<FormatEntry> table = {
      {"csv", "Stan CSV, a file for each run", write_csv},
      {"npz", "NumPy arrays", write_npz},
      {"zarr", "Zarr, as ArviZ and xarray read it", write_zarr}};
  return table;
}

std::string file_of(std::span<const run::Outcome> runs, const run::Outcome& o, const char* name) {
  return runs.size() == 1 ? fmt::format("{}.csv", name)
                          : fmt::format("{}-{}.csv", name, o.run() + 1);
}

} // namespace starling::results
