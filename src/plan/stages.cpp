// The stages of a run that needs no tuning, from a recipe.
#include "plan/stages.hpp"

#include "plan/names.hpp"
#include "plan/spec.hpp"

#include <utility>

namespace starling::plan {

namespace {

constexpr std::uint64_t least_particles = 8; // that a run in stages can judge itself by

/// "none", or a whole number.
std::size_t count_or_none(const char* what, std::string& text, std::size_t usual) {
  if (text.empty())
    text = std::to_string(usual);
  return text == "none" ? 0 : parse_count(what, text, 0);
}

/// Refuses, for the stages, what only the raw method has; steps and batch are the flight's.
void refuse_raw_settings(const Recipe& r) {
  const Recipe untouched;
  for_each_pair(r, untouched, [](const About& about, const auto& field, const auto& usual) {
    if (about.raw && about.name != "steps" && about.name != "batch" && field != usual)
      refuse(about.name, "is for --method paper; --method auto chooses by itself");
  });
}

} // namespace

void resolve_stages(const Recipe& r, Plan& plan) {
  Recipe& text = plan.recipe;
  if (text.method.empty())
    text.method = asks_for_the_raw_method(r) || r.particles < least_particles ? "paper" : "auto";
  if (choose("method", text.method, {"auto", "paper"}) == 1) {
    for (const auto& [name, given] : {std::pair("prefit", &r.prefit), {"metric", &r.metric}, {"certify", &r.certify},
                                      {"exact", &r.exact}, {"polish", &r.polish}})
      if (!given->empty())
        refuse(name, "is a stage of --method auto; this run is the raw method");
    return;
  }
  refuse_raw_settings(r);
  Stages stages;
  stages.starts = count_or_none("prefit", text.prefit, stages.starts);
  if (!text.metric.empty())
    stages.metric = static_cast<Stages::Metric>(choose("metric", text.metric, {"none", "diagonal", "dense"}));
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
