// What a sweep needs to score a logistic regression: rows of data that lie on the machine, and
// which of them.
#pragma once

#include <cstdint>

namespace starling::cuda {

constexpr double prior_rate_of_alpha =
    0.01; ///< as LogisticRegression has it, which a sweep does not read

template <typename Real>
struct LogisticWork {
  std::uint32_t count = 0,
                dim = 0;   ///< particles; weights, the constant's among them, and the log of alpha
  const Real* x = nullptr; ///< positions, count x dim
  Real* s = nullptr;       ///< scores
  const Real* features = nullptr; ///< rows of dim - 1 numbers
  const Real* labels = nullptr;   ///< 0 or 1
  const std::uint32_t* picked =
      nullptr;            ///< the numbers of the rows; null: the first, one after another
  std::uint32_t rows = 0; ///< so many
  Real scale = 1;         ///< for how many rows each of them speaks
};

} // namespace starling::cuda
