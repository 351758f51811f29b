// Regressions over tables of many rows: what was asked for, and targets made of it.
#pragma once

#include "assemble/user_units.hpp"
#include "assemble/wrap.hpp"
#include "io/dataset.hpp"

#include <starling/target/logistic_regression.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace starling::cuda {
class Machine; // cuda/machine.hpp
}

namespace starling::assemble {

enum class RegressionKind { logistic, linear, poisson, multinomial };

/// What was asked for, read once.
struct TableRequest {
  std::string data, label, positive, drop, category, base;
  bool drop_missing = false;
  io::Scaling scaling = io::Scaling::minmax;
  std::uint64_t data_batch = 0; ///< 0: decide
  double holdout = 0;
};
/// `what` names the target for those who gave no table.
TableRequest read_table_request(const plan::Given& given, const char* what);

/// Reads a table and scales its features. Throws BadData that names the file.
io::Dataset load_scaled(const TableRequest& request, io::Response response);

/// Rows in the order in which they are used: first those that are held out, of `share` of them,
/// then those to learn from.
struct SplitRows {
  std::vector<std::uint32_t> order;
  std::size_t held_out = 0;
  std::span<const std::uint32_t> test() const { return std::span(order).first(held_out); }
  std::span<const std::uint32_t> to_learn_from() const {
    return std::span(order).subspan(held_out);
  }
};
/// Shuffled only where rows are held out. Refuses a share that leaves none, and a data_batch that
/// is larger than what is left.
SplitRows split(const TableRequest& request, std::size_t rows, std::uint64_t seed);

class SharedTable; // assemble/table.hpp

/// The kind of a target's name: "linear". Nothing where it is no regression.
std::optional<RegressionKind> regression_kind(std::string_view target);

/// Of the parameters, in their order.
std::vector<std::string> regression_names(RegressionKind kind,
                                          const std::vector<std::string>& features,
                                          const std::vector<std::string>& classes);

/// How many times (weights, intercept) a position has; `classes` of a multinomial regression.
std::size_t weight_blocks(RegressionKind kind, std::size_t classes);

/// The rows of a table, in memory; few of them a step where a_step is not 0.
template <typename Real>
run::AnyTarget<Real> regression_from_table(RegressionKind kind, const SharedTable& table,
                                           std::size_t a_step, std::vector<std::string> names,
                                           const plan::TargetContext& context);

/// Where the weights fit these rows best, for a logistic regression that is not asked by rows.
template <typename Real>
ClimbFrom logistic_climb_from(const LabelledView<Real>& rows, Threads& threads);

/// The density of these rows as a card computes it by rows, for the same.
template <typename Real>
std::function<std::shared_ptr<const RowDensity>(const std::shared_ptr<cuda::Machine>&)>
logistic_rows_on_card(const LabelledView<Real>& rows, Threads& threads);

/// The rows of FILE.npy, which stay there.
template <typename Real>
run::AnyTarget<Real> regression_from_npy(RegressionKind kind, const TableRequest& request,
                                         const plan::TargetContext& context);

/// What the log densities of a regression leave out: constants of the prior of so many parameters,
/// and of the likelihood of these responses.
double left_out(RegressionKind kind, std::size_t dim, std::span<const double> responses);

} // namespace starling::assemble
