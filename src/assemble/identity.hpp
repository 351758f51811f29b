// A recipe as the text that a checkpoint keeps, and back.
#pragma once

#include "plan/recipe.hpp"

#include <starling/run/checkpoint.hpp>

#include <string>

namespace starling::assemble {

/// The recipe as TOML, as in config.toml.
std::string write_identity(const plan::Recipe& recipe);

/// What all ranks of a run must have alike: the same without the threads of each.
std::string identity_of_ranks(plan::Recipe recipe);

/// Throws io::BadData that names `where`.
plan::Recipe read_identity(const std::string& identity, const std::string& where);

/// The recipe of a saved run. Throws io::BadData that names `where`.
plan::Recipe recipe_in(const run::Checkpoint& checkpoint, const std::string& where);

} // namespace starling::assemble
