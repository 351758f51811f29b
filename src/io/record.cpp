// Records of a delimited text: separators, headers, names of columns.
#include "io/record.hpp"

#include "io/any_text.hpp"

#include <iterator>
#include <set>

#include <fmt/format.h>

namespace starling::io {

char find_separator(std::string_view line) {
  constexpr std::string_view kinds = ";,\t";
  std::size_t counts[kinds.size()] = {};
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (const std::size_t kind = kinds.find(c); !quoted && kind != std::string_view::npos)
      ++counts[kind];
  }
  const auto most = std::max_element(std::begin(counts), std::end(counts));
  return *most == 0 ? blanks : kinds[static_cast<std::size_t>(most - std::begin(counts))];
}

std::string unquoted(std::string_view field) {
  std::string text;
  for (std::size_t i = 0; i < field.size(); ++i) {
    text += field[i];
    if (field[i] == '"' && i + 1 < field.size() && field[i + 1] == '"')
      ++i;
  }
  return text;
}

void ragged(const std::filesystem::path& file, std::size_t number, std::size_t columns,
            Record record) {
  std::size_t count = 0;
  for (; !record.done(); ++count)
    record.take();
  throw BadData(file, number,
                "must have " + std::to_string(columns) + " columns as the first row; got " +
                    std::to_string(count));
}

std::vector<std::string> read_header(Record record, bool& has_header) {
  std::vector<std::string> names;
  has_header = true;
  while (!record.done()) {
    const std::string_view field = record.take();
    double value = 0;
    has_header = has_header && !to_number(field, value);
    names.push_back(utf8(unquoted(field)));
  }
  if (!has_header)
    names.assign(names.size(), std::string());
  return names;
}

std::vector<std::string> own_names(const std::vector<std::string>& names) {
  std::vector<std::string> own = names;
  std::set<std::string> seen;
  for (std::size_t column = 0; column < own.size(); ++column) {
    if (own[column].empty())
      own[column] = fmt::format("x{}", column + 1);
    if (!seen.insert(own[column]).second) {
      own[column] = fmt::format("{} (column {})", own[column], column + 1);
      seen.insert(own[column]);
    }
  }
  return own;
}

} // namespace starling::io
