// A density made of rows of data: a prior times a likelihood for each row, of which few may be
// asked for.
#pragma once

#include <starling/density.hpp>
#include <starling/frame.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace starling {

/// A log likelihood around one place, to second order: its value, its slope, minus its second
/// derivatives.
struct Expansion {
  double log_density = 0;
  Eigen::VectorXd score;
  Eigen::MatrixXd curvature;
};

using ExpandAt = std::function<Expansion(const Eigen::VectorXd& x)>;
using RowNumbers = std::span<const std::uint32_t>;

/// log pi(x) = log prior(x) + sum over rows r of l_r(x). Calls are per sweep, so a plugin or a
/// program in another language may bring them. A row where a density fails is told as DensityOfRows
/// tells it.
struct RowDensity {
  std::size_t rows = 0, dim = 0;
  DensityOfRows all;   ///< log pi, from every row
  DensityOfRows prior; ///< the prior alone
  /// sum over the given rows of weight_r l_r, ready to be called at many places. Its log densities
  /// may be an empty span, where nobody asks.
  std::function<DensityOfRows(RowNumbers rows, std::span<const double> weights)> some;

  // What a model may know besides; each may be left empty.
  /// log pi from every row, without scores: half the work.
  std::function<void(Rows<const double> x, std::span<double> log_density)> values;
  /// The likelihood of every row, and of given rows, around x.
  ExpandAt expand;
  std::function<ExpandAt(RowNumbers rows, std::span<const double> weights)> expand_some;
  /// For each row, how much of the score's change within the frame is its own.
  std::function<std::vector<double>(const Eigen::VectorXd& mode, const Frame& frame)> leverage;
  /// Places from which a climb is worth its while, beside those that the scout draws.
  ClimbFrom climb_from;
  /// Scores of given rows, each apart, at one place: rows x dim numbers. Asked where there is no
  /// leverage.
  std::function<void(RowNumbers rows, const Eigen::VectorXd& x, Rows<double> scores)> each;
  /// Where there are no expansions: whether their curvature is made from differences of scores in
  /// the frame, 2 dim places more for each choice of rows.
  bool by_differences = false;
};

/// What was read: a row that is used for all particles at once is read once, and visited once by
/// each.
struct RowCounts {
  std::uint64_t reads = 0, visits = 0;
};

} // namespace starling
