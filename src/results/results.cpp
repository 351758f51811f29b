// Writing what a run leaves behind.
#include "results/results.hpp"

#include "assemble/identity.hpp"
#include "io/any_text.hpp"
#include "io/output_file.hpp"
#include "plan/batch.hpp"
#include "plan/config.hpp"
#include "plan/names.hpp"
#include "plan/spec.hpp"
#include "plan/tables.hpp"
#include "results/formats.hpp"

#include <starling/judge/certified.hpp>
#include <starling/run/pool.hpp>
#include <starling/run/seeds.hpp>
#include <starling/version.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <memory>
#include <system_error>

namespace starling::results {

namespace {

using Json = nlohmann::ordered_json;

// JSON has no NaN: what has no value is null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

void write_text(const std::filesystem::path& file, const std::string& text) {
  io::OutputFile out(file);
  out.write(text);
  out.close();
}

io::Draws draws_of(const run::Outcome& o) {
  const std::size_t n = o.log_density.size(), d = o.draw_names().size();
  io::Draws draws;
  draws.rows = n;
  draws.names.push_back("lp__");
  draws.names.insert(draws.names.end(), o.draw_names().begin(), o.draw_names().end());
  draws.values.resize(n * (d + 1));
  double* to = draws.values.data();
  for (std::size_t i = 0; i < n; ++i) {
    *to++ = o.log_density[i];
    to = std::copy_n(o.draws().data() + i * d, d, to);
  }
  return draws;
}

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
  if (stages.data_rows > 0) {
    j["rows"] = {{"data", stages.data_rows},
                 {"a_step", stages.rows_a_step},
                 {"noise", number(stages.rows_noise)},
                 {"away", number(stages.rows_away)},
                 {"guide_lack", number(stages.guide_lack)},
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
    j["settled"] = stages.settled;
    j["polished"] = stages.polished;
  }
  if (!stages.certificate) {
    j["certificate"] = nullptr;
    return;
  }
  const judge::Certificate& c = *stages.certificate;
  constexpr const char* traits[] = {"value", "winsorised", "square"};
  Json list = Json::array();
  for (const judge::Displacement& d : c.all)
    list.push_back({{"parameter", stages.columns.at(d.parameter)},
                    {"of", traits[static_cast<std::size_t>(d.trait)]},
                    {"error", number(d.error)},
                    {"se", number(d.se)},
                    {"memory", number(d.memory)}});
  j["certificate"] = {{"finding", judge::word(c.finding)},
                      {"moves", c.moves},
                      {"acceptance", number(c.acceptance)},
                      {"particles", c.particles > 0 ? Json(c.particles) : Json("all")},
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
                    {"verdict", o.diagnosis.verdict},
                    {"verdict_reason", o.diagnosis.sentence}});
  return list;
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

/// What was run, with all that was decided.
plan::Recipe recipe_of(std::span<const run::Outcome> runs) {
  return assemble::read_identity(runs.front().settings.identity, "run");
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
  j["ksd"] = ksd_of(o.diagnosis.ksd);
  j["ksd_gaussian"] = ksd_of(o.diagnosis.ksd_gaussian);
  if (o.held_out) {
    if (!std::isnan(o.held_out->accuracy)) // of classes alone
      j["test_accuracy"] = number(o.held_out->accuracy);
    j["test_log_likelihood"] = number(o.held_out->log_likelihood);
  }
  j["verdict"] = o.diagnosis.verdict;
  j["verdict_reason"] = o.diagnosis.sentence;
  if (!o.groups.empty())
    j["groups"] = groups_of(o);
  if (o.stages)
    add_stages(j, *o.stages);
  j["warnings"] = o.warnings;
  if (runs.size() > 1)
    j["runs"] = each(runs);
  return j;
}

std::string table(const std::vector<judge::ParameterSummary>& parameters, std::size_t most) {
  std::size_t wide = 9;
  for (const judge::ParameterSummary& p : parameters)
    wide = std::max(wide, p.name.size());
  const auto cell = [](double value) {
    return std::isfinite(value) ? fmt::format("{:10.4g}", value) : fmt::format("{:>10}", "-");
  };
  const bool several =
      std::ranges::any_of(parameters, [](auto& p) { return !std::isnan(p.r_hat); });
  std::string text =
      fmt::format("{:<{}} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}{}\n", "parameter", wide, "mean",
                  "sd", "5%", "50%", "95%", "spread", several ? "      R-hat" : "");
  for (std::size_t a = 0; a < parameters.size() && a < most; ++a) {
    const judge::ParameterSummary& p = parameters[a];
    text += fmt::format("{:<{}} {} {} {} {} {} {}{}\n", p.name, wide, cell(p.heavy ? NAN : p.mean),
                        cell(p.heavy ? NAN : p.sd), cell(p.q05), cell(p.q50), cell(p.q95),
                        cell(p.spread_identity), several ? " " + cell(p.r_hat) : "");
  }
  if (std::ranges::any_of(parameters, &judge::ParameterSummary::heavy))
    text +=
        "(no mean and sd where the tail is so heavy that they may not exist: read the quantiles)\n";
  if (parameters.size() > most)
    text += fmt::format("... and {} more\n", parameters.size() - most);
  return text;
}

void check_formats(const std::string& wanted) {
  for (const std::string& format : plan::split(wanted, ','))
    plan::choose("format", format, plan::names_of(formats()));
}

void write_results(io::OutputFolder& folder, std::span<const run::Outcome> runs,
                   const std::string& wanted) {
  const plan::Recipe recipe = recipe_of(runs);
  std::vector<io::Draws> draws;
  for (const run::Outcome& o : runs) {
    draws.push_back(draws_of(o));
    write_text(folder.path(file_of(runs, o, "trace")), judge::trace_csv(o.trace));
  }
  const std::vector<std::string> names = plan::split(wanted, ',');
  const std::unique_ptr<Threads> crew = crew_to_write(runs);
  for (const FormatEntry& format : formats())
    if (std::ranges::find(names, format.name) != names.end())
      format.write(folder, {runs, draws, recipe, crew ? *crew : Threads::alone()});
  write_text(folder.path("summary.json"), to_json(runs).dump(2) + "\n");
  write_text(folder.path("config.toml"), plan::write_config(recipe));
}

} // namespace starling::results
