// bench posteriors: the untuned default, as the command line runs it, against references of real
// posteriors.
#include "bench.hpp"
#include "bench_reference.hpp"

#include "assemble/flight.hpp"
#include "foreign/compile_stan.hpp"
#include "foreign/library.hpp"
#include "foreign/program.hpp"
#include "io/errors.hpp"
#include "io/npy.hpp"
#include "plan/names.hpp"

#include <starling/stages/settings.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <thread>

#include <stdlib.h>

namespace starling::tool {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;
constexpr std::uint64_t usual_seeds = 3;
const std::uint64_t usual_steps = starling::stages::Settings{}.steps;

struct Posterior {
  std::string name, model, data;
  fs::path reference;
};

bool any_in(const std::string& name, const std::vector<std::string>& parts) {
  return std::ranges::any_of(parts,
                             [&](const std::string& part) { return name.find(part) != name.npos; });
}

/// All there are, by name; every file of them is looked for before anything runs.
std::vector<Posterior> find_posteriors(const BenchRequest& request) {
  if (request.models.empty())
    plan::refuse("models", "posteriors needs a folder of them: --models DIR");
  if (!fs::is_directory(request.models))
    throw io::InputMissing(request.models, fs::exists(request.models) ? ENOTDIR : ENOENT);
  std::vector<Posterior> found;
  for (const auto& entry : fs::directory_iterator(request.models)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_directory() || any_in(name, request.skip) ||
        (!request.only.empty() && !any_in(name, request.only)))
      continue;
    const fs::path at = entry.path();
    const fs::path library = at / "model.so", data = at / "data.json";
    Posterior one{name, (fs::exists(library) ? library : at / "model.stan").string(),
                  fs::exists(data) ? data.string() : "", reference_in(at)};
    for (const fs::path& file : {fs::path(one.model), one.reference})
      if (!fs::exists(file))
        throw io::InputMissing(file, ENOENT);
    found.push_back(one);
  }
  if (found.empty())
    plan::refuse("models", "no posterior found in " + request.models + " with that name");
  std::ranges::sort(found, {}, &Posterior::name);
  return found;
}

/// Library and data as they are opened. Compiled before the clock runs, as for any sampler.
foreign::CompiledStan compiled(const Posterior& posterior) {
  try {
    if (foreign::is_stan_program(posterior.model))
      return foreign::compile_stan(posterior.model, posterior.data);
  } catch (const foreign::BadLibrary& error) {
    throw io::BadData(error.what());
  }
  return {posterior.model, posterior.data};
}

