// The options of sample and check.
#include "commands.hpp"
#include "plan/config.hpp"
#include "plan/spec.hpp"
#include "plan/tables.hpp"
#include "recipe_options.hpp"
#include "results/formats.hpp"
#include "subcommands.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

namespace starling::tool {

Action add_sample(CLI::App& app) {
  auto s = std::make_shared<SampleRequest>();
  Presentation& p = s->presentation;
  // Callbacks run in the order of registration: the file first, so that options given besides win.
  const auto read_config = [s](const std::string& file) {
    Presentation& to = s->presentation;
    plan::read_config(file, s->recipe,
                      {{"out", &to.out},
                       {"format", &to.format},
                       {"checkpoint-every", &to.checkpoint_every},
                       {"time-limit", &to.time_limit},
                       {"memory-limit", &to.memory_limit},
                       {"progress", &to.progress},
                       {"quiet", &to.quiet},
                       {"force", &to.force},
                       {"json", &s->json},
                       {"report", &s->report},
                       {"fail-unless-converged", &s->fail_unless_converged}});
    s->config = file;
    s->from_config = s->recipe;
  };
  add_text(app, "--config", "FILE.toml with any of the options; options of the command line win",
           read_config)
      ->group("Files");
  add_recipe(app, s->recipe);
  add_text(app, "--out", "Folder for draws.csv, draws.npz, summary.json, config.toml and trace.csv",
           into(p.out))
      ->group("Files");
  const auto formats = plan::names_of(results::formats());
  CLI::Option* format = add_text(app, "--format",
                                 fmt::format("Formats of the draws, separated by commas: {}",
                                             fmt::join(formats, ", ")),
                                 into(p.format))
                            ->group("Files");
  format->default_str(p.format);
  offer(format, formats);
  add_flag(app, "--force", p.force, "Replace an existing result")->group("Files");
  add_flag(app, "--report", s->report, "Also make report.html, as starling report does")
      ->group("Files");
  const auto take_every = [s](const std::string& text) {
    s->presentation.checkpoint_every = plan::parse_count("checkpoint-every", text, 1);
  };
  add_text(app, "--checkpoint-every",
           "Save the state every K steps, in the folder DIR-state for --out DIR", take_every)
      ->group("Files");
  add_text(app, "--resume",
           "DIR, or DIR-state: continue an unfinished run as if it had never stopped; only "
           "--steps, --threads, --device and the options of output and limits may be changed",
           into(p.resume))
      ->group("Files");
  add_flag(app, "--trust", s->trust,
           "Trust a config or checkpoint: load its library, write to its folder, make its page")
      ->group("Files");
  const auto take_time = [s](const std::string& text) {
    s->presentation.time_limit = plan::parse_count("time-limit", text, 1);
  };
  add_text(app, "--time-limit",
           "Time limit in seconds, from the start of the command; the state is then saved and the "
           "exit code is 124",
           take_time)
      ->group("Limits");
  add_text(
      app, "--memory-limit",
      "Memory limit in bytes, such as 500M or 8G; a run that needs more saves its state and ends",
      into(p.memory_limit))
      ->group("Limits");
  add_flag(app, "--dump-config", s->dump_config, "Print all settings of the run as TOML, and stop")
      ->group("Files");
  CLI::Option* progress =
      add_text(app, "--progress", "auto, bar, plain or none", into(p.progress))->group("Output");
  progress->default_str(p.progress);
  offer(progress, {"auto", "bar", "plain", "none"});
  add_flag(app, "--quiet", p.quiet, "No table, no progress, no warnings")->group("Output");
  add_flag(app, "--json", s->json, "Print summary.json instead of the table")->group("Output");
  add_flag(app, "--fail-unless-converged", s->fail_unless_converged,
           "Exit with 2 unless the verdict is 'converged'")
      ->group("Output");
  return action(s, [&app, s] {
    if (s->presentation.resume.empty())
      require("TARGET", s->recipe.target, "sample");
    else
      refuse_what_is_settled(app);
    const WhatWasGiven given = what_was_given(app);
    s->steps_given = given.contains("--steps");
    s->threads_given = given.contains("--threads");
    s->device_given = given.contains("--device");
    s->out_given = given.contains("--out");
    s->report_given = given.contains("--report");
    for (const char* name : {"MODEL", "--model"})
      if (given.contains(name))
        s->model = given.at(name)->results().back();
    take_what_was_given(app, s->recipe);
    return sample(*s);
  });
}

Action add_check(CLI::App& app) {
  auto c = std::make_shared<CheckRequest>();
  add_recipe(app, c->recipe);
  add_flag(app, "--json", c->json, "Print the figures as JSON")->group("Output");
  return action(c, [&app, c] {
    require("TARGET", c->recipe.target, "check");
    take_what_was_given(app, c->recipe);
    return check(*c);
  });
}

} // namespace starling::tool
