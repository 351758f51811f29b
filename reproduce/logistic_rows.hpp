// Rows for logistic regression: Covertype as the paper used it, or rows made up in its shape.
#pragma once

#include <starling/target/logistic_regression.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>

namespace starling::reproduce {

/// 80 % to learn from, 20 % to be judged on.
template <typename Real>
struct Covertype {
  std::shared_ptr<const LabelledData<Real>> train, test;
};

/// All 54 features scaled to [0, 1], a constant appended; label 1 for class 2, 0 for the rest. The
/// split is that of `starling sample logistic --holdout 0.2 --seed SEED`.
template <typename Real>
Covertype<Real> load_covertype(const std::filesystem::path& file, std::uint64_t seed);

/// So many rows of 54 uniform features and the constant, with labels that depend on them: a step
/// costs what it costs on Covertype.
std::shared_ptr<const LabelledData<double>> made_up_rows(std::size_t rows);

} // namespace starling::reproduce
