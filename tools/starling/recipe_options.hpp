// Options that are made from the tables, and how every option is added.
#pragma once

#include "plan/recipe.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace starling::tool {

/// An option that takes one text; the last one given counts.
CLI::Option* add_text(CLI::App& app, const std::string& name, const std::string& help,
                      std::function<void(const std::string&)> take);

CLI::Option* add_flag(CLI::App& app, const std::string& name, bool& field, const std::string& help);

/// Options for every field of a recipe and every setting of a target or step rule, made from the
/// tables, and TARGET as the first argument.
void add_recipe(CLI::App& app, plan::Recipe& recipe);

/// The help shows what is for this target, or everything if the word is no target.
void show_what_is_for(CLI::App& app, const std::string& word);

/// The options and arguments that were given, by name: looking for one of them in the parser takes
/// long.
using WhatWasGiven = std::map<std::string, const CLI::Option*>;
WhatWasGiven what_was_given(const CLI::App& app);

/// MODEL is a setting that may stand after TARGET. An option of another target's would be silently
/// without effect, and is refused.
void take_what_was_given(const CLI::App& app, plan::Recipe& recipe);

/// A run that goes on has its settings already.
void refuse_what_is_settled(const CLI::App& app);

} // namespace starling::tool
