// starling sample: draw samples from a target and write them down.
#include "commands.hpp"

#include "assemble/config.hpp"
#include "assemble/names.hpp"
#include "assemble/report.hpp"

#include <starling/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string_view>

namespace starling::tool {

namespace {

void show(const assemble::Outcome& o) {
  const assemble::Recipe& r = o.recipe;
  fmt::print("{} particles in {} dimensions, batches of {}, {} steps in {:.2f} s\n\n{}\n", r.particles,
             o.dim(), r.batch, r.steps, o.seconds.total, assemble::table(o.parameters()));
  if (o.held_out)
    fmt::print("test accuracy {:.4f}, test log likelihood {:.4f}\n", o.held_out->accuracy,
               o.held_out->log_likelihood);
  fmt::print("squared Stein discrepancy {:.3g} +- {:.2g}\n{}: {}\n", o.diagnosis.ksd.value,
             o.diagnosis.ksd.se, o.diagnosis.verdict, o.diagnosis.sentence);
}

/// A mistake that the config file makes on its own is the file's, not the command line's.
void resolve(SampleRequest& s) {
  try {
    assemble::resolve(s.recipe);
  } catch (const std::invalid_argument& mistake) {
    if (s.config.empty())
      throw;
    s.from_config.target = s.recipe.target;
    try {
      assemble::resolve(s.from_config);
    } catch (const std::invalid_argument& same) {
      if (std::string_view(same.what()) == mistake.what())
        throw assemble::BadConfig(s.config + ": " + mistake.what());
    }
    throw;
  }
}

} // namespace

int sample(SampleRequest s) {
  resolve(s);
  assemble::choose("progress", s.presentation.progress, {"auto", "bar", "plain", "none"});
  if (s.dump_config) {
    fmt::print("{}", assemble::write_config(s.recipe));
    return ok;
  }
  assemble::Outcome outcome;
  if (const int code = run_and_write(s.recipe, s.presentation, outcome); code != ok)
    return code;
  if (s.json)
    fmt::print("{}\n", assemble::to_json(outcome).dump(2));
  else if (!s.presentation.quiet)
    show(outcome);
  if (s.fail_unless_converged && outcome.diagnosis.verdict != "converged")
    return not_converged;
  return ok;
}

} // namespace starling::tool
