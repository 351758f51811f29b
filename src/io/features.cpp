// Features from rows as they were read: numbers, categories, rows left out.
#include "io/any_text.hpp"
#include "io/columns.hpp"
#include "io/errors.hpp"
#include "io/fields.hpp"
#include "io/findings.hpp"
#include "io/record.hpp"
#include "io/table.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

namespace starling::io {
namespace {

/// Levels in their order: as numbers where all are numbers, "2" and "2.0" being one.
std::vector<std::string> in_order(const std::set<std::string>& levels) {
  std::vector<std::pair<double, std::string>> numbers;
  for (const std::string& level : levels)
    if (double value = 0; to_number(level, value))
      numbers.emplace_back(value, level);
  if (numbers.size() < levels.size())
    return {levels.begin(), levels.end()};
  std::ranges::sort(numbers);
  std::vector<std::string> ordered;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (i == 0 || numbers[i].first > numbers[i - 1].first)
      ordered.push_back(numbers[i].second);
  return ordered;
}

/// Works through the columns of one table.
class Features {
public:
  Features(const std::filesystem::path& file, RawRows& raw, const LabelChoice& choice)
      : file_(file), raw_(raw), choice_(choice), names_(own_names(raw.names)),
        leave_out_(raw.rows) {}

  Table made() {
    look_at_label();
    for (std::size_t column = 0; column < raw_.names.size(); ++column)
      if (raw_.reads[column] == Read::number || raw_.reads[column] == Read::text)
        look_at(column);
    for (std::size_t place = 0; place < uses_.size(); ++place)
      look_at_rows_left(place);
    refuse(file_, findings_, raw_.names, utf8(choice_.drop), raw_.rows);
    choose_bases();
    return table();
  }

private:
  void look_at_label() {
    Finding found;
    found.column =
        static_cast<std::size_t>(std::ranges::find(raw_.reads, Read::label) - raw_.reads.begin());
    found.is_label = true;
    found.why = "no labels";
    for (const TextField& one : raw_.labels) {
      double value = 0;
      if (is_missing(one.text, false))
        note_missing(one, found);
      else if (to_number(one.text, value) && !std::isfinite(value))
        found.refused.note(one);
    }
    findings_.push_back(std::move(found));
  }

  /// Numbers or texts, and what is missing or wrong.
  void look_at(std::size_t column) {
    const std::vector<TextField>& texts = raw_.texts[column];
    const bool asked = raw_.reads[column] == Read::text;
    Finding found;
    found.column = column;
    bool numbers = texts.size() < raw_.rows, others = false;
    double value = 0;
    for (const TextField& one : texts)
      if (!is_missing(one.text, true)) {
        others = true;
        numbers = numbers || to_number(one.text, value);
      }
    found.category = asked || (others && !numbers);
    found.why = "not numbers";
    for (const TextField& one : texts)
      if (is_missing(one.text, !found.category))
        note_missing(one, found);
      else if (!found.category)
        found.refused.note(one);
    found.may_be_category = found.refused.count > 0;
    if (found.category)
      judge_texts(texts, asked, found);
    if (found.missing.count == 0 && missing_everywhere(texts, !found.category))
      for (const TextField& one : texts) // no row would be left
        found.missing.note(one);
    findings_.push_back(std::move(found));
    uses_.push_back({names_[column]});
  }

  bool missing_everywhere(const std::vector<TextField>& texts, bool among_numbers) const {
    return texts.size() == raw_.rows && std::ranges::all_of(texts, [&](const TextField& one) {
             return is_missing(one.text, among_numbers);
           });
  }

  void note_missing(const TextField& one, Finding& found) {
    if (choice_.drop_missing)
      leave_out_[one.row] = true;
    else
      found.missing.note(one);
  }

  /// Levels, and what is constant: known when all columns have said which rows are left out.
  void look_at_rows_left(std::size_t place) {
    Finding& found = findings_[place + 1]; // the label is the first
    if (found.category && found.refused.count == 0) {
      std::set<std::string> levels;
      for (const TextField& one : raw_.texts[found.column])
        if (!leave_out_[one.row] && !is_missing(one.text, false))
          levels.insert(text_of(one));
      uses_[place].levels = in_order(levels);
      found.constant = levels.size() < 2 && found.missing.count < raw_.rows;
    } else if (!found.category && choice_.refuse_constant && found.missing.count < raw_.rows) {
      double first = NAN;
      std::size_t row = 0, seen = 0;
      for (; row < raw_.rows; ++row)
        if (const double value = raw_.numbers[row * raw_.columns + place];
            !leave_out_[row] && !std::isnan(value)) {
          first = ++seen == 1 ? value : first;
          if (!(std::abs(value / 2 - first / 2) > 0)) // halves: as `scale` has it
            continue;
          break;
        }
      found.constant = row == raw_.rows && found.refused.count == 0 && seen > 1;
    }
  }

