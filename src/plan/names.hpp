// Choosing by name, with the nearest right one suggested when the name is not there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace starling::plan {

/// The place of the name among the choices; throws invalid_argument with all of them otherwise.
std::size_t choose(std::string_view what, std::string_view name,
                   const std::vector<std::string>& choices);

/// "a", "a and b", "a, b and c".
std::string list_words(const std::vector<std::string>& words, std::string_view last = "and");

/// Asked wrong, in a sentence of its own: "WHAT: SENTENCE".
[[noreturn]] void refuse(std::string_view what, std::string_view sentence);

} // namespace starling::plan
