// Scores that someone else makes of a cloud on a machine: a plugin, a function of Python's, a
// regression over rows that lie there.
#pragma once

#include "cuda/machine.hpp"

#include <starling/rows.hpp>

#include <functional>
#include <memory>

namespace starling::cuda {

/// Writes the scores of all rows, which lie one after another on the machine, as x does. They may
/// be ready later, but before what is begun on the machine after the call. Throws TargetError;
/// positions are then as before.
template <typename Real>
using OutsideScore =
    std::function<void(Step k, const Real* x, Real* score, std::size_t count, std::size_t dim)>;

/// A target that can be scored on a machine.
template <typename Real>
struct Outside {
  /// What scores there, with all that it keeps on the machine.
  std::function<OutsideScore<Real>(const std::shared_ptr<Machine>& machine)> on;
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