  static std::string text_of(const TextField& one) { return utf8(unquoted(one.text)); }

  void choose_bases() {
    for (const auto& [column, level] :
         find_bases(file_, utf8(choice_.base), raw_.names, raw_.has_header)) {
      const auto found = std::ranges::find(findings_, column, &Finding::column);
      if (found == findings_.end() || !found->category)
        throw BadData(file_, fmt::format("base: {} is not a column of categories{}", names_[column],
                                         found == findings_.end() || found->is_label
                                             ? ""
                                             : "; --category makes it one"));
      ColumnUse& use = uses_[static_cast<std::size_t>(found - findings_.begin()) - 1];
      const auto place = use.level(level);
      if (!place)
        throw BadData(file_, fmt::format("base: {} has no level {}{}", use.name, shown(level),
                                         did_you_mean(level, use.levels)));
      const auto first = use.levels.begin();
      std::rotate(first, first + std::ptrdiff_t(*place), first + std::ptrdiff_t(*place) + 1);
    }
  }

  Table table() {
    Table made;
    made.label_column = findings_[0].column;
    made.label_name = names_[made.label_column];
    for (std::size_t column = 0; column < names_.size(); ++column)
      if (raw_.reads[column] == Read::nothing)
        made.dropped.push_back(names_[column]);
    made.left_out = static_cast<std::size_t>(std::ranges::count(leave_out_, true));
    made.rows = raw_.rows - made.left_out;
    if (made.rows == 0)
      throw BadData(file_,
                    "has a missing value in every row; fix the file, or drop columns with --drop");
    for (const TextField& label : raw_.labels)
      if (!leave_out_[label.row])
        made.labels.push_back(label.text);
    TableUse names;
    names.columns = uses_;
    made.names = own_names(names.feature_names());
    made.columns = made.names.size();
    fill(made);
    made.uses = std::move(uses_);
    return made;
  }

  void fill(Table& made) {
    if (made.columns == raw_.columns && made.left_out == 0 &&
        std::ranges::all_of(uses_, [](const ColumnUse& use) { return use.levels.empty(); })) {
      made.features = std::move(raw_.numbers);
      return;
    }
    made.features.assign(made.rows * made.columns, 0.0);
    std::vector<std::size_t> row_of(raw_.rows); // in the table
    for (std::size_t row = 0, kept = 0; row < raw_.rows; ++row)
      row_of[row] = leave_out_[row] ? raw_.rows : kept++;
    std::size_t at = 0;
    for (std::size_t place = 0; place < uses_.size(); at += uses_[place++].features()) {
      const ColumnUse& use = uses_[place];
      if (use.levels.empty()) {
        for (std::size_t row = 0; row < raw_.rows; ++row)
          if (row_of[row] < raw_.rows)
            made.features[row_of[row] * made.columns + at] =
                raw_.numbers[row * raw_.columns + place];
        continue;
      }
      std::unordered_map<std::string_view, std::size_t> levels; // of texts as they stand
      for (const TextField& one : raw_.texts[findings_[place + 1].column]) {
        if (row_of[one.row] == raw_.rows)
          continue;
        const auto [known, is_new] = levels.try_emplace(one.text, 0);
        if (is_new)
          known->second = *use.level(text_of(one));
        if (known->second > 0)
          made.features[row_of[one.row] * made.columns + at + known->second - 1] = 1;
      }
    }
  }

  const std::filesystem::path& file_;
  RawRows& raw_;
  const LabelChoice& choice_;
  std::vector<std::string> names_;
  std::vector<bool> leave_out_;
  std::vector<Finding> findings_; // of the label, then of each feature column
  std::vector<ColumnUse> uses_;   // of the feature columns
};

} // namespace

Table features_of(const std::filesystem::path& file, RawRows raw, const LabelChoice& choice) {
  return Features(file, raw, choice).made();
}

} // namespace starling::io
