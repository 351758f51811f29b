// Regressions over tables of many rows: what was asked for, and targets made of it.
#pragma once

#include "assemble/wrap.hpp"
#include "io/dataset.hpp"

#include <span>
#include <string>
#include <vector>

namespace starling::assemble {

enum class RegressionKind { logistic, linear, poisson, multinomial };

/// What was asked for, read once.
struct TableRequest {
  std::string data, label, positive, drop;
  io::Scaling scaling = io::Scaling::minmax;
  std::uint64_t data_batch = 0; ///< 0: decide
  double holdout = 0;
};
/// `what` names the target for those who gave no table.
TableRequest read_table_request(const plan::Given& given, const char* what);

/// Reads a table and scales its features. Throws BadData that names the file.
io::Dataset load_scaled(const TableRequest& request, io::Response response);

/// How many rows a step of a run in stages reads: as asked for, 500 of many, and 0 for all where there are few.
std::size_t rows_a_step(std::uint64_t asked, std::size_t rows);

/// These rows of the data, in memory; few of them a step where a_step is not 0.
template <typename Real>
run::AnyTarget<Real> regression_from_rows(RegressionKind kind, const io::Dataset& data, std::span<const std::uint32_t> rows,
                                          std::size_t a_step, std::vector<std::string> names,
                                          const plan::TargetContext& context);

/// The rows of FILE.npy, which stay there.
template <typename Real>
run::AnyTarget<Real> regression_from_npy(RegressionKind kind, const TableRequest& request, const plan::TargetContext& context);

} // namespace starling::assemble
