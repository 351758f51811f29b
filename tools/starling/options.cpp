// How the subcommands and their options are spelled. This, more_options.cpp and recipe_options.cpp
// alone know the option parser.
#include "commands.hpp"

#include "io/fields.hpp"
#include "more_options.hpp"
#include "names.hpp"
#include "plan/config.hpp"
#include "plan/names.hpp"
#include "plan/spec.hpp"
#include "plan/tables.hpp"
#include "recipe_options.hpp"
#include "results/formats.hpp"

#include <starling/cpu/level.hpp>
#include <starling/error.hpp>
#include <starling/version.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>

namespace starling::tool {

namespace {

auto into(std::string& field) {
  return [&field](const std::string& text) { field = text; };
}

void add_threads(CLI::App& app, std::uint64_t& threads) {
  const auto take = [&threads](const std::string& text) {
    threads = plan::parse_count("threads", text, 0);
  };
  add_text(app, "--threads", "Threads (0: one per core)", take)->default_str("0");
}

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
  add_text(app, "--config", "FILE.toml with any of the options; options given besides win",
           read_config)
      ->group("Files");
  add_recipe(app, s->recipe);
  add_text(app, "--out", "Folder for draws.csv, draws.npz, summary.json, config.toml and trace.csv",
           into(p.out))
      ->group("Files");
  const auto formats = plan::names_of(results::formats());
  CLI::Option* format =
      add_text(app, "--format",
               fmt::format("Of the draws: any of {}, commas between", fmt::join(formats, ", ")),
               into(p.format))
          ->group("Files");
  format->default_str(p.format);
  offer(format, formats);
  add_flag(app, "--force", p.force, "Replace an existing result")->group("Files");
  add_flag(app, "--report", s->report,
           "Make report.html beside the results too, as starling report does")
      ->group("Files");
  const auto take_every = [s](const std::string& text) {
    s->presentation.checkpoint_every = plan::parse_count("checkpoint-every", text, 1);
  };
  add_text(app, "--checkpoint-every",
           "Save the state every K steps, in DIR-state beside DIR of --out", take_every)
      ->group("Files");
  add_text(app, "--resume",
           "DIR, or DIR-state: go on with an unfinished run as if it had never stopped; besides "
           "only --steps, --threads, --device and the options of output and limits may be given",
           into(p.resume))
      ->group("Files");
  add_flag(app, "--trust", s->trust,
           "Load the library that a config or checkpoint names, write where it says, and make the "
           "page that it asks for")
      ->group("Files");
  const auto take_time = [s](const std::string& text) {
    s->presentation.time_limit = plan::parse_count("time-limit", text, 1);
  };
  add_text(app, "--time-limit",
           "Seconds by the clock, from the start of the command; then the state is saved and the "
           "exit code is 124",
           take_time)
      ->group("Limits");
  add_text(app, "--memory-limit",
           "Bytes that the command may take, as 500M or 8G; a run that needs more ends with its "
           "state saved",
           into(p.memory_limit))
      ->group("Limits");
  add_flag(app, "--dump-config", s->dump_config, "Print what would be run, as TOML, and stop")
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

Action add_demo(CLI::App& app) {
  auto d = std::make_shared<DemoRequest>();
  add_text(app, "--out", "Folder for the results; the usual one is replaced at each run",
           into(d->out))
      ->default_str(d->out);
  add_threads(app, d->threads);
  add_flag(app, "--force", d->force, "Replace what is in another --out");
  add_flag(app, "--json", d->json, "Print the figures as JSON");
  add_flag(app, "--open", d->open, "Make the page of the first run and show it in a browser");
  return action(d, [d] { return demo(*d); });
}

Action add_summary(CLI::App& app) {
  auto s = std::make_shared<SummaryRequest>();
  app.add_option("PATH", s->path, "Folder of a run, a Stan CSV file, an .npz or a .zarr folder");
  add_flag(app, "--json", s->json, "Print the figures as JSON");
  return action(s, [s] {
    require("PATH", s->path, "summary");
    return summary(*s);
  });
}

Action add_bench(CLI::App& app) {
  auto b = std::make_shared<BenchRequest>();
  offer(app.add_option("NAME", b->names,
                       "overhead, full, scale, threads, logistic, wide, whole (default: these); "
                       "cuda; posteriors, shapes"),
        {"overhead", "full", "scale", "threads", "logistic", "wide", "whole", "cuda", "posteriors",
         "shapes"});
  app.add_option("--json", b->json, "FILE for the figures")->type_name("");
  app.add_option("--repeats", b->repeats, "Every figure is the median of this many measurements")
      ->type_name("")
      ->capture_default_str();
  app.add_flag("--quick", b->quick, "Small sizes: to see that it works, not for its figures");
  const char* accuracy = "For posteriors and shapes";
  const auto add_number = [&](const char* name, std::uint64_t& field, std::size_t least,
                              const char* help) {
    return add_text(app, std::string("--") + name, help,
                    [&field, name, least](const std::string& text) {
                      field = plan::parse_count(name, text, least);
                    })
        ->group(accuracy);
  };
  add_text(
      app, "--models",
      "DIR with a folder for each posterior: model.stan (or model.so), data.json, reference.npz",
      into(b->models))
      ->group(accuracy);
  app.add_option("--only", b->only, "Only posteriors whose name has this in it; may be repeated")
      ->type_name("")
      ->allow_extra_args(false)
      ->group(accuracy);
  app.add_option("--skip", b->skip, "Leave out those whose name has this in it; may be repeated")
      ->type_name("")
      ->allow_extra_args(false)
      ->group(accuracy);
  offer(add_text(app, "--against", "nutpie: NUTS by that package of python3 on the same posteriors",
                 into(b->against))
            ->group(accuracy),
        {"nutpie"});
  add_number("seeds", b->seeds, 1, "Runs of each with seeds 1 to K")
      ->default_str("3, of shapes 20");
  add_number("particles", b->particles, 8, "Number of particles")->default_str("1000");
  add_number("threads", b->threads, 0, "Threads (0: one per core)")->default_str("0");
  offer(add_text(
            app, "--fly-kernel",
            "What the flight has beside the bilinear part: none, gaussian, parameters, marginals",
            into(b->fly_kernel))
            ->group(accuracy),
        {"none", "gaussian", "parameters", "marginals"});
  add_number("batch", b->batch, 2, "Batch size of the flight")->default_str("8");
  add_number("polish", b->polish, 0, "Steps of the polish")->default_str("20");
  app.add_flag("--long", b->longer, "Each also with eight times the steps")->group(accuracy);
  return action(b, [b] { return bench(*b); });
}

Action add_reproduce(CLI::App& app) {
  auto r = std::make_shared<ReproduceRequest>();
  std::string known;
  for (const std::string_view name : reproduce::experiment_names)
    known += (known.empty() ? "" : ", ") + std::string(name);
  offer(app.add_option("NAME", r->names, known + "; default all"),
        {reproduce::experiment_names.begin(), reproduce::experiment_names.end()});
  add_text(app, "--out",
           "Folder for the figures, pictures and report.html; one that was cut off is continued",
           into(r->out));
  add_text(app, "--covertype",
           "FILE with the Covertype data: csv, csv.gz, csv.xz, covtype.data[.gz]",
           into(r->covertype));
  add_flag(app, "--quick", r->quick,
           "Fewer starts, smaller sizes: to see that it works, not for its figures");
  add_threads(app, r->threads);
  add_text(app, "--python", "Python with matplotlib, for the pictures", into(r->python));
  add_flag(app, "--force", r->force, "Write into a folder that holds something else");
  add_flag(app, "--json", r->json, "Print the summary as JSON instead of the table");
  return action(r, [r] {
    require("--out", r->out, "reproduce");
    return reproduce(*r);
  });
}

Action add_info(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  add_flag(app, "--json", *json, "Print it as JSON");
  return action(json, [json] { return info(*json); });
}

/// Words that nothing took: an option, a command, or an argument too many.
[[noreturn]] void refuse_extras(const CLI::App& app) {
  const auto used = app.get_subcommands();
  const CLI::App& where = used.empty() ? app : *used.front();
  const std::string word =
      app.remaining(true).empty() ? std::string() : app.remaining(true).front();
  std::vector<std::string> known;
  if (word.starts_with("-")) {
    for (const CLI::Option* option : where.get_options())
      for (const std::string& name : option->get_lnames())
        known.push_back("--" + name);
    throw std::invalid_argument(
        fmt::format("{}: is no option of {}{}", word, where.get_name(),
                    io::did_you_mean(word.substr(0, word.find('=')), known)));
  }
  if (!used.empty())
    throw std::invalid_argument(
        fmt::format("{}: is one argument too many for {}", word, where.get_name()));
  for (const CLI::App* command : app.get_subcommands({}))
    known.push_back(command->get_name());
  throw std::invalid_argument(
      fmt::format("{}: is no command{}", word, io::did_you_mean(word, known)));
}

/// `sample logistic --help` shows what is for logistic.
int show_help(CLI::App& app, const CLI::CallForHelp& help, int argc, char** argv) {
  for (int n = 1; n + 1 < argc; ++n)
    if (const std::string word = argv[n]; word == "sample" || word == "check") {
      CLI::App& command = *app.get_subcommand(word);
      show_what_is_for(command, argv[n + 1]);
      const int code = app.exit(help);
      show_what_is_for(command, {});
      return code;
    }
  return app.exit(help);
}

/// The parser's complaint, in our words where it is one of the usual ones.
std::string reworded(const CLI::ParseError& error) {
  std::string text = error.what();
  std::replace(text.begin(), text.end(), '\n', ' ');
  const std::string name = text.substr(0, text.find_first_of(": "));
  if (text.ends_with(" missing"))
    return name + ": needs a value";
  if (text.ends_with("flag override"))
    return "--" + name + ": takes no value";
  return text;
}

} // namespace

struct CommandLine::Parser {
  CLI::App app{
      "Starling draws samples from a probability distribution known up to a constant, by moving\n"
      "a cloud of particles in which each meets a few others at a time (RBM-SVGD)."};
  std::map<const CLI::App*, Action> actions;
};

CommandLine::CommandLine() : parser_(std::make_unique<Parser>()) {
  CLI::App& app = parser_->app;
  app.name("starling");
  app.set_version_flag("--version", std::string(version));
  app.add_option_function<std::string>("--simd", cpu::force_level,
                                       "Use this SIMD level: see starling info")
      ->type_name("");
  app.require_subcommand(0, 1);
  app.footer("Start with:  starling demo\n"
             "Then:        starling sample mixture --out out/m");
  const auto add = [&](const char* name, const char* does, Action (*register_options)(CLI::App&)) {
    CLI::App* command = app.add_subcommand(name, does);
    parser_->actions[command] = register_options(*command);
  };
  add("demo", "Two problems, each with RBM-SVGD and with SVGD: a table, and results in out/demo",
      add_demo);
  add("sample", "Draw samples from a target", add_sample);
  add("check", "Compare a target's score with finite differences of its density", add_check);
  add("report", "Make one HTML page of a folder of results", add_report);
  add("summary", "Show the table of a finished run again, from its files", add_summary);
  add("convert", "Write draws as another kind of file: Stan CSV, NPZ, Zarr", add_convert);
  add("thin", "Keep the few particles of a run that say most, with weights if wanted", add_thin);
  add("reproduce",
      "Run the experiments of the paper: what it says, what is measured here, whether it holds",
      add_reproduce);
  add("bench", "Measure how fast it is here", add_bench);
  add("info", "Version, compiler, threads, back ends", add_info);
  add("explain", "Say what a verdict, an option, a file or a figure means", add_explain);
  add("man", "Print the manual page, as roff: starling man | man -l -", add_man);
  add("completion", "Print a script that completes commands and options in bash, zsh or fish",
      add_completion);
}

CommandLine::~CommandLine() = default;

int CommandLine::run(int argc, char** argv) {
  CLI::App& app = parser_->app;
  app.clear();
  for (const auto& [command, action] : parser_->actions)
    action.renew();
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return show_help(app, help, argc, argv);
  } catch (const CLI::CallForVersion& show) {
    return app.exit(show);
  } catch (const CLI::ExtrasError&) {
    refuse_extras(app);
  } catch (const CLI::ParseError& error) {
    throw std::invalid_argument(reworded(error));
  }
  const auto used = app.get_subcommands();
  if (!used.empty())
    return parser_->actions.at(used.front()).run();
  fmt::print("{}", app.help());
  return ok;
}

int parse_and_run(int argc, char** argv) { return CommandLine().run(argc, argv); }

} // namespace starling::tool
