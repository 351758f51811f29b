// The part that one kernel has in a drift: all of it, or a weighted term of a sum.
#pragma once

namespace starling {

/// The drift is linear in the kernel, so a sum of kernels is a sum of drifts: the first term is
/// written, the others are added to what the drift column holds.
template <typename Real>
struct Part {
  Real weight = 1;
  bool added = false;

  void put(Real& to, Real value) const { to = added ? to + value : value; }
};

} // namespace starling
