// Scores and log densities that someone else computes on a machine: a plugin, a function of
// Python's, a regression over rows that lie there.
#pragma once

#include "cuda/machine.hpp"

#include <starling/rows.hpp>

#include <functional>
#include <memory>
#include <span>

namespace starling {
struct RowDensity; // row_density.hpp
}

namespace starling::cuda {

/// Writes the scores of all rows, which lie one after another on the machine, as x does; and their
/// log densities, unless `log_density` is null. They may be ready later, but before what is begun
/// on the machine after the call. Throws TargetError; positions are then as before.
template <typename Real>
using OutsideScore = std::function<void(Step k, const Real* x, Real* score, Real* log_density,
                                        std::size_t count, std::size_t dim)>;

/// Scores and log densities of rows of the host; false: it cannot, and nothing was written.
using RowsFromHost =
    std::function<bool(Rows<const double> x, Rows<double> score, std::span<double> log_density)>;

/// A target that can be scored on a machine.
template <typename Real>
struct Outside {
  /// What scores there, with all that it keeps on the machine; empty: only by `rows`.
  std::function<OutsideScore<Real>(const std::shared_ptr<Machine>& machine)> on;
  bool has_log_density = false; ///< else it is called with null in its place
  bool few_sizes = false; ///< it is compiled for each number of rows: let there be few of them
  /// The same density by rows of data that lie there, for a run in stages; empty: it has none.
  std::function<std::shared_ptr<const RowDensity>(const std::shared_ptr<Machine>& machine)> rows;
  /// What computes rows of the host on that machine and brings the answers back by itself, if it
  /// can (false: it cannot); empty: nobody does.
  std::function<RowsFromHost(const std::shared_ptr<Machine>& machine)> from_host = {};
  bool by_all_ranks = false; ///< who ask for them together: each must take its turns when the
                             ///< others do, whatever its clock says
};

/// The score of a target as the host calls it, with how a card makes the same. A run that goes to a
/// card asks a target's score whether it is one of these; nobody else needs to know.
template <typename Real>
struct ScoreOnBoth {
  std::function<void(Step, Rows<const Real>, Rows<Real>)> on_host;
  std::shared_ptr<const Outside<Real>> on_card;
  void operator()(Step k, Rows<const Real> x, Rows<Real> score) const { on_host(k, x, score); }
};

} // namespace starling::cuda
