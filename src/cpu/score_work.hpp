// What scores need in vectors, as plain numbers and pointers: a mixture on the line, sigmoids.
#pragma once

#include <cstddef>

namespace starling::cpu {

template <typename Real>
struct OnTheLine {
  const Real* x;
  Real* score;
  std::size_t count;
  const Real *constants, *means, *precisions; ///< log(weight / sd), mean and 1/variance of each
  std::size_t components;
};

template <typename Real>
struct MixtureWork {
  void (*score)(const OnTheLine<Real>&);
};

/// n x rows logits that become scale (y - sigmoid(z)), in place.
template <typename Real>
struct Logits {
  Real* z;
  std::size_t count;
  const Real* labels;
  std::size_t rows;
  Real scale;
};

template <typename Real>
struct SigmoidWork {
  void (*residuals)(const Logits<Real>&);
};

} // namespace starling::cpu
