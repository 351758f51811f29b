// Rows that are packed for the wire are those that were asked for, in that order, and go back where
// they were.
#include "mpi/packing.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace starling {
namespace {

template <typename Real>
void expect_packed(std::size_t dim) {
  std::vector<Real> column(9 * dim);
  std::iota(column.begin(), column.end(), Real(1));
  const std::vector<std::uint32_t> rows = {8, 0, 3, 4, 5, 2};
  std::vector<Real> packed(rows.size() * dim), back(column.size());
  EXPECT_EQ(mpi::pack<Real>({column.data(), 9, dim}, rows, packed.data()),
            packed.data() + packed.size());
  const Rows<Real> to{back.data(), 9, dim};
  EXPECT_EQ(mpi::unpack<Real>(packed.data(), rows, to), packed.data() + packed.size());
  for (std::size_t n = 0; n < rows.size(); ++n)
    for (std::size_t a = 0; a < dim; ++a) {
      EXPECT_EQ(packed[n * dim + a], column[rows[n] * dim + a]);
      EXPECT_EQ(to[rows[n]][a], column[rows[n] * dim + a]);
    }
  for (const std::size_t untouched : {1u, 6u, 7u})
    EXPECT_EQ(to[untouched][0], 0);
}

TEST(Packing, CopiesRowsOfEveryLength) {
  for (const std::size_t dim : {1, 2, 3, 4, 5, 56}) {
    SCOPED_TRACE(dim);
    expect_packed<double>(dim);
    expect_packed<float>(dim);
  }
}

} // namespace
} // namespace starling
