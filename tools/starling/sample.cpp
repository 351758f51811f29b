// starling sample: draw samples from a target and write them down.
#include "commands.hpp"

#include "assemble/identity.hpp"
#include "plan/config.hpp"
#include "plan/names.hpp"
#include "python_program.hpp"
#include "ranks.hpp"
#include "results/formats.hpp"
#include "results/results.hpp"
#include "state_folder.hpp"
#include "stop.hpp"

#include <starling/error.hpp>
#include <starling/run/pool.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace starling::tool {

namespace {

/// Enough for many ranks to hold near-equal shares.
constexpr std::uint64_t blocks_of_ranks = 64;

/// "scout 4200, fly 125000, certify 96000 gradients"
std::string in_words(const run::StageReport& stages) {
  std::string text;
  for (const auto& [stage, count] : stages.gradients)
    if (count > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", stage, count);
  return text + " gradients";
}

std::vector<std::string> as_options(std::vector<std::string> names) {
  for (std::string& name : names)
    name = "--" + name;
  return names;
}

/// `raw` are the settings that asked for the raw method, where no method was given.
void show(const plan::Plan& plan, const std::vector<std::string>& raw,
          std::span<const run::Outcome> runs) {
  const run::Pooled pooled(runs);
  const run::Outcome& o = *pooled;
  const plan::Recipe& r = plan.recipe;
  const std::string many = runs.size() > 1 ? fmt::format("{} runs of ", runs.size()) : "";
  if (o.stages && !o.stages->raw)
    fmt::print("{}{} particles in {} dimensions, {} in {:.2f} s\n\n{}\n", many, r.particles,
               o.dim(), in_words(*o.stages), o.seconds.total, results::table(o.parameters()));
  else
    fmt::print("{}{} particles in {} dimensions, batches of {}, {} steps in {:.2f} s\n\n{}\n", many,
               r.particles, o.dim(), r.batch, o.steps_done, o.seconds.total,
               results::table(o.parameters()));
  fmt::print("{}", results::base_levels(o.table));
  if (!o.groups.empty())
    fmt::print("{}\n", judge::groups_line(o.groups));
  if (o.stages && o.stages->evidence)
    fmt::print("{}\n", results::evidence_line(*o.stages->evidence));
  if (o.held_out && !std::isnan(o.held_out->accuracy))
    fmt::print("test accuracy {:.4f}, ", o.held_out->accuracy);
  if (o.held_out)
    fmt::print("test log likelihood {:.4f}\n", o.held_out->log_likelihood);
  if ((!o.stages || o.stages->raw) &&
      !std::isnan(o.diagnosis.ksd.value)) // a run in stages goes by exact moves; none on a torus,
                                          // none of one particle
    fmt::print("squared Stein discrepancy {:.3g} +- {:.2g}\n", o.diagnosis.ksd.value,
               o.diagnosis.ksd.se);
  fmt::print("{}: {}\n", judge::word(o.diagnosis.judgement),
             judge::sentence(o.diagnosis.judgement));
  if (!o.diagnosis.judgement.converged() && !raw.empty())
    fmt::print("(This run used --method paper, because {} {} given. Without these options --method "
               "auto tunes itself.)\n",
               plan::list_words(as_options(raw)), raw.size() > 1 ? "were" : "was");
}

/// A mistake that the config file makes on its own is the file's, not the command line's.
plan::Plan resolve(SampleRequest& s) {
  try {
    return plan::resolve(s.recipe);
  } catch (const std::invalid_argument& mistake) {
    if (s.config.empty())
      throw;
    s.from_config.target = s.recipe.target;
    try {
      plan::resolve(s.from_config);
    } catch (const std::invalid_argument& same) {
      if (std::string_view(same.what()) == mistake.what())
        throw plan::BadConfig(s.config + ": " + mistake.what());
    }
    throw;
  }
}

/// The recipe of the unfinished run, but for what may be given anew.
void take_up(SampleRequest& s) {
  const StateFolder state = StateFolder::of(s.presentation.resume);
  const run::Saved saved = run::saved(*state.find(0), state.name(0));
  const plan::Recipe given = s.recipe;
  s.recipe = assemble::read_identity(saved.identity, state.name(0));
  if (s.steps_given && s.recipe.method == "auto")
    plan::refuse("--steps", "cannot be changed with --resume for a run of --method auto");
  if (s.steps_given)
    s.recipe.steps = given.steps;
  if (s.threads_given)
    s.recipe.threads = given.threads;
  if (s.device_given)
    s.recipe.device = given.device;
  if (!s.model.empty() && s.recipe.text_of("model").empty())
    plan::refuse("--model", fmt::format("is an option of stan and plugin; the target here is {}",
                                        s.recipe.target));
  if (!s.model.empty()) // it may have moved
    s.recipe.set("model", s.model);
  if (!s.presentation.out.empty() || saved.note.empty())
    return;
  if (!s.trust && !state.is_beside(saved.note))
    plan::refuse("--out", fmt::format("{} says {}; give --out, or --trust to write where it says",
                                      state.name(0), saved.note));
  s.presentation.out = saved.note;
}

/// Code that a file names is loaded only if the user names it too, or trusts the file.
void refuse_to_load(const SampleRequest& s) {
  const std::string named = s.recipe.text_of("model");
  if (s.trust || named.empty() || !s.model.empty())
    return;
  const std::string by = s.presentation.resume.empty() ? s.config : s.presentation.resume;
  plan::refuse(
      "--model",
      fmt::format("{} names {}, which is code; give --model {}, or --trust to load what it names",
                  by, named, named));
}

/// Nor is anything written where a file alone says so, nor a Python started.
void refuse_to_write(const SampleRequest& s) {
  if (s.report && !s.report_given && !s.trust)
    plan::refuse(
        "--report",
        fmt::format(
            "{} asks for a page, which Python makes; give --report, or --trust to start Python",
            s.config));
  const std::string& out = s.presentation.out;
  if (!s.trust && !s.out_given && !s.config.empty() && !out.empty())
    plan::refuse("--out",
                 fmt::format("{} says {}; give --out {}, or --trust to write where it says",
                             s.config, out, out));
}

/// What ranks read, if it is a file.
std::vector<ReadFile> files_of(const SampleRequest& s, const plan::Plan& plan) {
  std::vector<ReadFile> files;
  const std::string data = s.recipe.text_of("data");
  for (const ReadFile& file :
       {ReadFile{data, plan.target && plan.target->of_table && !data.ends_with(".npy")},
        ReadFile{s.recipe.text_of("model")}, ReadFile{s.recipe.start}})
    if (!file.name.empty())
      files.push_back(file);
  if (!s.presentation.resume.empty()) {
    const StateFolder state = StateFolder::of(s.presentation.resume);
    for (std::uint64_t run = 0; run < s.recipe.runs; ++run)
      files.push_back({state.name(run)});
  }
  return files;
}

} // namespace

int sample(SampleRequest s) {
  ranks();
  if (!s.presentation.resume.empty())
    take_up(s);
  else if (started_as_a_rank() && s.recipe.blocks == plan::undecided)
    s.recipe.blocks = blocks_of_ranks;
  const std::vector<std::string> raw =
      s.recipe.method.empty() ? plan::raw_settings_given(s.recipe) : std::vector<std::string>();
  const plan::Plan plan = resolve(s);
  plan::choose("progress", s.presentation.progress, {"auto", "bar", "plain", "none"});
  results::check_formats(s.presentation.format);
  if (!s.dump_config) {
    if (s.out_given && s.presentation.out.empty()) // a variable of a script that is not set
      plan::refuse("--out", "must name a folder; got ''");
    if (s.report && s.presentation.out.empty())
      plan::refuse("--report", "needs --out DIR: the page is made from its files");
    refuse_to_load(s);
    refuse_to_write(s);
  }
  if (ranks()->size() > 1 && plan.blocks < ranks()->size())
    plan::refuse("blocks", plan.blocks == 0
                               ? "this run has no blocks, so it continues on one rank only"
                               : fmt::format("{} blocks are too few for {} ranks", plan.blocks,
                                             ranks()->size()));
  begin_together(assemble::identity_of_ranks(plan.recipe), files_of(s, plan));
  if (s.dump_config) {
    if (ranks()->first())
      fmt::print("{}", plan::write_config(plan.recipe));
    return ok;
  }
  std::string python; // looked for first: no long run ends without one
  if (s.report)
    on_first([&] { python = python_for_pages(""); });
  std::vector<run::Outcome> runs;
  if (const int code = run_and_write(plan, s.presentation, runs); code != ok)
    return code;
  if (!ranks()->first())
    s.json = false, s.presentation.quiet = true;
  if (s.json)
    fmt::print("{}\n", results::to_json(runs).dump(2));
  else if (!s.presentation.quiet)
    show(plan, raw, runs);
  if (s.report && ranks()->first()) {
    limit_memory(0); // the page is another program's
    try {
      if (const int code = report_by(python, {s.presentation.out, "", "", false, s.json});
          code != ok)
        return code;
    } catch (const Interrupted&) {
      return complain(
          interrupted,
          fmt::format(
              "interrupted; the results are in {0}, and starling report {0} makes their page",
              s.presentation.out));
    }
  }
  if (s.fail_unless_converged && !run::Pooled(runs)->diagnosis.judgement.converged())
    return not_converged;
  return ok;
}

} // namespace starling::tool
