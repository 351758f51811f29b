// A recipe as text, whatever the bytes of its paths.
#include "assemble/identity.hpp"

#include "plan/config.hpp"

#include <starling/file_error.hpp>

#include <string_view>
#include <type_traits>

namespace starling::assemble {

namespace {

// Byte b, 0x80 to 0xff, is U+F700 + b. Such characters in a text of its own are taken for bytes
// that are no UTF-8, so that every text comes back as it was.
constexpr unsigned for_bytes = 0xF700;

/// How many bytes the UTF-8 character at the front has; 0 if there is none.
std::size_t character(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = at(0);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : (first & 0xF0) == 0xE0        ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || length > text.size())
    return 0;
  unsigned code = length == 1 ? first : first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0) != 0x80)
      return 0;
    code = code << 6 | (at(i) & 0x3Fu);
  }
  const bool too_long = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool none = too_long || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000) ||
                    (code >= for_bytes + 0x80 && code <= for_bytes + 0xFF);
  return none ? 0 : length;
}

std::string to_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = character(text);
    if (length > 0) {
      out += text.substr(0, length);
    } else {
      const unsigned code = for_bytes + static_cast<unsigned char>(text[0]);
      out += {static_cast<char>(0xE0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3F)),
              static_cast<char>(0x80 | (code & 0x3F))};
    }
    text.remove_prefix(length > 0 ? length : 1);
  }
  return out;
}

std::string from_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = character(text);
    if (length > 0) {
      out += text.substr(0, length);
      text.remove_prefix(length);
      continue;
    }
    // Our own text holds nothing else that is no character.
    const auto low = [&](std::size_t i) {
      return i < text.size() ? static_cast<unsigned char>(text[i]) & 0x3Fu : 0u;
    };
    out += static_cast<char>(low(1) << 6 | low(2)); // of 0xF700 + b the last 8 bits are b
    text.remove_prefix(std::min<std::size_t>(3, text.size()));
  }
  return out;
}

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
  return plan::write_config(with_texts(recipe, to_utf8));
}

plan::Recipe read_identity(const std::string& identity, const std::string& where) {
  plan::Recipe recipe;
  try {
    plan::parse_config(identity, where, recipe);
  } catch (const std::exception& error) { // whole, as its checksum says, but not ours
    throw io::BadData(where, std::string("is a checkpoint of another version of starling: ") +
                                 error.what());
  }
  return with_texts(std::move(recipe), from_utf8);
}

plan::Recipe recipe_in(const run::Checkpoint& checkpoint, const std::string& where) {
  return read_identity(run::saved(checkpoint, where).identity, where);
}

} // namespace starling::assemble
