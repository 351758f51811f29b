// From a recipe to the five roles, each behind a call per sweep.
#pragma once

#include "io/npy.hpp"
#include "plan/recipe.hpp"

#include <starling/run/roles.hpp>
#include <starling/threads.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace starling::assemble {

using run::AnyAdvance;
using run::AnyDealer;
using run::AnyDrift;
using run::AnyTarget;
using run::Constrained;
using run::HeldOut;

/// A target that the caller brings instead of a name: scores and log densities of all rows in one
/// call. The densities may be an empty span, when nobody asks; one that has none leaves NaN.
struct Guest {
  std::size_t dim = 0;
  std::vector<std::string> names; ///< empty: x[1], x[2], ...
  std::function<void(Step, Rows<const double>, Rows<double>, std::span<double>)> in_double;
  std::function<void(Step, Rows<const float>, Rows<float>, std::span<float>)> in_single;
  std::function<bool()> has_density = {}; ///< asked after a call that wanted densities; empty: it has
};

/// The recipes given to these are resolved. Threads must outlive what is made.
/// What of the target is random and the same in all runs, as the split of the data, comes from
/// `data_seed`. A recipe whose target is "guest" needs one.
template <typename Real>
AnyTarget<Real> make_target(const plan::Recipe& recipe, Threads& threads, std::uint64_t data_seed,
                            const Guest* guest = nullptr);
template <typename Real>
AnyDealer<Real> make_dealer(const plan::Recipe& recipe);
/// Everyone in batches of that size, rows staying where they are; empty where the dealer does so.
template <typename Real>
AnyDealer<Real> make_dealer_of_everyone(const plan::Recipe& recipe);
template <typename Real>
AnyDrift<Real> make_drift(const plan::Recipe& recipe, std::size_t dim, Threads& threads);
template <typename Real>
AnyAdvance<Real> make_advance(const plan::Recipe& recipe, Threads& threads);

/// The positions in the file that the recipe starts from; nothing where it starts by a rule, or from
/// what only the target can read.
std::optional<io::Array> read_start(const plan::Recipe& recipe);

/// Fills in the initial positions: those `read` before, or else by the recipe's rule. Throws
/// io::BadData when a start file has the wrong shape.
template <typename Real>
void start(const plan::Recipe& recipe, const AnyTarget<Real>& target, Rows<Real> position,
           const std::optional<io::Array>& read);
template <typename Real>
void start(const plan::Recipe& recipe, const AnyTarget<Real>& target, Rows<Real> position) {
  start(recipe, target, position, read_start(recipe));
}

/// The positions that the caller brings. Throws invalid_argument when they are too many, too few or
/// not finite.
template <typename Real>
void place(std::span<const double> given, Rows<Real> position);

/// How many steps the loop takes: the recipe's sweeps, or N/p draws for each with replacement.
Step loop_steps(const plan::Recipe& recipe);

} // namespace starling::assemble
