// Lines, fields and numbers of a text, without copies.
#include "io/fields.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <vector>

#include <fmt/format.h>

namespace starling::io {
namespace {

/// Levenshtein's distance, case ignored at a lower price; of at least `limit`, any such number. O(a
/// b).
std::size_t edits(std::string_view a, std::string_view b, std::size_t limit) {
  if (const std::size_t longer = std::max(a.size(), b.size()) - std::min(a.size(), b.size());
      4 * longer >= limit)
    return limit;
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j)
    row[j] = 4 * j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0], least = row[0] = 4 * (i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = a[i] == b[j] ? 0 : lower(a[i]) == lower(b[j]) ? 1 : 4;
      const std::size_t here = std::min({row[j + 1] + 4, row[j] + 4, diagonal + change});
      diagonal = row[j + 1];
      row[j + 1] = here;
      least = std::min(least, here);
    }
    if (least >= limit) // it never falls again
      return limit;
  }
  return row.back();
}

} // namespace

bool Lines::next(std::string_view& line) {
  if (rest_.empty())
    return false;
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  line = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  if (line.ends_with('\r'))
    line.remove_suffix(1);
  ++number_;
  return true;
}

bool Lines::next_filled(std::string_view& line) {
  while (next(line))
    if (line.find_first_not_of(" \t") != std::string_view::npos)
      return true;
  return false;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool to_number(std::string_view field, double& value) {
  if (field.size() > 1 && field[0] == '+' && field[1] != '-')
    field.remove_prefix(1); // from_chars knows no plus
  const char* const end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, value);
  if (field.empty() || stop != end || error == std::errc::invalid_argument)
    return false;
  if (error == std::errc::result_out_of_range) {
    const bool tiny = field.find_first_of("eE") != std::string_view::npos &&
                      field.find("-", field.find_first_of("eE")) != std::string_view::npos;
    value = tiny ? 0.0 : std::numeric_limits<double>::infinity();
  }
  return true;
}

std::string shown(std::string_view field) {
  constexpr std::size_t most = 40;
  std::string text(field.substr(0, most));
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 32 || c == 127)
      c = '?';
  return fmt::format("'{}{}'", text, field.size() > most ? "..." : "");
}

std::string column_shown(std::size_t index, const std::string& name) {
  return name.empty() ? fmt::format("column {}", index + 1)
                      : fmt::format("column {} ({})", index + 1, name);
}

std::string nearest_name(std::string_view wanted, std::span<const std::string> names) {
  std::string nearest;
  std::size_t fewest = 4 * std::max<std::size_t>(2, wanted.size() / 3) + 1; // an edit counts 4
  for (const std::string& name : names) {
    const bool begun = wanted.size() >= 2 && name.starts_with(wanted);
    const std::size_t count = begun ? 1 : edits(wanted, name, fewest);
    if (count < fewest) {
      fewest = count;
      nearest = name;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view wanted, std::span<const std::string> names) {
  const std::string nearest = nearest_name(wanted, names);
  return nearest.empty() ? std::string() : fmt::format("; did you mean {}?", shown(nearest));
}

} // namespace starling::io
