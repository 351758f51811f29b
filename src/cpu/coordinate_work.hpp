// What a kernel for each coordinate needs in vectors, as plain numbers and pointers.
#pragma once

#include <cstddef>

namespace starling::cpu {

/// Numbers that meet one to one: number n of x and number n of y are the same coordinate of two
/// members of a batch. Adds weight * sy + push to at_x, and weight * sx - push to at_y where that
/// is given.
template <typename Real>
struct CoordinatePairs {
  const Real *x, *y, *sx, *sy;
  const Real* q; ///< the cloud's precision along the coordinate of each number
  Real *at_x, *at_y;
  std::size_t count;
};

template <typename Real, typename K>
struct CoordinateWork {
  void (*pairs)(const K&, const CoordinatePairs<Real>&);
};

} // namespace starling::cpu
