// A recipe as the text that a checkpoint keeps, and back.
#pragma once

#include "plan/recipe.hpp"

#include <starling/run/checkpoint.hpp>

#include <string>

namespace starling::assemble {

/// The recipe as TOML. TOML is UTF-8 and paths are any bytes: a byte that is no UTF-8 becomes a
/// character of its own from the private range, and comes back as that byte.
std::string write_identity(const plan::Recipe& recipe);

/// Throws io::BadData that names `where`.
plan::Recipe read_identity(const std::string& identity, const std::string& where);

/// The recipe of a saved run. Throws io::BadData that names `where`.
plan::Recipe recipe_in(const run::Checkpoint& checkpoint, const std::string& where);

} // namespace starling::assemble
