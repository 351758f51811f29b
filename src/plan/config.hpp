// A recipe as TOML: --config reads it, config.toml of a run is it.
#pragma once

#include "plan/recipe.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace starling::plan {

/// The file says something that cannot be: file, line and key named.
class BadConfig : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A key that is no part of the recipe, and where its value goes.
struct FurtherKey {
  std::string name;
  std::variant<std::string*, std::uint64_t*, bool*> value;
};

/// Sets what the file sets and leaves the rest. An unknown key is an error with the nearest right
/// one, and so is a key of another target than the file's. Throws BadConfig, or io::InputMissing.
void read_config(const std::filesystem::path& file, Recipe& recipe,
                 const std::vector<FurtherKey>& further = {});

/// The same from a text; `file` is what errors name.
void parse_config(const std::string& text, const std::filesystem::path& file, Recipe& recipe,
                  const std::vector<FurtherKey>& further = {});

/// Everything, so that reading it back gives the same recipe: a byte of a path that is no UTF-8
/// becomes a letter of the private range, and comes back as that byte.
std::string write_config(const Recipe& recipe);

} // namespace starling::plan
