// Writing what a run leaves behind.
#include "results/results.hpp"

#include "assemble/identity.hpp"
#include "io/output_file.hpp"
#include "plan/config.hpp"
#include "results/formats.hpp"

#include <starling/run/seeds.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <system_error>

namespace starling::results {

namespace {

void write_text(const std::filesystem::path& file, const std::string& text) {
  io::OutputFile out(file);
  out.write(text);
  out.close();
}

/// Without a copy: the outcome outlives it.
io::Draws draws_of(const run::Outcome& o) {
  io::Draws draws;
  draws.rows = o.log_density.size();
  draws.names.push_back("lp__");
  draws.names.insert(draws.names.end(), o.draw_names().begin(), o.draw_names().end());
  draws.elsewhere_first = o.log_density;
  draws.elsewhere_rest = o.draws();
  return draws;
}

/// As many threads as the runs had, where there is much to write; nobody where the system does not
/// give them.
std::unique_ptr<Threads> crew_to_write(std::span<const run::Outcome> runs) {
  constexpr std::size_t much = 100000; // numbers: some ten milliseconds
  if (runs.front().threads < 2 || runs.front().draws().size() < much)
    return nullptr;
  try {
    return std::make_unique<Threads>(runs.front().threads);
  } catch (const std::system_error&) {
    return nullptr;
  }
}

/// The positions of several runs, one after another.
std::vector<double> positions_of(std::span<const run::Outcome> runs) {
  std::vector<double> all;
  for (const run::Outcome& o : runs)
    all.insert(all.end(), o.positions.begin(), o.positions.end());
  return all;
}

} // namespace

plan::Recipe recipe_of(std::span<const run::Outcome> runs) {
  return assemble::read_identity(runs.front().settings.identity, "run");
}

void write_results(io::OutputFolder& folder, std::span<const run::Outcome> runs,
                   const std::string& formats) {
  const plan::Recipe recipe = recipe_of(runs);
  const run::Outcome& first = runs.front();
  const std::unique_ptr<Threads> crew = crew_to_write(runs);
  std::vector<io::Draws> draws;
  std::vector<double> positions; // of several runs
  DrawsToWrite all{draws, {}, recipe.target, recipe.text_of("data"), recipe.seed, {}, {}};
  all.threads = crew.get();
  if (first.constrained) { // draws are made from positions, which are kept beside them
    if (runs.size() > 1)
      positions = positions_of(runs);
    all.unconstrained = runs.size() > 1 ? positions : first.positions;
    all.unconstrained_shape = {first.log_density.size(), first.dim()};
    if (runs.size() > 1)
      all.unconstrained_shape.insert(all.unconstrained_shape.begin(), runs.size());
  }
  for (const run::Outcome& o : runs) {
    draws.push_back(draws_of(o));
    all.runs.push_back(
        {o.run() + 1, o.steps_done, run::run_seed(recipe.seed, o.run()), o.seconds.total});
    write_text(folder.path(file_of_run("trace", o.run() + 1, runs.size())),
               judge::trace_csv(o.trace));
  }
  write_draws(folder, all, formats);
  write_text(folder.path("summary.json"), to_json(runs).dump(2) + "\n");
  write_text(folder.path("config.toml"), plan::write_config(recipe));
}

} // namespace starling::results
