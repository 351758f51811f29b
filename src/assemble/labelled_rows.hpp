// Rows of a data set as logistic regression takes them.
#pragma once

#include "io/dataset.hpp"

#include <starling/target/logistic_regression.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

namespace starling::assemble {

/// These rows of the data, in this order, with the constant 1 as the last feature: features of all
/// rows, and labels.
template <typename Real>
void lay_out(const io::Dataset& data, std::span<const std::uint32_t> rows, Real* features,
             Real* labels) {
  for (const std::uint32_t r : rows) {
    const double* from = data.features.data() + std::size_t{r} * data.columns;
    features = std::transform(from, from + data.columns, features,
                              [](double x) { return static_cast<Real>(x); });
    *features++ = 1;
    *labels++ = static_cast<Real>(data.labels[r]);
  }
}

template <typename Real>
std::shared_ptr<const LabelledData<Real>> with_constant(const io::Dataset& data,
                                                        std::span<const std::uint32_t> rows) {
  auto taken = std::make_shared<LabelledData<Real>>();
  taken->features.resize(static_cast<Eigen::Index>(rows.size()),
                         static_cast<Eigen::Index>(data.columns) + 1);
  taken->labels.resize(static_cast<Eigen::Index>(rows.size()));
  lay_out(data, rows, taken->features.data(), taken->labels.data());
  return taken;
}

} // namespace starling::assemble
