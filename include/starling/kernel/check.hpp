// The checks that kernel constructors share.
#pragma once

#include <starling/device.hpp>
#include <starling/error.hpp>

#include <cmath>
#include <string>

namespace starling::kernel {

template <typename Real>
Real positive(const char* what, Real value) {
  if (!(value > 0) || !std::isfinite(value))
    reject(what, "a positive finite number", shown(static_cast<double>(value)));
  return value;
}

} // namespace starling::kernel
