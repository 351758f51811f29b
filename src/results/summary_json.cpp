// The content of summary.json.
#include "assemble/identity.hpp"
#include "io/any_text.hpp"
#include "plan/batch.hpp"
#include "results/results.hpp"

#include <starling/judge/certified.hpp>
#include <starling/run/pool.hpp>
#include <starling/version.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace starling::results {

namespace {

using Json = nlohmann::ordered_json;

// JSON has no NaN: what has no value is null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json list_of(const std::vector<judge::ParameterSummary>& parameters) {
  Json list = Json::array();
  for (const judge::ParameterSummary& p : parameters)
    list.push_back({{"name", p.name},
                    {"mean", number(p.mean)},
                    {"sd", number(p.sd)},
                    {"q05", number(p.q05)},
                    {"q50", number(p.q50)},
                    {"q95", number(p.q95)},
                    {"spread_identity", number(p.spread_identity)},
                    {"shift", number(p.shift)},
                    {"outer_share", number(p.outer_share)}});
  if (std::ranges::any_of(parameters, [](auto& p) { return !std::isnan(p.r_hat); })) // several runs
    for (std::size_t a = 0; a < parameters.size(); ++a)
      list[a]["r_hat"] = number(parameters[a].r_hat);
  for (std::size_t a = 0; a < parameters.size(); ++a)
    if (parameters[a].left_out > 0)
      list[a]["left_out"] = parameters[a].left_out;
  return list;
}

Json ksd_of(const Discrepancy& ksd) {
  return {{"value", number(ksd.value)}, {"se", number(ksd.se)}};
}

Json evidence_of(const run::EvidenceReport& evidence) {
  const judge::LogEvidence& found = evidence.found;
  Json j = {{"value", number(found.value)},
            {"se", number(found.se)},
            {"method", "bridge"},
            {"overlap", number(found.overlap)},
            {"doubt", evidence.doubt.empty() ? Json(nullptr) : Json(evidence.doubt)}};
  if (evidence.tempered)
    j["tempered"] = {{"value", number(evidence.tempered->value)},
                     {"se", number(evidence.tempered->se)}};
  return j;
}

/// What the stages of a run say.
void add_stages(Json& j, const run::StageReport& stages) {
  std::uint64_t total = 0;
  Json gradients = Json::object();
  for (const auto& [stage, count] : stages.gradients) {
    gradients[stage] = count;
    total += count;
  }
  gradients["total"] = total;
  j["gradients"] = std::move(gradients);
  j["failures"] = {{"log_density", stages.failures.log_density},
                   {"score", stages.failures.score},
                   {"zero", stages.failures.zero}};
  if (stages.data_rows > 0) {
    j["rows"] = {{"data", stages.data_rows},
                 {"a_step", stages.rows_a_step},
                 {"noise", number(stages.rows_noise)},
                 {"away", number(stages.rows_away)},
                 {"guide_error", number(stages.guide_error)},
                 {"guide_decides", stages.guide_decides}};
    Json read = Json::object();
    for (const auto& [stage, count] : stages.rows_read)
      read[stage] = count;
    if (!read.empty())
      j["rows"]["read"] = std::move(read);
  }
  if (!stages.raw) {
    j["modes"] = stages.modes;
    j["scouted_by"] = stages.by_pathfinder ? "pathfinder" : "laplace";
    j["turned_back"] = stages.turned_back;
    j["walkers"] = stages.walkers > 0 ? Json(stages.walkers) : Json("all");
    j["frame"] = stages.frame;
    if (!stages.controls.empty())
      j["controls"] = stages.controls;
    j["settled"] = stages.settled;
    j["polished"] = stages.polished;
  }
  if (stages.evidence)
    j["log_evidence"] = evidence_of(*stages.evidence);
  if (!stages.certificate) {
    j["certificate"] = nullptr;
    return;
  }
  const judge::Certificate& c = *stages.certificate;
  constexpr const char* traits[] = {"value", "winsorised", "square"};
  const auto estimate = [&](const judge::Displacement& d) {
    return Json{{"parameter", judge::name_of(d, stages.columns)},
                {"of", traits[static_cast<std::size_t>(d.trait)]},
                {"error", number(d.error)},
                {"se", number(d.se)},
                {"memory", number(d.memory)}};
  };
  Json list = Json::array();
  for (const judge::Displacement& d : c.all)
    list.push_back(estimate(d));
  j["certificate"] = {{"finding", judge::word(c.finding)},
                      {"moves", c.moves},
                      {"acceptance", number(c.acceptance)},
                      {"diverged", number(c.diverged)},
                      {"particles", c.particles > 0 ? Json(c.particles) : Json("all")},
                      {"worst", estimate(c.worst)},
                      {"estimates", std::move(list)}};
  Json pooled = Json::array();
  for (std::size_t a = 0; a < stages.pooled_means.size(); ++a)
    pooled.push_back({{"name", stages.columns.at(a)},
                      {"mean", number(stages.pooled_means[a])},
                      {"sd", number(stages.pooled_sds[a])}});
  if (!pooled.empty())
    j["pooled"] = std::move(pooled);
}

