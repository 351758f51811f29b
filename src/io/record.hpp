// Records of a delimited text: one a line, fields parted by one kind of separator.
#pragma once

#include "io/errors.hpp"
#include "io/fields.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace starling::io {

inline constexpr char blanks = ' '; // stands for any run of spaces and tabs

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

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
        throw BadData(file_, number_, "has an open quote at the end of the line");
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
char find_separator(std::string_view line);

/// A field without the doubling of quotes inside it.
std::string unquoted(std::string_view field);

/// Throws BadData: this record has not as many fields as the first.
[[noreturn]] void ragged(const std::filesystem::path& file, std::size_t number, std::size_t columns,
                         Record record);

/// Reads the columns of the first line: their names, if it is a header, or empty names.
std::vector<std::string> read_header(Record record, bool& has_header);

/// A name for each column: its own, "x3" where it has none, "NAME (column 5)" where another has it.
std::vector<std::string> own_names(const std::vector<std::string>& names);

} // namespace starling::io
