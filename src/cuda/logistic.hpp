// Logistic regression on a machine: all rows lie there, and the mini-batch of a step is the one
// that the host would take.
#pragma once

#include "cuda/outside.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace starling::cuda {

/// Where they lie on the host: rows of `weights` features, the constant 1 among them, and labels, 0
/// or 1.
template <typename Real>
struct LabelledRows {
  const Real *features = nullptr, *labels = nullptr;
  std::size_t rows = 0, weights = 0;
  std::shared_ptr<const void> owner; ///< of both
};

/// The scores of LogisticRegression(data, data_batch, seed), to rounding.
template <typename Real>
std::shared_ptr<const Outside<Real>> logistic_on_card(LabelledRows<Real> data,
                                                      std::size_t data_batch, std::uint64_t seed);

} // namespace starling::cuda
