// What scores need in vectors, as plain numbers and pointers: a mixture on the line, sigmoids.
#pragma once

#include <cstddef>

namespace starling::cpu {

template <typename Real>
struct MixtureWork {
  const Real* x;
  Real* score;
  std::size_t count;
  const Real *constants, *means, *precisions; ///< log(weight / sd), mean and 1/variance of each
  std::size_t components;
};

template <typename Real>
using MixtureScore = void (*)(const MixtureWork<Real>&);

/// n x rows logits that become scale (y - sigmoid(z)), in place.
template <typename Real>
struct SigmoidWork {
  Real* logits;
  std::size_t count;
  const Real* labels;
  std::size_t rows;
  Real scale;
};

template <typename Real>
using SigmoidResiduals = void (*)(const SigmoidWork<Real>&);

} // namespace starling::cpu
