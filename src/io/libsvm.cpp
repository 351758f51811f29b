// Parses LIBSVM's format: "label index:value index:value ... # comment", absent values are zero.
#include "io/errors.hpp"
#include "io/fields.hpp"
#include "io/table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace starling::io {
namespace {

/// Dense doubles beyond this (16 GiB) are a wrong index rather than data.
constexpr std::size_t most_values = std::size_t{1} << 31;

/// And so is a table with more cells than this for each value that is there, unless it is small:
/// the sparsest of the well-known sets have a few hundred.
constexpr std::size_t most_cells_per_value = 4096;
constexpr std::size_t small_table = std::size_t{1} << 20;

struct Entry {
  std::size_t row;
  std::size_t index; // from 1
  double value;
};

/// The next word of the line, which it is cut from; empty at the end.
std::string_view next_word(std::string_view& line) {
  const std::size_t first = std::min(line.find_first_not_of(" \t"), line.size());
  const std::size_t end = std::min(line.find_first_of(" \t", first), line.size());
  const std::string_view word = line.substr(first, end - first);
  line.remove_prefix(end);
  return word;
}

/// The line without its comment.
std::string_view data_part(std::string_view line) {
  return trimmed(line.substr(0, std::min(line.find('#'), line.size())));
}

Entry entry_of(std::string_view word, const std::filesystem::path& file, std::size_t line,
               std::size_t row) {
  const std::size_t colon = std::min(word.find(':'), word.size());
  const std::string_view left = word.substr(0, colon);
  Entry entry{row, 0, 0};
  const auto [stop, error] = std::from_chars(left.data(), left.data() + left.size(), entry.index);
  if (colon == word.size() || error != std::errc() || stop != left.data() + left.size())
    throw BadData(file, line, "must be index:value after the label; got " + shown(word));
  if (entry.index == 0)
    throw BadData(file, line, "index: must be at least 1; got 0");
  const std::string_view right = word.substr(colon + 1);
  if (!to_number(right, entry.value) || !std::isfinite(entry.value))
    throw BadData(file, line,
                  "index " + std::string(left) + ": must be a finite number; got " + shown(right));
  return entry;
}

} // namespace

bool looks_like_libsvm(std::string_view text) {
  constexpr int lines_to_try = 100; // rows of zeros only have a label and nothing else
  Lines lines(text);
  std::string_view line;
  for (int i = 0; i < lines_to_try && lines.next(line); ++i) {
    line = data_part(line);
    if (next_word(line).empty())
      continue;
    const std::string_view word = next_word(line);
    if (word.empty())
      continue;
    const std::size_t colon = word.find(':');
    return colon != std::string_view::npos && colon > 0 &&
           word.find_first_not_of("0123456789") == colon;
  }
  return false;
}

Table parse_libsvm(const std::filesystem::path& file, std::string_view text,
                   const LabelChoice& choice) {
  const std::string& label = choice.label;
  if (!label.empty() && label != "0" && label != "label")
    throw BadData(file, "label: LIBSVM has the label first, so remove --label or give 0; got " +
                            shown(label));
  Table table;
  table.label_name = "label";
  std::vector<Entry> entries;
  Lines lines(text);
  std::string_view line;
  while (lines.next(line)) {
    line = data_part(line);
    const std::string_view first = next_word(line);
    if (first.empty())
      continue;
    double number = 0;
    if (first.find(':') != std::string_view::npos ||
        (to_number(first, number) && !std::isfinite(number)))
      throw BadData(file, lines.number(), "must start with a label; got " + shown(first));
    std::size_t last = 0;
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
      const Entry entry = entry_of(word, file, lines.number(), table.labels.size());
      if (entry.index <= last)
        throw BadData(file, lines.number(),
                      "index: must be larger than the one before, " + std::to_string(last) +
                          "; got " + std::to_string(entry.index));
      last = entry.index;
      entries.push_back(entry);
    }
    table.columns = std::max(table.columns, last);
    table.labels.push_back(first);
  }
  table.rows = table.labels.size();
  if (table.columns > most_values / table.rows)
    throw BadData(file, "is too large as a dense table: " + std::to_string(table.rows) +
                            " rows, largest index " + std::to_string(table.columns));
  if (const std::size_t cells = table.rows * table.columns;
      cells > small_table && cells / most_cells_per_value > entries.size())
    throw BadData(file,
                  fmt::format("is too sparse for a dense table: {} rows, largest index {}, and "
                              "only {} values; at most {} cells for a value",
                              table.rows, table.columns, entries.size(), most_cells_per_value));
  if (!choice.drop.empty())
    throw BadData(file, "drop: LIBSVM has no names of columns; remove their indices from the file");
  if (!choice.category.empty() || !choice.base.empty())
    throw BadData(file, "category: LIBSVM has only numbers; write the table as csv");
  table.features.assign(table.rows * table.columns, 0.0);
  for (const Entry& entry : entries)
    table.features[entry.row * table.columns + entry.index - 1] = entry.value;
  for (std::size_t column = 0; column < table.columns; ++column)
    table.names.push_back(fmt::format("x{}", column + 1));
  for (const std::string& name : table.names)
    table.uses.push_back({name});
  return table;
}

} // namespace starling::io