/// Separate groups: share with its error, particles, place.
Json groups_of(const run::Outcome& o) {
  Json list = Json::array();
  for (const judge::Group& one : o.groups) {
    Json means = Json::object();
    for (std::size_t a = 0; a < one.means.size(); ++a)
      means[o.draw_names()[a]] = number(one.means[a]);
    list.push_back({{"share", number(one.share)},
                    {"se", number(one.se)},
                    {"particles", one.particles},
                    {"mean", means}});
  }
  return list;
}

/// What each run says for itself.
Json each(std::span<const run::Outcome> runs) {
  Json list = Json::array();
  for (const run::Outcome& o : runs)
    list.push_back({{"run", o.run() + 1},
                    {"steps_done", o.steps_done},
                    {"seconds", o.seconds.total},
                    {"ksd", ksd_of(o.diagnosis.ksd)},
                    {"verdict", judge::word(o.diagnosis.judgement)},
                    {"verdict_reason", judge::sentence(o.diagnosis.judgement)}});
  return list;
}

} // namespace

Json to_json(std::span<const run::Outcome> runs) {
  const plan::Recipe r = plan::with_defaults(recipe_of(runs)); // stages leave the precision open
  const run::Pooled pooled(runs);
  const run::Outcome& o = *pooled;
  // Objects from the start, here and above: one that becomes an object when first written to is
  // left in a state that cannot be destroyed if memory runs out just then.
  Json j = Json::object(), settings = Json::object();
  j["version"] = version;
  j["target"] = r.target;
  for (const auto& [name, value] : r.extra)
    std::visit(
        [&, key = &name](const auto& one) {
          if constexpr (std::is_same_v<std::decay_t<decltype(one)>, std::string>)
            settings[*key] = io::utf8(one);
          else
            settings[*key] = one;
        },
        value);
  if (!settings.empty())
    j["settings"] = std::move(settings);
  j["particles"] = r.particles;
  j["dim"] = o.dim();
  j["method"] = r.method;
  if (r.batch.empty())
    j["batch"] = nullptr; // decided by the stages
  else if (const auto p = plan::parse_batch(r.batch))
    j["batch"] = *p;
  else
    j["batch"] = "all";
  if (r.steps != plan::undecided)
    j["steps"] = r.steps;
  else
    j["steps"] = nullptr;
  j["steps_done"] = o.steps_done;
  j["seed"] = r.seed;
  j["threads"] = o.threads;
  j["precision"] = r.precision;
  if (!o.stages || o.stages->raw) {
    j["kernel"] = r.kernel;
    j["bandwidth"] = r.bandwidth;
    j["advance"] = r.advance;
    j["step_size"] = *r.step_size;
  }
  j["seconds"] = o.seconds.total;
  j["seconds_deal"] = o.seconds.deal;
  j["seconds_score"] = o.seconds.score;
  j["seconds_drift"] = o.seconds.drift;
  j["seconds_advance"] = o.seconds.advance;
  j["seconds_look"] = o.seconds.look;
  j["parameters"] = list_of(o.parameters());
  if (o.constrained)
    j["unconstrained"] = list_of(o.diagnosis.parameters);
  if (!o.table.empty())
    j["table"] = Json::parse(o.table);
  j["ksd"] = ksd_of(o.diagnosis.ksd);
  j["ksd_gaussian"] = ksd_of(o.diagnosis.ksd_gaussian);
  if (o.held_out) {
    if (!std::isnan(o.held_out->accuracy)) // of classes alone
      j["test_accuracy"] = number(o.held_out->accuracy);
    j["test_log_likelihood"] = number(o.held_out->log_likelihood);
  }
  j["verdict"] = judge::word(o.diagnosis.judgement);
  j["verdict_reason"] = judge::sentence(o.diagnosis.judgement);
  if (!o.groups.empty())
    j["groups"] = groups_of(o);
  if (o.stages)
    add_stages(j, *o.stages);
  j["warnings"] = o.warnings;
  if (runs.size() > 1)
    j["runs"] = each(runs);
  return j;
}

} // namespace starling::results
