// Rows that lie apart, copied side by side, and back.
#pragma once

#include <starling/rows.hpp>

#include <cstdint>
#include <cstring>
#include <span>

namespace starling::mpi {

namespace packing {

/// Calls copy(bytes) with the size of a row, as a constant where rows are short: a call of the
/// library for each of them would cost more than the copy.
template <typename Real, typename Copy>
void with_size(std::size_t dim, Copy&& copy) {
  const auto constant = [&]<std::size_t Dim>() {
    copy([](auto* to, const auto* from) { std::memcpy(to, from, Dim * sizeof(Real)); });
  };
  switch (dim) {
  case 1:
    return constant.template operator()<1>();
  case 2:
    return constant.template operator()<2>();
  case 3:
    return constant.template operator()<3>();
  case 4:
    return constant.template operator()<4>();
  default:
    return copy([dim](auto* to, const auto* from) { std::memcpy(to, from, dim * sizeof(Real)); });
  }
}

} // namespace packing

/// Row n behind `to` becomes row rows[n] of the column. Returns the end.
template <typename Real>
Real* pack(Rows<const Real> column, std::span<const std::uint32_t> rows, Real* to) {
  packing::with_size<Real>(column.dim, [&](const auto& copy) {
    for (std::size_t n = 0; n < rows.size(); ++n)
      copy(to + n * column.dim, column.data + rows[n] * column.dim);
  });
  return to + rows.size() * column.dim;
}

/// Row rows[n] of the column becomes row n behind `from`. Returns the end.
template <typename Real>
const Real* unpack(const Real* from, std::span<const std::uint32_t> rows, Rows<Real> column) {
  packing::with_size<Real>(column.dim, [&](const auto& copy) {
    for (std::size_t n = 0; n < rows.size(); ++n)
      copy(column.data + rows[n] * column.dim, from + n * column.dim);
  });
  return from + rows.size() * column.dim;
}

} // namespace starling::mpi
