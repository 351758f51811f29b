// A recipe as TOML: --config reads it, config.toml of a run is it.
#pragma once

#include "assemble/recipe.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>

namespace starling::assemble {

/// The file says something that cannot be: file, line and key named.
class BadConfig : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Sets what the file sets and leaves the rest. An unknown key is an error with the nearest right
/// one. Throws BadConfig, or io::InputMissing.
void read_config(const std::filesystem::path& file, Recipe& recipe);

/// Everything, so that reading it back gives the same recipe.
std::string write_config(const Recipe& recipe);

} // namespace starling::assemble
