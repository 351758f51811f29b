// A recipe as the text that a checkpoint keeps.
#include "assemble/identity.hpp"

#include "plan/config.hpp"

#include <starling/file_error.hpp>

namespace starling::assemble {

std::string write_identity(const plan::Recipe& recipe) { return plan::write_config(recipe); }

std::string identity_of_ranks(plan::Recipe recipe) {
  recipe.threads = 0;
  return write_identity(recipe);
}

plan::Recipe read_identity(const std::string& identity, const std::string& where) {
  plan::Recipe recipe;
  try {
    plan::parse_config(identity, where, recipe);
  } catch (const std::exception& error) { // whole, as its checksum says, but not ours
    throw io::BadData(where, std::string("is a checkpoint of another version of starling: ") +
                                 error.what());
  }
  return recipe;
}

plan::Recipe recipe_in(const run::Checkpoint& checkpoint, const std::string& where) {
  return read_identity(run::saved(checkpoint, where).identity, where);
}

} // namespace starling::assemble
