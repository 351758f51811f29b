// The bandwidth that follows from the two squared distances in the middle.
#pragma once

#include <starling/device.hpp>

#include <cmath>

namespace starling::kernel {

/// h = med^2 / (2 log N), med the mean of the two middle distances; 1 where that is no length.
template <typename Real>
STARLING_DEVICE Real bandwidth_from(Real lower, Real upper, Real population) {
  const Real median = (std::sqrt(lower) + std::sqrt(upper)) / 2;
  const Real h = median * median / (2 * std::log(population));
  return h > 0 && std::isfinite(h) ? h : Real(1);
}

} // namespace starling::kernel
