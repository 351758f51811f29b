// bench shapes: the untuned default on a few shapes whose means and sds are known, hard ones among
// them; what it says of itself against the truth.
#include "bench.hpp"
#include "bench_errors.hpp"
#include "shape_runs.hpp"
#include "shapes.hpp"
#include "truth.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace starling::tool {

namespace {

constexpr std::uint64_t shape_seeds = 20;

Measured measured_on(const Shape& shape, const BenchRequest& request, std::uint64_t seed) {
  const ShapeRun ran = run_on_shape(shape, usual_recipe(request.particles, seed, request.threads));
  Measured run;
  run.seconds = ran.seconds;
  run.failure = ran.failure;
  if (!run.failure.empty())
    return run;
  for (std::size_t a = 0; a < shape.dim(); ++a) {
    if (shape.heavy[a])
      continue; // its mean and sd are those of few draws
    const judge::ParameterSummary& got = ran.outcome.diagnosis.parameters[a];
    take_worst(run.errors, ran.outcome.names[a], std::abs(got.mean - shape.mean[a]) / shape.sd[a],
               got.sd / shape.sd[a]);
  }
  if (std::ranges::count(shape.heavy, true) > 0) { // .15 in distribution is wrong, as .2 sd is
    const Distance far = Truth(shape).of(ran.outcome.positions);
    take_worst(run.errors, "a marginal", far.ks * 0.2 / 0.15, 1);
  }
  take_report(ran.outcome, run);
  return run;
}

} // namespace

nlohmann::ordered_json bench_shapes(const BenchRequest& request) {
  using Json = nlohmann::ordered_json;
  const std::uint64_t seeds = request.seeds ? request.seeds : shape_seeds;
  Json report = {{"particles", request.particles}, {"runs", Json::array()}};
  fmt::print("shapes: N = {}, {} seeds\n{:<20} {:>5} {:>5} {:>10} {:>16} {:>20} {:>13} {:>10}\n",
             request.particles, seeds, "shape", "pass", "wrong", "converged", "wrong, converged",
             "right, not converged", "several modes", "gradients");
  for (const Shape& shape : all_shapes()) {
    if (std::ranges::count(few_shapes, shape.name) == 0 || !asked_for(request, shape.name))
      continue;
    Tally tally;
    std::size_t converged = 0, several = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const Measured run = measured_on(shape, request, seed);
      tally.add(run);
      converged += run.verdict == "converged";
      several += run.modes > 1;
      report["runs"].push_back(to_json(shape.name, seed, 0, run));
    }
    fmt::print("{:<20} {:>5} {:>5} {:>10} {:>16} {:>20} {:>13} {:>10.0f}\n", shape.name,
               tally.passes, tally.wrong, converged, tally.wrong_converged,
               tally.right_not_converged, several, median_of(tally.gradients));
    std::fflush(stdout);
    report["tally"][shape.name] = tally.json();
  }
  fmt::print("\n");
  return report;
}

} // namespace starling::tool
