// Reads records parted by commas, semicolons, tabs or blanks, with or without a header.
#include "io/raw_rows.hpp"

#include "io/record.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace starling::io {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// One field of a feature: a number, or a text that is noted.
double take_feature(Record& record, bool as_text, std::size_t row, std::size_t line,
                    std::vector<TextField>& texts) {
  double value = 0;
  if (!as_text && record.take_number(value))
    return value;
  const std::string_view field = record.take(); // quoted, padded, signed with a plus, or no number
  if (!as_text && to_number(field, value) && std::isfinite(value))
    return value;
  texts.push_back({row, line, field});
  return not_a_number;
}

} // namespace

RawRows read_raw_rows(const std::filesystem::path& file, std::string_view text,
                      const ChooseColumns& choose) {
  Lines lines(text);
  std::string_view line;
  lines.next_filled(line);
  const char separator = find_separator(line);
  RawRows raw;
  raw.names = read_header(Record(file, lines.number(), line, separator), raw.has_header);
  raw.reads = choose(raw.names, raw.has_header);
  if (raw.has_header && !lines.next_filled(line))
    throw BadData(file, "must have rows; got a header only");

  const std::size_t width = raw.names.size();
  raw.columns = static_cast<std::size_t>(std::ranges::count_if(
      raw.reads, [](Read read) { return read == Read::number || read == Read::text; }));
  const auto most_rows = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  // A value has a letter and a separator at least: blank lines must not ask for room.
  raw.numbers.reserve(std::min(most_rows * raw.columns, text.size() / 2 + 1));
  raw.texts.resize(width);
  do {
    Record record(file, lines.number(), line, separator);
    std::size_t column = 0;
    for (; !record.done() && column < width; ++column) {
      if (raw.reads[column] == Read::nothing)
        record.take();
      else if (raw.reads[column] == Read::label)
        raw.labels.push_back({raw.rows, lines.number(), record.take()});
      else
        raw.numbers.push_back(take_feature(record, raw.reads[column] == Read::text, raw.rows,
                                           lines.number(), raw.texts[column]));
    }
    if (column != width || !record.done())
      ragged(file, lines.number(), width, Record(file, lines.number(), line, separator));
    ++raw.rows;
  } while (lines.next_filled(line));
  return raw;
}

} // namespace starling::io
