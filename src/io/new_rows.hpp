// New rows of a table that a run learned from, as it would have read them.
#pragma once

#include "io/table_use.hpp"

#include <cstddef>
#include <filesystem>
#include <vector>

namespace starling::io {

struct NewRows {
  std::vector<std::size_t> numbers; ///< of the rows in the file, from 1; some may be left out
  std::size_t columns = 0;
  std::vector<double> features; ///< rows x columns, row-major, not scaled
};

/// Reads a table by its columns' names, in any order; others, as the label, may be there too. The
/// formats are those of `load_dataset`. Throws InputMissing, or BadData that names all columns that
/// are not there, or all that have missing values, levels that the run has not seen, or no numbers.
NewRows read_new_rows(const std::filesystem::path& file, const TableUse& use, bool drop_missing);

} // namespace starling::io
