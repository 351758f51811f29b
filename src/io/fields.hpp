// Lines, fields and numbers of a text, without copies.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace starling::io {

/// Walks over the lines of a text; the line end (LF or CR LF) is not part of a line.
class Lines {
public:
  explicit Lines(std::string_view text) : rest_(text) {}

  /// False at the end of the text.
  bool next(std::string_view& line);
  /// Like next(), but passes over lines that are empty or blank.
  bool next_filled(std::string_view& line);
  /// The number of the line last read, from 1.
  std::size_t number() const { return number_; }

private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

/// Without the blanks (spaces and tabs) at both ends.
std::string_view trimmed(std::string_view text);

/// The whole field as a number, also "nan" and "inf"; false if it is anything else. What is too
/// small for a double becomes 0, what is too large infinity.
bool to_number(std::string_view field, double& value);

/// A field as an error message shows it: quoted, in one line, not longer than a screen.
std::string shown(std::string_view field);

/// How a column is named in an error message, from its index (counted from 0): "column 3 (Slope)".
std::string column_shown(std::size_t index, const std::string& name);

/// The one of the names with the fewest edits (insert, delete, replace) from `wanted`, or that
/// begins with it; empty if none is near: more than a third of its letters, and more than two,
/// would change.
std::string nearest_name(std::string_view wanted, std::span<const std::string> names);

/// "; did you mean 'gaussian'?", or nothing when no name is near.
std::string did_you_mean(std::string_view wanted, std::span<const std::string> names);

} // namespace starling::io
