// The sentence for a name that is not among the choices.
#include "plan/names.hpp"

#include "io/fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace starling::plan {

std::size_t choose(std::string_view what, std::string_view name,
                   const std::vector<std::string>& choices) {
  const auto found = std::ranges::find(choices, name);
  if (found == choices.end())
    throw std::invalid_argument(fmt::format("{}: must be one of {}; got '{}'{}", what,
                                            fmt::join(choices, ", "), name,
                                            io::did_you_mean(name, choices)));
  return static_cast<std::size_t>(found - choices.begin());
}

std::string list_words(const std::vector<std::string>& words, std::string_view last) {
  if (words.size() < 2)
    return fmt::format("{}", fmt::join(words, ""));
  return fmt::format("{} {} {}", fmt::join(words.begin(), words.end() - 1, ", "), last,
                     words.back());
}

void refuse(std::string_view what, std::string_view sentence) {
  throw std::invalid_argument(fmt::format("{}: {}", what, sentence));
}

} // namespace starling::plan
