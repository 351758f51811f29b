// Reads draws from Stan CSV.
#include "io/stan_csv.hpp"

#include "io/errors.hpp"
#include "io/fields.hpp"
#include "io/text.hpp"

#include <algorithm>
#include <functional>
#include <map>

namespace starling::io {
namespace {

using Renamed = std::map<std::string, std::string, std::less<>>;

std::string unescaped(std::string_view text) {
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool special = text[i] == '\\' && i + 1 < text.size();
    const char c = special ? text[++i] : text[i];
    if (special && c == 'e') // a name of no letters
      continue;
    name += !special ? c : c == 'n' ? '\n' : c == 'r' ? '\r' : c == 's' ? ' ' : c == 't' ? '\t' : c;
  }
  return name;
}

/// A comment "column a_0 = a[0]" says what the header could not.
void note_name(std::string_view comment, Renamed& renamed) {
  comment = trimmed(comment.substr(1));
  constexpr std::string_view key = "column ", equals = " = ";
  const std::size_t at = comment.find(equals);
  if (comment.starts_with(key) && at != std::string_view::npos)
    renamed.emplace(comment.substr(key.size(), at - key.size()),
                    unescaped(comment.substr(at + equals.size())));
}

bool next_record(Lines& lines, std::string_view& line, Renamed* renamed = nullptr) {
  while (lines.next_filled(line)) {
    if (!line.starts_with('#'))
      return true;
    if (renamed)
      note_name(line, *renamed);
  }
  return false;
}

/// Cuts the next field off the line; `more` tells whether another one follows.
std::string_view take_field(std::string_view& line, bool& more) {
  const std::size_t comma = line.find(',');
  more = comma != std::string_view::npos;
  const std::string_view field = line.substr(0, comma);
  line.remove_prefix(more ? comma + 1 : line.size());
  return trimmed(field);
}

} // namespace

Draws read_stan_csv(const std::filesystem::path& file) {
  const std::string text = read_text(file);
  Lines lines(text);
  std::string_view line;
  Renamed renamed;
  if (!next_record(lines, line, &renamed))
    throw BadData(file, "must have a row of column names; got none");
  Draws draws;
  for (bool more = true; more;) {
    const std::string_view name = take_field(line, more);
    double number = 0;
    if (name.empty() || to_number(name, number))
      throw BadData(file, lines.number(),
                    column_shown(draws.names.size(), "") + ": must be a name; got " + shown(name));
    const auto given = renamed.find(name);
    draws.names.push_back(given == renamed.end() ? bracketed(name) : given->second);
  }

  const std::size_t columns = draws.names.size();
  while (next_record(lines, line)) {
    const auto count = static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1;
    if (count != columns)
      throw BadData(file, lines.number(),
                    "must have " + std::to_string(columns) + " columns as the header; got " +
                        std::to_string(count));
    bool more = true;
    for (std::size_t column = 0; column < columns; ++column) {
      const std::string_view field = take_field(line, more);
      double value = 0;
      if (!to_number(field, value))
        throw BadData(file, lines.number(),
                      column_shown(column, draws.names[column]) + ": must be a number; got " +
                          shown(field));
      draws.values.push_back(value);
    }
    ++draws.rows;
  }
  if (draws.rows == 0)
    throw BadData(file, "must have draws; got column names only");
  return draws;
}

} // namespace starling::io
