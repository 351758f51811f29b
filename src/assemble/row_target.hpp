// Targets made of rows of data: of the built-in regressions, of programs, of plugins.
#pragma once

#include "assemble/wrap.hpp"

#include <starling/row_density.hpp>

#include <memory>
#include <string>
#include <vector>

namespace starling::assemble {

constexpr std::size_t many_rows = 20'000; ///< from here on a step reads few of them

/// How many rows a step of a run in stages reads: as asked for, 1000 of many, and 0 for all where
/// there are few.
std::size_t rows_a_step(std::uint64_t asked, std::size_t rows);

/// The density as a target. In stages it is asked for its rows, a_step of them each step, or as a
/// whole where that is 0. The raw method scores mini-batches of `mini_batch` rows; 0: 100, or all
/// if fewer.
template <typename Real>
run::AnyTarget<Real> row_target(std::shared_ptr<const RowDensity> density, std::size_t a_step,
                                std::uint64_t mini_batch, std::vector<std::string> names,
                                const plan::TargetContext& context);

/// What a program or a library brings: a prior, and sums over given rows.
struct BroughtRows {
  using Sum =
      std::function<void(Rows<const double> x, RowNumbers rows, std::span<const double> weights,
                         Rows<double> score, std::span<double> log_likelihood)>;
  using Values =
      std::function<void(Rows<const double> x, RowNumbers rows, std::span<const double> weights,
                         std::span<double> log_likelihood)>;

  std::size_t rows = 0, dim = 0;
  std::uint64_t data_batch = 0; ///< rows a step; 0: decide
  /// For each position the sum over the given rows of weight times log likelihood, and its
  /// gradient.
  Sum likelihood;
  DensityOfRows prior; ///< empty: flat
  Values values;       ///< the likelihood without its gradient; empty: it is no cheaper
  /// Gradients of single rows at one place; empty: rows are drawn evenly.
  std::function<void(RowNumbers rows, const Eigen::VectorXd& x, Rows<double> scores)> each;
};

/// Sums over at most this many rows are asked for at a time: what a program makes on the way stays
/// small.
constexpr std::size_t rows_at_a_time = 4096;

/// The density of these. Throws invalid_argument where there are no rows, or 2^32 of them.
std::shared_ptr<const RowDensity> density_of(BroughtRows brought);

/// That it really sums over rows by their weights, at two places and a few rows: an answer that
/// does not would be wrong without anyone noticing. Throws invalid_argument. Says nothing where the
/// likelihood is not finite.
void check_sums(const BroughtRows& brought);

} // namespace starling::assemble
