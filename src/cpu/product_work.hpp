// What stands between the matrix products of a large batch, as plain numbers and pointers.
#pragma once

#include <cstddef>

namespace starling::cpu {

/// Passes over the pairs of two blocks: rows x columns numbers, row by row.
template <typename Real>
struct ProductWork {
  /// From -2 x.y to r2, which is never below zero.
  void (*distances)(Real* pairs, std::size_t rows, std::size_t columns, const Real* row_squares,
                    const Real* column_squares);
  /// The sums of all rows and of all columns.
  void (*sums)(const Real* pairs, std::size_t rows, std::size_t columns, Real* of_rows,
               Real* of_columns);
};

} // namespace starling::cpu
