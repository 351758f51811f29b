// A recipe as text, whatever the bytes of its paths.
#include "assemble/identity.hpp"

#include "io/any_text.hpp"
#include "plan/config.hpp"

#include <starling/file_error.hpp>

#include <type_traits>

namespace starling::assemble {

namespace {

template <typename Change>
plan::Recipe with_texts(plan::Recipe recipe, Change change) {
  for (auto& [name, value] : recipe.extra)
    if (auto* text = std::get_if<std::string>(&value))
      *text = change(*text);
  plan::for_each_field(recipe, [&](const plan::About&, auto& field) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, std::string>)
      field = change(field);
  });
  return recipe;
}

} // namespace

std::string write_identity(const plan::Recipe& recipe) {
  return plan::write_config(with_texts(recipe, io::kept_as_utf8));
}

plan::Recipe read_identity(const std::string& identity, const std::string& where) {
  plan::Recipe recipe;
  try {
    plan::parse_config(identity, where, recipe);
  } catch (const std::exception& error) { // whole, as its checksum says, but not ours
    throw io::BadData(where, std::string("is a checkpoint of another version of starling: ") +
                                 error.what());
  }
  return with_texts(std::move(recipe), io::bytes_from_utf8);
}

plan::Recipe recipe_in(const run::Checkpoint& checkpoint, const std::string& where) {
  return read_identity(run::saved(checkpoint, where).identity, where);
}

} // namespace starling::assemble
