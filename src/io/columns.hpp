// Columns of a table by name or index, and all that keeps some of them from being numbers.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace starling::io {

/// The index of the label among the columns; `label` as in LabelChoice. Throws BadData.
std::size_t find_label(const std::filesystem::path& file, const std::string& label,
                       const std::vector<std::string>& names, bool has_header);

/// Which columns are to be left out; `drop` as in LabelChoice. Throws BadData, also when the label
/// is among them or no feature stays.
std::vector<bool> find_dropped(const std::filesystem::path& file, const std::string& drop,
                               const std::vector<std::string>& names, bool has_header,
                               std::size_t label_column);

/// Fields that are no numbers, or no labels, gathered over the whole file: whoever has to clean it
/// sees all of them at once.
class Obstacles {
public:
  explicit Obstacles(std::size_t columns) : columns_(columns) {}

  void note(std::size_t column, std::size_t line, std::string_view field);

  /// Throws BadData if there was anything: a single field with its line and column, otherwise each
  /// column with counts, first lines and what to do.
  void check(const std::filesystem::path& file, const std::vector<std::string>& names,
             std::size_t label_column, std::size_t rows) const;

private:
  struct Kind {
    std::size_t count = 0;
    std::size_t line = 0; ///< of the first
    std::string field;
  };
  struct Column {
    Kind missing, wrong;
  };
  std::vector<Column> columns_;
};

} // namespace starling::io
