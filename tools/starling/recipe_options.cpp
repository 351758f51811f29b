// Options made from the tables of the plan.
#include "recipe_options.hpp"

#include "plan/names.hpp"
#include "plan/spec.hpp"
#include "plan/tables.hpp"
#include "subcommands.hpp"

#include <starling/error.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <type_traits>

namespace starling::tool {

CLI::Option* add_text(CLI::App& app, const std::string& name, const std::string& help,
                      std::function<void(const std::string&)> take) {
  const auto take_value = [name, take = std::move(take)](const std::string& text) {
    if (text.starts_with("--")) // no value starts so: it was forgotten
      plan::refuse(name, "needs a value; got " + text);
    take(text);
  };
  return app.add_option_function<std::string>(name, take_value, help)->type_name("")->take_last();
}

CLI::Option* add_flag(CLI::App& app, const std::string& name, bool& field,
                      const std::string& help) {
  return app.add_flag(name, field, help)->disable_flag_override(); // no --quiet=7
}

namespace {

std::string shown(const std::string& field) { return field; }
std::string shown(std::uint64_t field) { return std::to_string(field); }
std::string shown(const std::optional<double>& field) { return fmt::format("{}", *field); }

/// An option whose text becomes the field, and the default that its help shows. Parsed by
/// ourselves, so that a wrong number is refused in our words.
template <typename Field>
void add_field(CLI::App& app, const plan::FieldInfo& info, Field& field, const Field& usual) {
  const std::string name = "--" + info.name;
  if constexpr (std::is_same_v<Field, bool>) {
    add_flag(app, name, field, info.help)->group(info.group);
  } else {
    const bool has_default = !plan::left_open(usual);
    const auto take = [&field, has_default, what = info.name](const std::string& text) {
      if (text.empty() && has_default) // no value stands for the default
        plan::refuse("--" + what, "needs a value; got ''");
      if constexpr (std::is_same_v<Field, std::optional<double>>)
        field = plan::parse_number(what, text);
      else if constexpr (std::is_same_v<Field, std::uint64_t>)
        field = plan::parse_count(what, text, 0);
      else
        field = text;
    };
    CLI::Option* option = add_text(app, name, info.help, take)->group(info.group);
    if (!plan::left_open(usual))
      option->default_str(shown(usual));
    offer(option, info.words);
  }
}

std::string heading(const plan::TableSetting& extra) {
  return extra.of_target ? fmt::format("Only for {}", plan::list_words(extra.owners))
                         : std::string(plan::raw_heading);
}

} // namespace

void add_recipe(CLI::App& app, plan::Recipe& recipe) {
  const auto names = plan::names_of(plan::targets());
  offer(app.add_option("TARGET", recipe.target, fmt::format("{}", fmt::join(names, " | "))), names);
  app.add_option("MODEL", "For stan: MODEL.stan or its library; for plugin: LIB.so")->type_name("");
  const plan::Recipe defaults = plan::with_defaults({});
  plan::for_each_pair(recipe, defaults,
                      [&](const plan::FieldInfo& info, auto& field, const auto& usual) {
                        add_field(app, info, field, usual);
                      });
  for (const plan::TableSetting& extra : plan::table_settings()) {
    const plan::Setting& setting = extra.setting;
    const auto take = [&recipe, &setting](const std::string& text) {
      recipe.extra[setting.name] = plan::parse(setting, text);
    };
    CLI::Option* option = add_text(app, "--" + setting.name, setting.help, take);
    option->group(heading(extra));
    if (const std::string usual = plan::shown(setting.default_value);
        !usual.empty() && extra.owners.size() == 1)
      option->default_str(usual);
    offer(option, setting.words);
  }
}

void show_what_is_for(CLI::App& app, const std::string& target) {
  const auto names = plan::names_of(plan::targets());
  const bool all = std::ranges::find(names, target) == names.end();
  for (const plan::TableSetting& extra : plan::table_settings())
    app.get_option("--" + extra.setting.name)
        ->group(all || extra.is_for(target) ? heading(extra) : "");
}

WhatWasGiven what_was_given(const CLI::App& app) {
  WhatWasGiven given;
  for (const CLI::Option* option : app.get_options())
    if (option->count() > 0)
      given[option->get_name()] = option;
  return given;
}

namespace {

/// A file in the place of the target: the target's name was forgotten.
void refuse_file_as_target(const std::string& target, const std::string& command) {
  const auto forgotten = [&](const char* name) {
    plan::refuse("target",
                 fmt::format("must come before {0}: starling {1} {2} {0}", target, command, name));
  };
  if (target.ends_with(".stan"))
    forgotten("stan");
  if (target.ends_with(".so"))
    forgotten("plugin");
}

} // namespace

void take_what_was_given(const CLI::App& app, plan::Recipe& recipe) {
  const WhatWasGiven given = what_was_given(app);
  if (given.contains("TARGET")) {
    refuse_file_as_target(recipe.target, app.get_name());
    plan::choose("target", recipe.target, plan::names_of(plan::targets()));
  }
  const auto& all = plan::table_settings();
  const auto model =
      std::ranges::find_if(all, [](auto& extra) { return extra.setting.name == "model"; });
  if (const auto found = given.find("MODEL"); found != given.end()) {
    const std::string library = found->second->results().front();
    if (!model->is_for(recipe.target))
      throw std::invalid_argument(
          fmt::format("{}: is one argument too many for {}", library, app.get_name()));
    recipe.set("model", library);
  }
  if (given.contains("--resume")) // the target is not known yet
    return;
  for (const plan::TableSetting& extra : all)
    if (!extra.is_for(recipe.target) && given.contains("--" + extra.setting.name))
      plan::refuse("--" + extra.setting.name,
                   fmt::format("is an option of {}; the target here is {}",
                               plan::list_words(extra.owners), recipe.target));
}

void refuse_what_is_settled(const CLI::App& app) {
  const WhatWasGiven given = what_was_given(app);
  const auto refuse = [&](const std::string& name) {
    if (given.contains(name))
      plan::refuse(name, "cannot be changed with --resume: a resumed run keeps its settings");
  };
  refuse("TARGET");
  refuse("--config");
  plan::Recipe any;
  plan::for_each_field(any, [&](const plan::FieldInfo& info, auto&) {
    if (info.name != "steps" && info.name != "threads" && info.name != "device")
      refuse("--" + info.name);
  });
  for (const plan::TableSetting& extra : plan::table_settings())
    if (extra.setting.name != "model") // names what may be loaded
      refuse("--" + extra.setting.name);
}

} // namespace starling::tool
