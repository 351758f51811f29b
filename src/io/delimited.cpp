// Parses records parted by commas, semicolons, tabs or blanks, with or without a header.
#include "io/any_text.hpp"
#include "io/columns.hpp"
#include "io/errors.hpp"
#include "io/fields.hpp"
#include "io/table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <set>

#include <fmt/format.h>

namespace starling::io {
namespace {

constexpr char blanks = ' '; // stands for any run of spaces and tabs

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Takes the fields of one line, one after the other.
class Record {
public:
  Record(const std::filesystem::path& file, std::size_t number, std::string_view line,
         char separator)
      : file_(file), number_(number), at_(line.data()), end_(at_ + line.size()),
        separator_(separator) {
    if (separator == blanks) {
      line = trimmed(line);
      at_ = line.data();
      end_ = at_ + line.size();
    }
  }

  /// Past the last field.
  bool done() const { return done_; }

  /// The next field without its quotes and without the blanks around it.
  std::string_view take() {
    skip_padding();
    std::string_view field;
    if (at_ != end_ && *at_ == '"') {
      const char* close = std::find(at_ + 1, end_, '"');
      while (close != end_ && close + 1 != end_ && close[1] == '"')
        close = std::find(close + 2, end_, '"');
      if (close == end_)
        throw BadData(file_, number_, "must close every quote on its line");
      field = std::string_view(at_ + 1, static_cast<std::size_t>(close - at_ - 1));
      at_ = close + 1;
      skip_padding();
      if (at_ != end_ && !at_separator())
        throw BadData(file_, number_,
                      "must have a separator after a closing quote; got " +
                          shown(std::string_view(at_, 1)));
    } else {
      const char* const first = at_;
      while (at_ != end_ && !at_separator())
        ++at_;
      field = trimmed(std::string_view(first, static_cast<std::size_t>(at_ - first)));
    }
    step_over();
    return field;
  }

  /// The fast path: a bare finite number that fills its field. Otherwise false, and nothing taken.
  bool take_number(double& value) {
    constexpr int exact_digits = 15; // any integer of 15 digits is a double
    const char* p = at_;
    const bool negative = p != end_ && *p == '-';
    p += negative;
    const char* const digits = p;
    long long whole = 0;
    while (p != end_ && *p >= '0' && *p <= '9' && p - digits < exact_digits)
      whole = 10 * whole + (*p++ - '0');
    if (p == digits || (p != end_ && !is_separator(*p))) {
      const auto [stop, error] = std::from_chars(at_, end_, value);
      if (error != std::errc() || (stop != end_ && !is_separator(*stop)) || !std::isfinite(value))
        return false;
      p = stop;
    } else {
      value = static_cast<double>(whole);
      if (negative)
        value = -value;
    }
    at_ = p;
    step_over();
    return true;
  }

private:
  bool is_separator(char c) const { return separator_ == blanks ? is_blank(c) : c == separator_; }
  bool at_separator() const { return is_separator(*at_); }
  void skip_padding() {
    while (at_ != end_ && is_blank(*at_) && *at_ != separator_)
      ++at_;
  }
  void step_over() {
    done_ = at_ == end_;
    if (done_)
      return;
    ++at_;
    if (separator_ == blanks)
      while (at_ != end_ && is_blank(*at_))
        ++at_;
  }

  const std::filesystem::path& file_;
  std::size_t number_;
  const char* at_;
  const char* end_;
  char separator_;
  bool done_ = false;
};

/// The one that occurs most often outside quotes in the first line. A semicolon wins a tie, because
/// decimal commas come with it; blanks count only when there is nothing else.
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

[[noreturn]] void ragged(const std::filesystem::path& file, std::size_t number, std::size_t columns,
                         Record record) {
  std::size_t count = 0;
  for (; !record.done(); ++count)
    record.take();
  throw BadData(file, number,
                "must have " + std::to_string(columns) + " columns as the first row; got " +
                    std::to_string(count));
}

/// Reads the columns of the first line: their names, if it is a header, or empty names.
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

} // namespace

Table parse_delimited(const std::filesystem::path& file, std::string_view text,
                      const std::string& label, const std::string& drop) {
  Lines lines(text);
  std::string_view line;
  lines.next_filled(line);
  const char separator = find_separator(line);
  bool has_header = false;
  std::vector<std::string> names =
      read_header(Record(file, lines.number(), line, separator), has_header);
  const std::size_t width = names.size();
  Table table;
  table.label_column = find_label(file, utf8(label), names, has_header);
  if (width < 2)
    throw BadData(file, "must have a feature beside the label; got one column");
  const std::vector<bool> dropped =
      find_dropped(file, utf8(drop), names, has_header, table.label_column);
  if (has_header && !lines.next_filled(line))
    throw BadData(file, "must have rows; got a header only");

  table.columns = width - 1 - static_cast<std::size_t>(std::ranges::count(dropped, true));
  const auto most_rows = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  // A value has a letter and a separator at least: blank lines must not ask for room.
  table.features.reserve(std::min(most_rows * table.columns, text.size() / 2 + 1));
  table.labels.reserve(most_rows);
  Obstacles obstacles(width);
  do {
    Record record(file, lines.number(), line, separator);
    std::size_t column = 0;
    for (; !record.done(); ++column) {
      double value = 0;
      if (column == width)
        break;
      if (column == table.label_column) {
        const std::string_view field = record.take();
        if (field.empty() || (to_number(field, value) && !std::isfinite(value)))
          obstacles.note(column, lines.number(), field);
        table.labels.push_back(field);
      } else if (dropped[column]) {
        record.take();
      } else {
        if (!record.take_number(value)) { // quoted, padded, signed with a plus, or no number
          const std::string_view field = record.take();
          if (!to_number(field, value) || !std::isfinite(value))
            obstacles.note(column, lines.number(), field);
        }
        table.features.push_back(value);
      }
    }
    if (column != width || !record.done())
      ragged(file, lines.number(), width, Record(file, lines.number(), line, separator));
  } while (lines.next_filled(line));
  obstacles.check(file, names, table.label_column, table.labels.size());
  table.rows = table.labels.size();

  std::set<std::string> seen;
  for (std::size_t column = 0; column < width; ++column) {
    if (names[column].empty())
      names[column] = fmt::format("x{}", column + 1);
    if (!seen.insert(names[column]).second) {
      names[column] = fmt::format("{} (column {})", names[column], column + 1);
      seen.insert(names[column]);
    }
    if (column == table.label_column)
      table.label_name = names[column];
    else
      (dropped[column] ? table.dropped : table.names).push_back(names[column]);
  }
  return table;
}

} // namespace starling::io
