// Rows of standard normal numbers for tests, by the address (seed, column, row).
#pragma once

#include <starling/frame.hpp>
#include <starling/random/philox.hpp>

#include <cstdint>

namespace starling::support {

inline Frame::Matrix normals(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  Frame::Matrix z(rows, columns);
  const Philox philox(seed);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index a = 0; a < columns; ++a)
      z(i, a) = normal_pair(philox(Stream::user, std::uint64_t(a), std::uint64_t(i)))[0];
  return z;
}

} // namespace starling::support
