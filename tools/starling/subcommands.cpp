// The table of subcommands, with the options of those that have few.
#include "subcommands.hpp"

#include "commands.hpp"
#include "plan/names.hpp"
#include "plan/spec.hpp"
#include "recipe_options.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <map>
#include <memory>
#include <stdexcept>

namespace starling::tool {

namespace {

std::map<const CLI::Option*, std::vector<std::string>>& offers() {
  static std::map<const CLI::Option*, std::vector<std::string>> all;
  return all;
}

CommandWords words_of(const CLI::App& command, const std::string& name) {
  CommandWords words{name, command.get_description(), {}, {}};
  for (const CLI::Option* option : command.get_options()) {
    const auto& values = offers()[option];
    const bool takes_value = option->get_items_expected_max() > 0;
    OptionWords one{option->get_name(),  option->get_description(), takes_value, values,
                    option->get_group(), option->get_default_str()};
    if (option->get_positional()) {
      words.arguments.insert(words.arguments.end(), values.begin(), values.end());
      words.places.push_back(one);
    }
    for (const std::string& long_name : option->get_lnames()) {
      one.name = "--" + long_name;
      words.options.push_back(one);
    }
  }
  return words;
}

/// All commands, the program itself first; `app` is one of them.
std::vector<CommandWords> words_of_all(const CLI::App& app) {
  const CLI::App& top = *app.get_parent();
  std::vector<CommandWords> commands = {words_of(top, "")};
  for (const CLI::App* command : top.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(words_of(*command, command->get_name()));
  return commands;
}

} // namespace

void offer(const CLI::Option* option, std::vector<std::string> words) {
  offers()[option] = std::move(words);
}

void require(const char* argument, const std::string& given, const char* command) {
  if (given.empty())
    throw std::invalid_argument(
        fmt::format("{}: must be given; see starling {} --help", argument, command));
}

void add_threads(CLI::App& app, std::uint64_t& threads) {
  const auto take = [&threads](const std::string& text) {
    threads = plan::parse_count("threads", text, 0);
  };
  add_text(app, "--threads", "Threads (0: one per core)", take)->default_str("0");
}

namespace {

Action add_demo(CLI::App& app) {
  auto d = std::make_shared<DemoRequest>();
  add_text(app, "--out", "Folder for the results; the default folder is replaced at each run",
           into(d->out))
      ->default_str(d->out);
  add_threads(app, d->threads);
  add_flag(app, "--force", d->force, "Replace the files of another --out");
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

Action add_compare(CLI::App& app) {
  auto c = std::make_shared<CompareRequest>();
  app.add_option("DIR", c->folders, "Folders of runs with --evidence: models of the same data");
  add_flag(app, "--json", c->json, "Print the figures as JSON");
  return action(c, [c] {
    require("DIR", c->folders.empty() ? "" : c->folders.front(), "compare");
    return compare(*c);
  });
}

Action add_info(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  add_flag(app, "--json", *json, "Print it as JSON");
  return action(json, [json] { return info(*json); });
}

Action add_convert(CLI::App& app) {
  auto c = std::make_shared<ConvertRequest>();
  app.add_option("FROM", c->from,
                 "Folder of a run, a Stan CSV file (plain, .gz or .xz), an .npz or a .zarr folder");
  app.add_option(
      "TO", c->to,
      "Name that ends in .csv, .npz or .zarr; several runs become NAME-1.csv, NAME-2.csv ..");
  app.add_flag("--force", c->force, "Replace an existing file that starling wrote")
      ->disable_flag_override();
  return action(c, [c] {
    require("FROM", c->from, "convert");
    require("TO", c->to, "convert");
    return convert(*c);
  });
}

Action add_thin(CLI::App& app) {
  struct Asked : ThinRequest {
    std::string how_many;
  };
  auto t = std::make_shared<Asked>();
  const auto flag = [&](const char* name, bool& field, const char* help) {
    app.add_flag(name, field, help)->disable_flag_override();
  };
  app.add_option("DIR", t->from, "Folder of a run");
  app.add_option("--to", t->how_many, "How many particles to keep")->type_name("M");
  flag("--weights", t->weights,
       "Also give them weights (0 or more, sum 1) that make the Stein discrepancy least");
  app.add_option("--out", t->out,
                 "Folder for draws.csv, draws.npz with the weights, summary.json and config.toml")
      ->type_name("DIR");
  flag("--trust", t->trust,
       "Load the library that config.toml of the run names, to compute the scores");
  app.add_option_function<std::string>(
         "--threads",
         [t](const std::string& text) { t->threads = plan::parse_count("threads", text, 0); },
         "Threads (0: one per core)")
      ->type_name("")
      ->default_str("0");
  flag("--force", t->force, "Replace an existing result");
  flag("--json", t->json, "Print summary.json instead of the table");
  return action(t, [t] {
    require("DIR", t->from, "thin");
    require("--to", t->how_many, "thin");
    t->to = plan::parse_count("to", t->how_many, 1);
    return thin(*t);
  });
}

Action add_predict(CLI::App& app) {
  struct Asked : PredictRequest {
    std::string missing = "refuse";
  };
  auto p = std::make_shared<Asked>();
  app.add_option("DIR", p->folder, "Folder of a run of linear, logistic, poisson or multinomial");
  add_text(app, "--data", "FILE with the new rows: a table with the columns of the run's table",
           into(p->data));
  offer(add_text(app, "--missing",
                 "Rows with missing values: refuse them, or drop them; the column `row` has the "
                 "numbers of the others",
                 into(p->missing))
            ->default_str("refuse"),
        {"refuse", "drop"});
  add_flag(app, "--observation", p->observation,
           "Predict a new observation with its noise, instead of its expected value");
  add_text(app, "--out", "FILE for the predictions; without it they are printed", into(p->out));
  add_threads(app, p->threads);
  add_flag(app, "--force", p->force, "Replace the predictions that --out names");
  add_flag(app, "--json", p->json, "Write JSON instead of csv");
  return action(p, [p] {
    require("DIR", p->folder, "predict");
    require("--data", p->data, "predict");
    plan::choose("missing", p->missing, {"refuse", "drop"});
    p->drop_missing = p->missing == "drop";
    return predict(*p);
  });
}

Action add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  offer(app.add_option("SHELL", *shell, "bash | zsh | fish"), {"bash", "zsh", "fish"});
  return action(shell, [&app, shell] {
    require("SHELL", *shell, "completion");
    return completion(*shell, words_of_all(app));
  });
}

Action add_report(CLI::App& app) {
  auto r = std::make_shared<ReportRequest>();
  app.add_option("DIR", r->folder, "Folder of a run, or of reproduce");
  app.add_option("--out", r->out, "FILE for the page (default DIR/report.html)")->type_name("");
  app.add_option("--python", r->python, "Python with the packages starling and matplotlib")
      ->type_name("");
  app.add_flag("--force", r->force, "Replace the page of starling that --out names")
      ->disable_flag_override();
  return action(r, [r] {
    require("DIR", r->folder, "report");
    return report(*r);
  });
}

Action add_explain(CLI::App& app) {
  auto words = std::make_shared<std::vector<std::string>>();
  offer(
      app.add_option("WORD", *words,
                     "A verdict, an option with or without its dashes, a file, a kernel, a figure"),
      explained());
  app.allow_extras(); // an option may be asked about with its dashes
  return action(words, [&app, words] {
    std::string word;
    for (const std::string& one : app.remaining())
      if (one != "--") // parts options from words, and is neither
        words->push_back(one);
    for (const std::string& one : *words) // still moving
      word += (word.empty() ? "" : " ") + one;
    require("WORD", word, "explain");
    return explain(word, words_of_all(app));
  });
}

Action add_man(CLI::App& app) {
  return {[&app] { return manual(words_of_all(app)); }, [] {}};
}

} // namespace

const std::vector<Subcommand>& subcommands() {
  static const std::vector<Subcommand> all = {
      {"demo", "Two problems, each with RBM-SVGD and with SVGD: a table, and results in out/demo",
       add_demo},
      {"sample", "Draw samples from a target", add_sample},
      {"check", "Compare a target's score with finite differences of its density", add_check},
      {"report", "Make one HTML page of a folder of results", add_report},
      {"summary", "Show the table of a finished run again, from its files", add_summary},
      {"compare", "Show the log evidence of several runs, and their differences", add_compare},
      {"convert", "Write draws in another format: Stan CSV, NPZ, Zarr", add_convert},
      {"thin", "Keep the few particles that represent a run best, with weights if wanted",
       add_thin},
      {"predict", "Mean, sd and quantiles for new rows, by the regression of a run", add_predict},
      {"reproduce",
       "Run the experiments of the paper, and compare its claims with what is measured here",
       add_reproduce},
      {"bench", "Measure the speed on this machine", add_bench},
      {"info", "Version, compiler, threads, back ends", add_info},
      {"explain", "Explain a verdict, an option, a file or a figure", add_explain},
      {"man", "Print the manual page, as roff: starling man | man -l -", add_man},
      {"completion", "Print a script that completes commands and options in bash, zsh or fish",
       add_completion}};
  return all;
}

} // namespace starling::tool
