// A generalised linear model whose rows lie on a card: sums over them are made there, the prior and
// what a scout asks of all rows once are the host's.
#pragma once

#include "cuda/machine.hpp"

#include <starling/row_density.hpp>
#include <starling/target/regression.hpp>

#include <memory>

namespace starling::cuda {

struct RegressionModel {
  RegressionFamily family = RegressionFamily::logistic;
  std::size_t predictors = 1, extras = 0; ///< extras: none or one
};

/// The density of `host`, to rounding. All rows of the table are put on the card. Throws DoesNotFit
/// where they do not fit, and invalid_argument where a particle has too many weights.
template <typename Number>
std::shared_ptr<const RowDensity>
regression_on_card(const std::shared_ptr<Machine>& machine, const RegressionModel& model,
                   const RowTable<Number>& table, const RowDensity& host);

} // namespace starling::cuda
