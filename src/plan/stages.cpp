// The stages of a run that needs no tuning, from a recipe.
#include "plan/stages.hpp"

#include "plan/names.hpp"
#include "plan/spec.hpp"

#include <tuple>

namespace starling::plan {

namespace {

constexpr std::uint64_t least_particles = 8; // that a run in stages can judge itself by

/// "none", or a whole number.
std::size_t count_or_none(const char* what, std::string& text, std::size_t usual) {
  if (text.empty())
    text = std::to_string(usual);
  return text == "none" ? 0 : parse_count(what, text, 0);
}

/// Refuses, for the stages, what only the raw method has; steps and batch are the flight's, and so
/// is the start of a flight without a scout.
void refuse_raw_settings(const Recipe& r) {
  const Recipe untouched;
  for_each_pair(r, untouched, [&](const About& about, const auto& field, const auto& usual) {
    if (!about.raw || about.name == "steps" || about.name == "batch" || field == usual)
      return;
    if (about.name != "start")
      refuse(about.name, "is for --method paper; --method auto chooses by itself");
    if (r.prefit != "none")
      refuse("start", "the scout of --method auto finds it; with --prefit none the flight begins "
                      "where --start says");
  });
}

/// What the raw method takes of the stages: a scout before it and a certificate after it.
void resolve_around_the_raw_method(const Recipe& r, Plan& plan) {
  for (const auto& [name, given, why] :
       {std::tuple("metric", &r.metric,
                   "the raw method flies in the target's own coordinates; scale the target, or use "
                   "--method auto"),
        {"exact", &r.exact,
         "the raw method's cloud stays as it is; use --method auto, or --certify to judge it"},
        {"polish", &r.polish,
         "polishes a cloud after the exact moves of --method auto; this run is the raw method"}})
    if (!given->empty())
      refuse(name, why);
  if (!r.certify.empty()) {
    plan.certify = r.certify == "none" ? 0 : parse_count("certify", r.certify, 0);
    if (*plan.certify > 0 && r.precision == "single")
      refuse("certify",
             "needs --precision double: exact moves weigh small differences of the log density");
    if (*plan.certify > 0 && !r.domain.empty())
      refuse("certify", "exact moves live in all of R^d; leave --domain or --certify out");
    if (*plan.certify > 0 && r.particles < least_particles)
      refuse("certify", "needs at least " + std::to_string(least_particles) + " particles");
  }
  if (r.prefit.empty() || r.prefit == "none")
    return;
  plan.prefit = parse_count("prefit", r.prefit, 1);
  if (!r.start.empty())
    refuse("start", "cannot be used with --prefit, which finds where to start");
}

} // namespace

void resolve_stages(const Recipe& r, Plan& plan) {
  Recipe& text = plan.recipe;
  if (text.method.empty())
    text.method = asks_for_the_raw_method(r) || r.particles < least_particles ? "paper" : "auto";
  if (choose("method", text.method, {"auto", "paper"}) == 1) {
    return resolve_around_the_raw_method(r, plan);
  }
  refuse_raw_settings(r);
  Stages stages;
  stages.starts = count_or_none("prefit", text.prefit, stages.starts);
  if (!text.metric.empty())
    stages.metric = static_cast<Stages::Metric>(
        choose("metric", text.metric, {"none", "diagonal", "dense", "low-rank"}));
  stages.certify = count_or_none("certify", text.certify, stages.certify);
  if (text.exact.empty())
    text.exact = "auto";
  if (text.exact == "none")
    stages.exact = Stages::Exact::never;
  else if (text.exact != "auto") {
    stages.exact = Stages::Exact::always;
    stages.exact_moves = parse_count("exact", text.exact, 1);
  }
  stages.polish = count_or_none("polish", text.polish, stages.polish);
  if (r.steps != undecided)
    stages.steps = r.steps;
  if (r.batch == "auto")
    refuse("batch", "auto is for --method paper; a run in stages has its own");
  if (!r.batch.empty())
    stages.batch = r.batch == "all" ? r.particles : parse_count("batch", r.batch, 2);
  plan.stages = stages;
}

} // namespace starling::plan