std::string why(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// What an ablation asks for instead of the usual.
void change_stages(plan::Stages& stages, const BenchRequest& request) {
  if (!request.fly_kernel.empty())
    stages.kernel = static_cast<plan::Stages::Kernel>(plan::choose(
        "fly-kernel", request.fly_kernel, {"none", "gaussian", "parameters", "marginals"}));
  if (request.batch)
    stages.batch = request.batch;
  if (request.polish != BenchRequest::usual)
    stages.polish = request.polish;
}

Measured run_starling(const Posterior& posterior, const BenchRequest& request, std::uint64_t seed,
                      std::uint64_t steps, const Reference& reference) {
  plan::Recipe recipe;
  recipe.target = "stan";
  recipe.set("model", posterior.model).set("data", posterior.data);
  recipe.particles = request.particles;
  recipe.seed = seed;
  recipe.threads = request.threads;
  if (steps != usual_steps) {
    recipe.method = "auto";
    recipe.steps = steps;
  }
  const auto begin = reproduce::Clock::now();
  plan::Plan plan = plan::resolve(recipe);
  change_stages(*plan.stages, request);
  const auto flight = assemble::make_flight(plan);
  const run::Outcome outcome = run::fly(*flight);
  Measured run;
  run.seconds = reproduce::seconds_since(begin);
  if (outcome.failure) {
    run.failure = why(outcome.failure);
    return run;
  }
  run.errors = errors_against(reference, outcome.draw_names(), outcome.draws());
  take_report(outcome, run);
  return run;
}

/// A folder of its own, gone at the end.
struct Scratch {
  Scratch() : path((fs::temp_directory_path() / "starling-bench-XXXXXX").string()) {
    if (!::mkdtemp(path.data()))
      throw io::CannotWrite(path, errno);
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string path;
};

/// Nothing, and a sentence, where nutpie cannot be had.
std::optional<Measured> run_nutpie(const foreign::CompiledStan& model, std::uint64_t seed,
                                   std::size_t cores, const Reference& reference) {
  const std::string program = STARLING_PEERS "/nutpie_posterior.py";
  if (!fs::exists(program)) {
    fmt::print("nutpie: {} was not found, so there is no comparison: it is part of the sources\n",
               program);
    return std::nullopt;
  }
  const Scratch scratch;
  const std::string draws = scratch.path + "/draws.npz";
  const foreign::Ended ended =
      foreign::run_program({"python3", program, model.library, model.data, std::to_string(seed),
                            std::to_string(cores), draws});
  constexpr int not_there = 77, not_found = 127;
  if (ended.code == not_there || ended.code == not_found || ended.code == -1) {
    fmt::print("nutpie: python3 on the path cannot run it, so there is no comparison: {}\n",
               foreign::last_lines(ended.output.empty() ? "there is no python3" : ended.output));
    return std::nullopt;
  }
  Measured run;
  run.verdict = "nutpie";
  if (ended.code != 0) {
    run.failure = foreign::last_lines(ended.output);
    return run;
  }
  std::map<std::string, io::Texts> texts;
  const auto arrays = io::read_npz(draws, &texts);
  run.errors = errors_against(reference, texts["names"], arrays.at("draws").values);
  const Json said = Json::parse(
      ended.output.substr(ended.output.rfind("\n{") + 1)); // warnings may stand before it
  run.gradients = said.at("gradients").get<double>();
  run.seconds = said.at("seconds").get<double>();
  return run;
}

void conclude(const char* whose, const Tally& tally) {
  fmt::print("{}: {} of {} runs pass; wrong but called converged {}; right but not converged {}; "
             "median gradients "
             "{:.0f}, seconds {:.2f}\n",
             whose, tally.passes, tally.runs, tally.wrong_converged, tally.right_not_converged,
             median_of(tally.gradients), median_of(tally.seconds));
  const auto good = std::ranges::count_if(tally.quantiles, [](double q) { return q < 0.15; });
  const std::string w1 = tally.w1_ratios.empty() ? "-"
                                                 : fmt::format("median {:.2f}, largest {:.2f}",
                                                               median_of(tally.w1_ratios),
                                                               std::ranges::max(tally.w1_ratios));
  fmt::print("{}: W1 against independent draws: {}; quantiles within .15 sd in {} of {}\n", whose,
             w1, good, tally.runs);
}

} // namespace

Json bench_posteriors(const BenchRequest& request) {
  if (!request.against.empty())
    plan::choose("against", request.against, {"nutpie"});
  const std::vector<Posterior> posteriors = find_posteriors(request);
  const std::uint64_t seeds = request.seeds ? request.seeds : usual_seeds;
  const std::size_t cores =
      request.threads ? request.threads : std::max(1u, std::thread::hardware_concurrency());
  std::size_t width = 9;
  for (const Posterior& one : posteriors)
    width = std::max(width, one.name.size());
  Json report = {{"particles", request.particles}, {"runs", Json::array()}};
  std::map<std::uint64_t, Tally> tallies; // by steps
  Tally peer;
  bool ask_peer = !request.against.empty();
  std::size_t compared = 0, quicker = 0;
  fmt::print("posteriors: N = {}, {} threads; errors in sds of the reference\n{}\n",
             request.particles, cores, table_title("posterior", width));
  std::fflush(stdout);
  for (const Posterior& posterior : posteriors) {
    const Reference reference = read_reference(posterior.reference, request.particles);
    const foreign::CompiledStan model = compiled(posterior);
    const auto show = [&](std::uint64_t seed, std::uint64_t steps, const Measured& run) {
      fmt::print("{}\n", table_row(posterior.name, width, seed, steps, run));
      std::fflush(stdout);
      report["runs"].push_back(to_json(posterior.name, seed, steps, run));
    };
    std::vector<double> ours, theirs;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      for (const std::uint64_t steps : {usual_steps, 8 * usual_steps}) {
        if (steps != usual_steps && !request.longer)
          continue;
        const Measured run = run_starling(posterior, request, seed, steps, reference);
        tallies[steps].add(run);
        show(seed, steps, run);
        if (steps == usual_steps)
          ours.push_back(run.seconds);
      }
      const auto run = ask_peer ? run_nutpie(model, seed, cores, reference) : std::nullopt;
      ask_peer = run.has_value();
      if (run) {
        peer.add(*run);
        show(seed, 0, *run);
        theirs.push_back(run->seconds);
      }
    }
    if (!theirs.empty()) {
      ++compared;
      quicker += median_of(ours) < median_of(theirs);
    }
  }
  for (const auto& [steps, tally] : tallies) {
    conclude(fmt::format("{} steps", steps).c_str(), tally);
    report["tally"][std::to_string(steps)] = tally.json();
  }
  if (peer.runs > 0) {
    fmt::print("nutpie: {} of {} runs pass; median gradients {:.0f}, seconds {:.2f}; Starling took "
               "less time on {} of {} posteriors\n",
               peer.passes, peer.runs, median_of(peer.gradients), median_of(peer.seconds), quicker,
               compared);
    report["tally"]["nutpie"] = peer.json();
  }
  fmt::print("\n");
  return report;
}

} // namespace starling::tool
