// What columns turned out to be, in words.
#include "io/findings.hpp"

#include "io/columns.hpp"
#include "io/errors.hpp"
#include "io/fields.hpp"
#include "io/table.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>

#include <fmt/format.h>

namespace starling::io {
namespace {

constexpr std::size_t most_named = 30;          // columns that a message names
constexpr std::size_t most_levels = 100;        // of a column that nobody called a category
constexpr std::size_t most_levels_asked = 1000; // each is a column of its own

bool digit(char c) { return c >= '0' && c <= '9'; }

/// 2024-01-31, 31.1.2024, 1/31/24 and the like, perhaps with a time after it; or a time alone.
bool is_date(std::string_view text) {
  std::size_t at = 0, sizes[3] = {};
  char mark = 0;
  for (std::size_t part = 0; part < 3; ++part) {
    while (at < text.size() && digit(text[at])) {
      ++at;
      ++sizes[part];
    }
    if (sizes[part] == 0 || sizes[part] > 4)
      return false;
    if (part == 2)
      break;
    if (at == text.size())
      return mark == ':' && part == 1; // 12:30
    if (mark == 0)
      mark = text[at];
    if (text[at] != mark || std::string_view("-/.:").find(mark) == std::string_view::npos)
      return false;
    ++at;
  }
  const bool has_year = sizes[0] == 4 || sizes[2] == 4 || (mark != '.' && sizes[2] == 2);
  const bool ends =
      at == text.size() || text[at] == 'T' || text[at] == ' ' || (mark == ':' && text[at] == '.');
  return ends && (mark == ':' || has_year);
}

bool has_decimal_comma(std::string_view text) {
  std::string with_point(text);
  const std::size_t comma = with_point.find(',');
  if (comma == std::string::npos)
    return false;
  with_point[comma] = '.';
  double value = 0;
  return to_number(with_point, value);
}

/// The sentence of one column, without its name.
std::string words(const Finding& f, std::size_t rows) {
  std::string text = f.constant ? " is constant" : "";
  const auto add = [&](const std::string& more) { text += (text.empty() ? " " : " and ") + more; };
  if (f.refused.count > 0)
    add(fmt::format("{} of {} values are {}, the first {} in line {}", f.refused.count, rows, f.why,
                    shown(f.refused.field), f.refused.line));
  if (f.missing.count > 0)
    add(fmt::format("{} of {} values are missing, the first in line {}", f.missing.count, rows,
                    f.missing.line));
  return text;
}

/// One field is in the way, and nothing else.
[[noreturn]] void refuse_field(const std::filesystem::path& file, const Finding& f,
                               const std::string& name) {
  const std::string column = column_shown(f.column, name);
  if (f.missing.count > 0)
    throw BadData(
        file, f.missing.line,
        fmt::format("{}: 1 value is missing; add it, or drop its row: --missing drop", column));
  double value = 0;
  const char* const wanted = f.is_label                          ? "label"
                             : to_number(f.refused.field, value) ? "finite number"
                                                                 : "number";
  throw BadData(file, f.refused.line,
                fmt::format("{}: must be a {}; got {}", column, wanted, shown(f.refused.field)));
}

[[noreturn]] void refuse_constant(const std::filesystem::path& file,
                                  const std::vector<std::string>& names, bool category) {
  const bool one = names.size() == 1;
  throw BadData(file, fmt::format("{} {}: {} constant; drop {}{}", one ? "column" : "columns",
                                  fmt::join(names, ", "), one ? "is" : "are", one ? "it" : "them",
                                  category ? "" : " or use --scale none"));
}

void add_to_list(std::string& list, const std::string& name) {
  list += (list.empty() ? "" : ",") + name;
}

} // namespace

bool is_missing(std::string_view field, bool among_numbers) {
  constexpr std::array<std::string_view, 9> marks = {"",     "na", "n/a", "nan", "null",
                                                     "none", "?",  ".",   "-"};
  std::string lower(field);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  const auto found = std::ranges::find(marks, lower);
  return found - marks.begin() < (among_numbers ? 9 : 5);
}

void FieldCount::note(const TextField& one) {
  if (count++ == 0) {
    line = one.line;
    field = std::string(one.text);
  }
}

void judge_texts(const std::vector<TextField>& fields, bool asked, Finding& finding) {
  std::unordered_set<std::string_view> different;
  std::size_t dates = 0, commas = 0;
  FieldCount present;
  for (const TextField& one : fields) {
    if (is_missing(one.text, false))
      continue;
    present.note(one);
    different.insert(one.text);
    dates += is_date(one.text);
    commas += has_decimal_comma(one.text);
  }
  const std::size_t levels = different.size();
  if (asked && levels > most_levels_asked)
    finding.why = fmt::format("of {} different values (categories have at most {})", levels,
                              most_levels_asked);
  else if (asked)
    return;
  else if ((finding.dates = dates == present.count))
    finding.why = "dates";
  else if (commas == present.count)
    finding.why = "not numbers"; // 2,5 is none here
  else if (levels == present.count && levels > 2)
    finding.why = "texts, all different";
  else if (levels > most_levels)
    finding.why = fmt::format("texts of {} different values", levels);
  else
    return;
  finding.refused = std::move(present);
  finding.may_be_category =
      !asked && !finding.dates && commas < finding.refused.count && levels <= most_levels_asked;
}

std::string in_words(std::vector<Finding> findings, const std::vector<std::string>& names,
                     std::size_t rows) {
  std::ranges::sort(findings, {}, &Finding::column);
  std::string text;
  std::size_t bad = 0;
  for (const Finding& f : findings)
    if (f.in_the_way() && ++bad <= most_named)
      text += fmt::format("{}{}:{}", text.empty() ? "" : "; ",
                          column_shown(f.column, names[f.column]), words(f, rows));
  if (bad > most_named)
    text += fmt::format("; and {} more columns", bad - most_named);
  return text;
}

void refuse(const std::filesystem::path& file, const std::vector<Finding>& findings,
            const std::vector<std::string>& names, const std::string& dropped, std::size_t rows) {
  std::vector<const Finding*> bad;
  std::vector<std::string> constant;
  std::size_t fields = 0, categories = 0;
  for (const Finding& f : findings) {
    if (!f.in_the_way())
      continue;
    bad.push_back(&f);
    fields += f.missing.count + f.refused.count;
    categories += f.category;
    if (f.constant)
      constant.push_back(names[f.column].empty() ? fmt::format("x{}", f.column + 1)
                                                 : names[f.column]);
  }
  if (bad.empty())
    return;
  if (fields == 0)
    refuse_constant(file, constant, categories > 0);
  if (fields == 1 && constant.empty() && !bad[0]->dates)
    refuse_field(file, *bad[0], names[bad[0]->column]);

  const std::string text = in_words(findings, names, rows);
  if (bad.size() > most_named)
    throw BadData(file, text);
  std::string drop = dropped, category;
  bool missing = false, dates = false;
  for (const Finding* one : bad) {
    const Finding& f = *one;
    const std::string& name = names[f.column];
    missing = missing || (f.missing.count > 0 && f.missing.count < rows);
    dates = dates || f.dates;
    if (f.is_label)
      continue;
    add_to_list(drop, name.empty() ? std::to_string(f.column) : in_list(name));
    if (f.may_be_category)
      add_to_list(category, name.empty() ? std::to_string(f.column) : in_list(name));
  }
  std::vector<std::string> ways;
  if (drop != dropped)
    ways.push_back(fmt::format("drop columns: --drop '{}'", drop));
  if (missing)
    ways.push_back("drop rows with missing values: --missing drop");
  if (!category.empty())
    ways.push_back(fmt::format("read columns as categories: --category '{}'", category));
  throw BadData(file, fmt::format("{}. Fix the file{}, or {}", text,
                                  dates ? " (turn dates into numbers, such as days or months)" : "",
                                  fmt::join(ways, ", or ")));
}

} // namespace starling::io
