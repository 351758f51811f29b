// Reads new rows by what a run kept of its table.
#include "io/new_rows.hpp"

#include "io/any_text.hpp"
#include "io/errors.hpp"
#include "io/findings.hpp"
#include "io/record.hpp"
#include "io/table.hpp"
#include "io/text.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace starling::io {
namespace {

/// Where the columns that the run learned from are in this file.
std::vector<std::size_t> find_used(const std::filesystem::path& file, const TableUse& use,
                                   const std::vector<std::string>& names) {
  std::vector<std::size_t> places;
  std::vector<std::string> absent;
  for (const ColumnUse& column : use.columns) {
    const auto found = std::ranges::find(names, column.name);
    if (found == names.end())
      absent.push_back(column.name);
    places.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  if (!absent.empty())
    throw BadData(file, fmt::format("has no column {}; the run learned from {}",
                                    fmt::join(absent, ", "), absent.size() == 1 ? "it" : "them"));
  return places;
}

/// What is in the way of a column, and which rows are left out for it.
Finding look_at_new(const ColumnUse& use, std::size_t column, const std::vector<TextField>& texts,
                    bool drop_missing, std::vector<bool>& leave_out) {
  Finding found;
  found.column = column;
  found.category = !use.levels.empty();
  found.why = found.category
                  ? fmt::format("not a level of the run ({})", fmt::join(use.levels, ", "))
                  : "not numbers";
  for (const TextField& one : texts) {
    if (found.category && use.level(utf8(unquoted(one.text))))
      continue;
    if (!is_missing(one.text, !found.category))
      found.refused.note(one);
    else if (drop_missing)
      leave_out[one.row] = true;
    else
      found.missing.note(one);
  }
  return found;
}

void refuse_new(const std::filesystem::path& file, const std::vector<Finding>& findings,
                const std::vector<std::string>& names, std::size_t rows) {
  if (std::ranges::none_of(findings, &Finding::in_the_way))
    return;
  const bool missing =
      std::ranges::any_of(findings, [](const Finding& f) { return f.missing.count > 0; });
  throw BadData(file, in_words(findings, names, rows) +
                          (missing ? "; --missing drop drops rows with missing values" : ""));
}

/// Absent values are zero; the label before them is not looked at.
NewRows new_libsvm_rows(const std::filesystem::path& file, const std::string& text,
                        const TableUse& use) {
  const Table table = parse_libsvm(file, text, {});
  if (table.columns > use.columns.size())
    throw BadData(file, fmt::format("must have indices up to {}, as the run's table; got {}",
                                    use.columns.size(), table.columns));
  NewRows made;
  made.numbers.resize(table.rows);
  std::iota(made.numbers.begin(), made.numbers.end(), std::size_t{1});
  made.columns = use.columns.size();
  made.features.assign(table.rows * made.columns, 0.0);
  for (std::size_t row = 0; row < table.rows; ++row)
    std::copy_n(table.features.begin() + std::ptrdiff_t(row * table.columns), table.columns,
                made.features.begin() + std::ptrdiff_t(row * made.columns));
  return made;
}

} // namespace

NewRows read_new_rows(const std::filesystem::path& file, const TableUse& use, bool drop_missing) {
  const std::string text = read_text(file);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw BadData(file, "is empty");
  if (looks_like_libsvm(text))
    return new_libsvm_rows(file, text, use);

  std::vector<std::size_t> places; // of the columns in use
  const RawRows raw = read_raw_rows(file, text, [&](const auto& header, bool) {
    places = find_used(file, use, own_names(header));
    std::vector<Read> reads(header.size(), Read::nothing);
    for (std::size_t c = 0; c < places.size(); ++c)
      reads[places[c]] = use.columns[c].levels.empty() ? Read::number : Read::text;
    return reads;
  });
  std::vector<bool> leave_out(raw.rows);
  std::vector<Finding> findings;
  for (std::size_t c = 0; c < places.size(); ++c)
    findings.push_back(
        look_at_new(use.columns[c], places[c], raw.texts[places[c]], drop_missing, leave_out));
  refuse_new(file, findings, raw.names, raw.rows);

  NewRows made;
  std::vector<std::size_t> row_of(raw.rows, raw.rows);
  for (std::size_t row = 0; row < raw.rows; ++row)
    if (!leave_out[row]) {
      row_of[row] = made.numbers.size();
      made.numbers.push_back(row + 1);
    }
  made.columns = use.feature_names().size();
  made.features.assign(made.numbers.size() * made.columns, 0.0);
  std::size_t at = 0;
  for (std::size_t c = 0; c < places.size(); at += use.columns[c++].features()) {
    const ColumnUse& column = use.columns[c];
    // Columns lie in the order of the file among those that are read.
    const auto among = static_cast<std::size_t>(
        std::ranges::count_if(places, [&](std::size_t place) { return place < places[c]; }));
    if (column.levels.empty())
      for (std::size_t row = 0; row < raw.rows; ++row)
        if (!leave_out[row])
          made.features[row_of[row] * made.columns + at] = raw.numbers[row * raw.columns + among];
    for (const TextField& one : raw.texts[places[c]])
      if (!column.levels.empty() && !leave_out[one.row])
        if (const std::size_t level = *column.level(utf8(unquoted(one.text))); level > 0)
          made.features[row_of[one.row] * made.columns + at + level - 1] = 1;
  }
  return made;
}

} // namespace starling::io
