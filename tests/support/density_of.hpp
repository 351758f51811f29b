// A density of rows, made of one of a single row.
#pragma once

#include <starling/density.hpp>

#include <cstddef>
#include <span>

namespace starling::support {

template <typename One>
CountedDensity density_of(One one) {
  return CountedDensity([one](Rows<const double> x, Rows<double> s, std::span<double> l) {
    for (std::size_t i = 0; i < x.count; ++i)
      l[i] = one(x[i], s[i]);
  });
}

} // namespace starling::support
