// Polynomial kernel: K = (a x.y + 1)^m.
#pragma once

#include <starling/kernel/check.hpp>
#include <starling/kernel/concepts.hpp>

namespace starling::kernel {

template <typename Real>
class Polynomial {
public:
  Polynomial(Real scale, int degree) : scale_(positive("scale", scale)), degree_(degree) {
    if (degree < 1)
      reject("degree", "at least 1", std::to_string(degree));
  }

  template <typename T>
  STARLING_DEVICE PairWeights<T> at_product(T product) const {
    const T base = product * scale_ + Real(1);
    T lower = T(1); // (a x.y + 1)^(m-1)
    for (int i = 1; i < degree_; ++i)
      lower = lower * base;
    return {lower * base, T(0), lower * (scale_ * Real(degree_))}; // f' = m a (a x.y + 1)^(m-1)
  }

private:
  Real scale_;
  int degree_;
};

} // namespace starling::kernel
