// Between the matrix products of a large batch, for one SIMD level: lanes are columns. See
// lanes.hpp for how it is compiled.
#pragma once

#include "cpu/lanes.hpp"
#include "cpu/product_work.hpp"

#include <type_traits>

namespace starling::cpu::STARLING_LEVEL {

template <typename Real>
HWY_FLATTEN void block_distances(Real* pairs, std::size_t rows, std::size_t columns,
                                 const Real* row_squares, const Real* column_squares) {
  for (std::size_t r = 0; r < rows; ++r, pairs += columns) {
    const Real square = row_squares[r];
    map<4>(
        pairs, columns,
        [&](const auto& product, const auto& other) STARLING_INLINE {
          using L = std::decay_t<decltype(product)>;
          return at_least((L(square) + other) + product, Real(0));
        },
        pairs, column_squares);
  }
}

/// Rows [r, r + Rows): each number is read once for both sums.
template <std::size_t Rows, typename Real>
HWY_INLINE void block_sums_of(const Real* pairs, std::size_t columns, Real* of_rows,
                              Real* of_columns) {
  using L = Lanes<Real>;
  L across[Rows];
  for (std::size_t r = 0; r < Rows; ++r)
    across[r] = L(Real(0));
  std::size_t c = 0;
  for (; c + L::count <= columns; c += L::count) {
    L down = L::load(of_columns + c);
    for (std::size_t r = 0; r < Rows; ++r) {
      const L here = L::load(pairs + r * columns + c);
      across[r] = across[r] + here;
      down = down + here;
    }
    down.store(of_columns + c);
  }
  for (std::size_t r = 0; r < Rows; ++r) {
    of_rows[r] = across[r].sum();
    for (std::size_t rest = c; rest < columns; ++rest) {
      of_rows[r] += pairs[r * columns + rest];
      of_columns[rest] += pairs[r * columns + rest];
    }
  }
}

template <typename Real>
HWY_FLATTEN void block_sums(const Real* pairs, std::size_t rows, std::size_t columns, Real* of_rows,
                            Real* of_columns) {
  for (std::size_t c = 0; c < columns; ++c)
    of_columns[c] = 0;
  std::size_t r = 0;
  for (; r + 8 <= rows; r += 8)
    block_sums_of<8>(pairs + r * columns, columns, of_rows + r, of_columns);
  for (; r < rows; ++r)
    block_sums_of<1>(pairs + r * columns, columns, of_rows + r, of_columns);
}

} // namespace starling::cpu::STARLING_LEVEL
