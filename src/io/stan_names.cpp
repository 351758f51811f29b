// Names as Stan CSV has them, and the way back.
#include "io/names.hpp"
#include "io/stan_csv.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace starling::io {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// One word of letters, digits and underscores that begins with a letter.
std::string plain(std::string_view name) {
  std::string word(name);
  if (word.ends_with(']'))
    word.pop_back();
  for (char& c : word)
    if (!is_letter(c) && !is_digit(c))
      c = '_';
  if (word.empty() || !is_letter(word[0]))
    word.insert(word.begin(), 'x');
  if (word.ends_with("__") &&
      !is_figure(word)) // readers would take it for a figure of the sampler's
    word += 'x';
  return word;
}

/// The name of one cell: "theta.1.2".
std::string dotted(const std::string& stem, const std::vector<std::size_t>& indices) {
  return indices.empty() ? stem : fmt::format("{}.{}", stem, fmt::join(indices, "."));
}

bool from_one(const std::vector<std::size_t>& indices) {
  return std::ranges::find(indices, std::size_t{0}) == indices.end();
}

/// The cells of a variable in Stan's order: the first index runs fastest.
template <typename Visit>
void for_each_cell(const Variable& v, Visit&& visit) {
  std::vector<std::size_t> at(v.shape.size(), 0);
  for (std::size_t count = 0; count < v.columns.size(); ++count) {
    std::size_t cell = 0;
    for (std::size_t k = 0; k < at.size(); ++k)
      cell = cell * v.shape[k] + at[k];
    visit(at, v.columns[cell]);
    for (std::size_t k = 0; k < at.size() && ++at[k] == v.shape[k]; ++k)
      at[k] = 0;
  }
}

} // namespace

std::string stan_name(std::string_view name) {
  const ApartName apart = name.ends_with(']') ? taken_apart(name) : taken_apart_at_dots(name);
  return apart.indices.empty() || !from_one(apart.indices)
             ? plain(name)
             : dotted(plain(apart.stem), apart.indices);
}

std::string bracketed(std::string_view stan_name) {
  const ApartName apart = taken_apart_at_dots(stan_name);
  return apart.indices.empty() ? apart.stem
                               : fmt::format("{}[{}]", apart.stem, fmt::join(apart.indices, ","));
}

StanColumns stan_columns(const std::vector<std::string>& names) {
  StanColumns columns;
  std::set<std::string> taken; // words, and stems of arrays
  const auto add = [&](std::string name, std::size_t from) {
    columns.names.push_back(std::move(name));
    columns.from.push_back(from);
  };
  const auto different = [&](std::string word) {
    std::string name = word;
    for (int k = 2; !taken.insert(name).second; ++k)
      name = fmt::format("{}_{}", word, k);
    return name;
  };
  const std::vector<Variable> variables = variables_of(names);
  for (const Variable& v : variables) // names that need no change come first, and keep theirs
    if (from_one(v.first) && plain(v.name) == v.name)
      taken.insert(v.name);
  for (const Variable& v : variables) {
    if (from_one(v.first)) {
      const std::string stem = plain(v.name) == v.name ? v.name : different(plain(v.name));
      for_each_cell(v, [&](std::vector<std::size_t> at, std::size_t from) {
        for (std::size_t& index : at)
          ++index;
        add(dotted(stem, at), from);
      });
    } else {
      for_each_cell(
          v, [&](const auto&, std::size_t from) { add(different(plain(names[from])), from); });
    }
  }
  return columns;
}

} // namespace starling::io
