// From a recipe to the five roles, each behind a call per sweep.
#pragma once

#include "plan/recipe.hpp"

#include <starling/concepts.hpp>
#include <starling/target/concepts.hpp>
#include <starling/threads.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace starling::assemble {

/// Accuracy and mean log likelihood on rows that were held out.
struct HeldOut {
  double accuracy = 0, log_likelihood = 0;
};

/// What a model makes of positions: its parameters within their bounds, and more.
struct Constrained {
  std::vector<std::string> names;
  std::vector<double> values; ///< particles x names
};

/// A target, with what is known about it.
template <typename Real>
struct AnyTarget {
  std::size_t dim = 0;
  std::vector<std::string> names;
  std::function<void(Step, Rows<const Real>, Rows<Real>)> score;
  std::function<void(Rows<const Real>, Rows<Real>, std::span<Real>)> evaluate;
  std::function<HeldOut(Rows<const Real>)> hold_out; ///< empty when nothing was held out
  std::function<void(Rows<Real>)> start;             ///< its own start; empty when it has none
  std::function<Constrained(Rows<const Real>)> constrain;  ///< empty: positions are the parameters
  std::function<std::vector<std::string>()> warnings;      ///< of the run so far; empty: none ever
};

/// A target that the caller brings instead of a name: scores and log densities of all rows in one
/// call. The densities may be an empty span, when nobody asks; one that has none leaves NaN.
struct Guest {
  std::size_t dim = 0;
  std::vector<std::string> names; ///< empty: x[1], x[2], ...
  std::function<void(Step, Rows<const double>, Rows<double>, std::span<double>)> in_double;
  std::function<void(Step, Rows<const float>, Rows<float>, std::span<float>)> in_single;
};

template <typename Real>
using AnyDealer = std::function<const Batches&(Step, Ensemble<Real>&)>;
template <typename Real>
using AnyDrift = std::function<void(Step, Ensemble<Real>&, const Batches&)>;
template <typename Real>
using AnyAdvance =
    std::function<void(Step, Ensemble<Real>&, const Batches&, const std::function<void()>&)>;

/// The recipes given to these are resolved. Threads must outlive what is made.
/// What of the target is random and the same in all runs, as the split of the data, comes from
/// `data_seed`. A recipe whose target is "guest" needs one.
template <typename Real>
AnyTarget<Real> make_target(const plan::Recipe& recipe, Threads& threads, std::uint64_t data_seed,
                            const Guest* guest = nullptr);
template <typename Real>
AnyDealer<Real> make_dealer(const plan::Recipe& recipe);
template <typename Real>
AnyDrift<Real> make_drift(const plan::Recipe& recipe, std::size_t dim, Threads& threads);
template <typename Real>
AnyAdvance<Real> make_advance(const plan::Recipe& recipe, Threads& threads);

/// Fills in the initial positions. Throws io::BadData when a start file has the wrong shape.
template <typename Real>
void start(const plan::Recipe& recipe, const AnyTarget<Real>& target, Rows<Real> position);

/// The positions that the caller brings. Throws invalid_argument when they are too many, too few or
/// not finite.
template <typename Real>
void place(std::span<const double> given, Rows<Real> position);

/// How many steps the loop takes: the recipe's sweeps, or N/p draws for each with replacement.
Step loop_steps(const plan::Recipe& recipe);

} // namespace starling::assemble
