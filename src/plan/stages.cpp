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

/// Refuses, for the stages, what only the raw method has. Steps and batch are the flight's, and so
/// is the start of a flight without a scout; what the stages do anyway may be said.
void refuse_raw_settings(const Recipe& r) {
  const Recipe defaults = with_defaults({});
  for_each_pair(r, defaults, [&](const FieldInfo& info, const auto& field, const auto& usual) {
    if (!info.raw || left_open(field) || info.name == "steps" || info.name == "batch")
      return;
    if (info.name == "precision" && field == usual)
      return;
    if (info.name != "start")
      refuse(info.name, "is an option of --method paper; --method auto chooses it itself");
    if (r.prefit != "none" && !r.temper)
      refuse("start", "the scout of --method auto finds it; --start works only with --prefit none, "
                      "or as the prior of --temper");
  });
}

/// What the raw method takes of the stages: a scout before it and a certificate after it.
void resolve_around_the_raw_method(const Recipe& r, Plan& plan) {
  for (const auto& [name, given, why] :
       {std::tuple("metric", &r.metric,
                   "--method paper uses the target's own coordinates; scale the target, or use "
                   "--method auto"),
        {"exact", &r.exact,
         "--method paper makes no HMC moves that change the cloud; use --method auto, or --certify "
         "to check it"},
        {"polish", &r.polish, "is a part of --method auto; this run uses --method paper"}})
    if (!given->empty())
      refuse(name, why);
  if (r.temper)
    refuse("temper", "is a part of --method auto; this run uses --method paper");
  if (r.evidence)
    refuse("evidence", "is a part of --method auto; this run uses --method paper");
  if (!r.certify.empty()) {
    plan.certify = r.certify == "none" ? 0 : parse_count("certify", r.certify, 0);
    if (*plan.certify > 0 && r.precision == "single")
      refuse("certify",
             "needs --precision double: HMC compares small differences of the log density");
    if (*plan.certify > 0 && !r.domain.empty())
      refuse("certify", "HMC needs all of R^d: remove --domain or --certify");
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

std::vector<std::string> metric_names() {
  return {"none", "diagonal", "dense", "low-rank", "bent"};
}

stages::Metric parse_metric(std::string_view text) {
  constexpr stages::Metric metrics[] = {stages::Metric::none, stages::Metric::diagonal,
                                        stages::Metric::dense, stages::Metric::low_rank,
                                        stages::Metric::bent}; // in the order of the names
  return metrics[choose("metric", text, metric_names())];
}

void resolve_stages(const Recipe& r, Plan& plan) {
  Recipe& text = plan.recipe;
  if (text.method.empty()) {
    const bool raw = !raw_settings_given(r).empty();
    plan.too_few_for_stages = !raw && r.particles < least_particles;
    text.method = raw || plan.too_few_for_stages ? "paper" : "auto";
  }
  if (choose("method", text.method, {"auto", "paper"}) == 1) {
    return resolve_around_the_raw_method(r, plan);
  }
  refuse_raw_settings(r);
  Stages stages;
  stages.starts = count_or_none("prefit", text.prefit, stages.starts);
  if (!text.metric.empty())
    stages.metric = parse_metric(text.metric);
  stages.certify = count_or_none("certify", text.certify, stages.certify);
  if (text.exact.empty())
    text.exact = "auto";
  if (text.exact == "none")
    stages.exact = Stages::Exact::never;
  else if (text.exact != "auto") {
    stages.exact = Stages::Exact::always;
    stages.exact_moves = parse_count("exact", text.exact, 1);
    if (stages.certify == 0)
      refuse("exact", "needs the check of --certify: remove --certify none, or use --exact none");
  }
  stages.polish = count_or_none("polish", text.polish, stages.polish);
  stages.evidence = r.evidence;
  stages.temper = r.temper;
  if (stages.temper && stages.starts == 0)
    refuse("temper", "begins around what the scout found: remove --prefit none");
  if (r.steps != undecided)
    stages.steps = r.steps;
  plan.stages = stages;
}

} // namespace starling::plan
