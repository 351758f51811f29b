// Rows of a data set as logistic regression takes them.
#pragma once

#include "io/dataset.hpp"

#include <starling/target/logistic_regression.hpp>

#include <memory>
#include <span>

namespace starling::assemble {

/// These rows of the data, in this order, with the constant 1 as the last feature.
template <typename Real>
std::shared_ptr<const LabelledData<Real>> with_constant(const io::Dataset& data,
                                                        std::span<const std::uint32_t> rows) {
  auto taken = std::make_shared<LabelledData<Real>>();
  const auto columns = static_cast<Eigen::Index>(data.columns);
  taken->features.resize(static_cast<Eigen::Index>(rows.size()), columns + 1);
  taken->labels.resize(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto at = static_cast<Eigen::Index>(r);
    const double* from = data.features.data() + std::size_t{rows[r]} * data.columns;
    taken->features.row(at).head(columns) =
        Eigen::Map<const Eigen::RowVectorXd>(from, columns).cast<Real>();
    taken->features(at, columns) = 1;
    taken->labels[at] = static_cast<Real>(data.labels[rows[r]]);
  }
  return taken;
}

} // namespace starling::assemble
