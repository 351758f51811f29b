// How convert, thin and completion are spelled: beside options.cpp, which would be too long with them.
#include "more_options.hpp"

#include "commands.hpp"
#include "plan/spec.hpp"

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
    if (option->get_positional())
      words.arguments.insert(words.arguments.end(), values.begin(), values.end());
    const bool takes_value = option->get_items_expected_max() > 0;
    for (const std::string& long_name : option->get_lnames())
      words.options.push_back({"--" + long_name, option->get_description(), takes_value, values});
  }
  return words;
}

} // namespace

void offer(const CLI::Option* option, std::vector<std::string> words) { offers()[option] = std::move(words); }

void require(const char* argument, const std::string& given, const char* command) {
  if (given.empty())
    throw std::invalid_argument(
        fmt::format("{}: must be given; see starling {} --help", argument, command));
}

std::function<int()> add_convert(CLI::App& app) {
  auto c = std::make_shared<ConvertRequest>();
  app.add_option("FROM", c->from,
                 "Folder of a run, a Stan CSV file (plain, .gz or .xz), an .npz or a .zarr folder");
  app.add_option(
      "TO", c->to,
      "Name that ends in .csv, .npz or .zarr; several runs become NAME-1.csv, NAME-2.csv ..");
  app.add_flag("--force", c->force, "Replace what is there")->disable_flag_override();
  return [c] {
    require("FROM", c->from, "convert");
    require("TO", c->to, "convert");
    return convert(*c);
  };
}

std::function<int()> add_thin(CLI::App& app) {
  auto t = std::make_shared<ThinRequest>();
  auto to = std::make_shared<std::string>();
  const auto flag = [&](const char* name, bool& field, const char* help) {
    app.add_flag(name, field, help)->disable_flag_override();
  };
  app.add_option("DIR", t->from, "Folder of a run");
  app.add_option("--to", *to, "How many particles to keep")->type_name("M");
  flag("--weights", t->weights, "Give them weights, none negative and 1 in all, that make the discrepancy least");
  app.add_option("--out", t->out, "Folder for draws.csv, draws.npz with the weights, summary.json and config.toml")->type_name("DIR");
  flag("--trust", t->trust, "Load the library that config.toml of the run names, for the scores");
  app.add_option_function<std::string>(
         "--threads", [t](const std::string& text) { t->threads = plan::parse_count("threads", text, 0); },
         "Threads (0: one per core)")->type_name("")->default_str("0");
  flag("--force", t->force, "Replace an existing result");
  flag("--json", t->json, "Print summary.json instead of the table");
  return [t, to] {
    require("DIR", t->from, "thin");
    require("--to", *to, "thin");
    t->to = plan::parse_count("to", *to, 1);
    return thin(*t);
  };
}

std::function<int()> add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  offer(app.add_option("SHELL", *shell, "bash | zsh | fish"), {"bash", "zsh", "fish"});
  return [&app, shell] {
    require("SHELL", *shell, "completion");
    const CLI::App& top = *app.get_parent();
    std::vector<CommandWords> commands = {words_of(top, "")};
    for (const CLI::App* command : top.get_subcommands([](const CLI::App*) { return true; }))
      commands.push_back(words_of(*command, command->get_name()));
    return completion(*shell, commands);
  };
}

} // namespace starling::tool
