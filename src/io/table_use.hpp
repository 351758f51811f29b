// How the columns of a table became features: what a run keeps of its table, and what new rows are
// read by.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace starling::io {

/// A column of numbers is a feature as it is. One of categories is a feature for each level but
/// the base: 1 in rows of that level, else 0.
struct ColumnUse {
  std::string name;
  std::vector<std::string> levels = {}; ///< the base first, then the others in order; none: numbers

  std::size_t features() const { return levels.empty() ? 1 : levels.size() - 1; }
  /// The place of a level; nothing where it is none. "2" is "2.0".
  std::optional<std::size_t> level(std::string_view text) const;
};

struct TableUse {
  std::string label;                ///< the name of its column
  std::vector<std::string> classes; ///< what the labels 0, 1, ... stand for, where they are classes
  std::vector<ColumnUse> columns;   ///< of the features, in the order of the file
  std::size_t rows = 0, left_out = 0; ///< that were read; besides, left out for missing values

  std::vector<std::string> feature_names() const; ///< "age", "city=Oslo"
};

/// As `table` of summary.json has it, and the way back. Throws BadData where the text is something
/// else.
std::string to_json_text(const TableUse& use);
TableUse table_use_of(const std::string& json);

} // namespace starling::io
