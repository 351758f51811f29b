// Rows of a delimited text as they are read: numbers, and beside them the fields that are none.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace starling::io {

/// What is read of a column.
enum class Read {
  nothing,
  label,  ///< every field, as a text
  number, ///< numbers; fields that are none as texts
  text,   ///< every field, as a text
};

/// A field that is no finite number, or of a column of texts.
struct TextField {
  std::size_t row = 0, line = 0; ///< from 0; of the file, from 1
  std::string_view text;
};

/// The texts point into the text of the file, which must outlive it.
struct RawRows {
  std::vector<std::string> names; ///< of all columns of the file; empty without a header
  bool has_header = false;
  std::vector<Read> reads; ///< of each column
  std::size_t rows = 0;
  std::size_t columns = 0;                   ///< that are read, without the label
  std::vector<double> numbers;               ///< rows x columns, row-major; NaN where a text stands
  std::vector<TextField> labels;             ///< one for each row, where a label is read
  std::vector<std::vector<TextField>> texts; ///< of each column of the file
};

/// What is to be read, told by the names of the columns.
using ChooseColumns =
    std::function<std::vector<Read>(const std::vector<std::string>& names, bool has_header)>;

/// One record per line, fields parted by one kind of separator. Throws BadData where rows are
/// ragged, or where there are none.
RawRows read_raw_rows(const std::filesystem::path& file, std::string_view text,
                      const ChooseColumns& choose);

} // namespace starling::io
