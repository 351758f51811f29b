// The parameters that have something wrong with them.
#pragma once

#include <cstddef>

namespace starling::judge {

/// How many, and the worst.
struct Suspects {
  std::size_t count = 0, worst = 0;
  double fault = 0;
  void add(std::size_t a, double how_far) {
    ++count;
    if (how_far > fault) {
      fault = how_far;
      worst = a;
    }
  }
};

} // namespace starling::judge
