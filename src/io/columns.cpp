// Columns of a table by name or index, and all that keeps some of them from being numbers.
#include "io/columns.hpp"

#include "io/errors.hpp"
#include "io/fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace starling::io {
namespace {

/// `what` says for which option: "label" or "drop".
std::size_t find_column(const std::filesystem::path& file, const char* what,
                        const std::string& wanted, const std::vector<std::string>& names,
                        bool has_header) {
  const auto columns = static_cast<long long>(names.size());
  if (has_header) {
    const auto found = std::find(names.begin(), names.end(), wanted);
    if (found != names.end()) {
      if (std::find(found + 1, names.end(), wanted) != names.end())
        throw BadData(file,
                      fmt::format("{} {}: must name one column; got several", what, shown(wanted)));
      return static_cast<std::size_t>(found - names.begin());
    }
  }
  long long index = 0;
  const auto [stop, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
  if (error == std::errc::invalid_argument || stop != wanted.data() + wanted.size())
    throw BadData(file, fmt::format("{} {}{}", what, shown(wanted),
                                    has_header ? ": is not a column" + did_you_mean(wanted, names)
                                               : ": must be an index, as there is no header"));
  if (error != std::errc() || index >= columns || index < -columns)
    throw BadData(file, fmt::format("{}: must be an index from {} to {}; got {}", what, -columns,
                                    columns - 1, wanted));
  return static_cast<std::size_t>(index < 0 ? index + columns : index);
}

/// Parted by commas, but for those between double quotes; "" in quotes is a quote.
std::vector<std::string> listed(std::string_view list) {
  std::vector<std::string> names(1);
  bool quoted = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '"' && quoted && i + 1 < list.size() && list[i + 1] == '"')
      names.back() += list[++i];
    else if (list[i] == '"')
      quoted = !quoted;
    else if (list[i] == ',' && !quoted)
      names.emplace_back();
    else
      names.back() += list[i];
  }
  for (std::string& name : names)
    name = std::string(trimmed(name));
  return names;
}

/// A name as `listed` takes it.
std::string quoted(const std::string& name) {
  if (name.find_first_of(",\"") == std::string::npos)
    return name;
  std::string text = "\"";
  for (const char c : name)
    text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

/// How people and programs write that there is nothing.
bool is_missing(std::string_view field) {
  constexpr std::array<std::string_view, 9> marks = {"",     "na", "n/a", "nan", "null",
                                                     "none", "?",  ".",   "-"};
  std::string lower(field);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  return std::ranges::find(marks, lower) != marks.end();
}

} // namespace

std::size_t find_label(const std::filesystem::path& file, const std::string& label,
                       const std::vector<std::string>& names, bool has_header) {
  return label.empty() ? names.size() - 1 : find_column(file, "label", label, names, has_header);
}

std::vector<bool> find_dropped(const std::filesystem::path& file, const std::string& drop,
                               const std::vector<std::string>& names, bool has_header,
                               std::size_t label_column) {
  std::vector<bool> dropped(names.size(), false);
  if (drop.empty())
    return dropped;
  for (const std::string& name : listed(drop))
    dropped[find_column(file, "drop", name, names, has_header)] = true;
  if (dropped[label_column])
    throw BadData(file, "drop: the label is among the columns to leave out");
  if (std::ranges::count(dropped, true) + 1 == static_cast<std::ptrdiff_t>(names.size()))
    throw BadData(file, "drop: must leave a feature beside the label; got all of them");
  return dropped;
}

void Obstacles::note(std::size_t column, std::size_t line, std::string_view field) {
  Kind& kind = is_missing(field) ? columns_[column].missing : columns_[column].wrong;
  if (kind.count++ == 0) {
    kind.line = line;
    kind.field = std::string(field);
  }
}

void Obstacles::check(const std::filesystem::path& file, const std::vector<std::string>& names,
                      std::size_t label_column, std::size_t rows) const {
  constexpr std::size_t most = 30; // columns that a message names
  std::size_t all = 0, bad_columns = 0;
  std::string text, drop;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    const auto& [missing, wrong] = columns_[column];
    const std::size_t count = missing.count + wrong.count;
    all += count;
    if (count == 0 || ++bad_columns > most)
      continue;
    const bool is_label = column == label_column;
    text += fmt::format("{}{}:", text.empty() ? "" : "; ", column_shown(column, names[column]));
    if (wrong.count > 0)
      text += fmt::format(" {} of {} values are no {}, the first {} in line {}", wrong.count, rows,
                          is_label ? "labels" : "numbers", shown(wrong.field), wrong.line);
    if (missing.count > 0)
      text += fmt::format("{}{} of {} values are missing, the first in line {}",
                          wrong.count > 0 ? " and " : " ", missing.count, rows, missing.line);
    if (!is_label)
      drop += (drop.empty() ? "" : ",") +
              (names[column].empty() ? std::to_string(column) : quoted(names[column]));
  }
  if (all == 0)
    return;
  if (all == 1) {
    const auto column = static_cast<std::size_t>(
        std::ranges::find_if(columns_,
                             [](const Column& c) { return c.missing.count + c.wrong.count; }) -
        columns_.begin());
    const Kind& one =
        columns_[column].missing.count ? columns_[column].missing : columns_[column].wrong;
    double value = 0;
    const bool is_number = to_number(one.field, value);
    throw BadData(file, one.line,
                  fmt::format("{}: must be a {}; got {}", column_shown(column, names[column]),
                              column == label_column ? "label"
                              : is_number            ? "finite number"
                                                     : "number",
                              shown(one.field)));
  }
  if (bad_columns > most)
    text += fmt::format("; and {} more columns", bad_columns - most);
  if (!drop.empty() && bad_columns <= most)
    text += fmt::format(". Mend the file, or leave columns out: --drop '{}'", drop);
  throw BadData(file, text);
}

} // namespace starling::io
