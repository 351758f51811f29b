// From a plan to the parts of a run.
#pragma once

#include "io/npy.hpp"
#include "plan/plan.hpp"

#include <starling/run/roles.hpp>

#include <functional>
#include <memory>
#include <optional>

namespace starling::assemble {} // namespace starling::assemble

namespace starling::cuda {
template <typename Real>
struct Outside; // cuda/outside.hpp
}

namespace starling::assemble {

/// A target that the caller brings instead of a name: scores and log densities of all rows in one
/// call. The densities may be an empty span, when nobody asks; one that has none leaves NaN.
struct UserTarget {
  std::size_t dim = 0;
  std::vector<std::string> names; ///< empty: x[1], x[2], ...
  std::function<void(Step, Rows<const double>, Rows<double>, std::span<double>)> in_double;
  std::function<void(Step, Rows<const float>, Rows<float>, std::span<float>)> in_single;
  std::function<bool()> has_density =
      {}; ///< asked after a call that wanted densities; empty: it has
  std::shared_ptr<const RowDensity> rows =
      {};                       ///< where it is made of rows of data, instead of the calls
  std::uint64_t data_batch = 0; ///< of those, that a step reads; 0: decide
  std::shared_ptr<const cuda::Outside<double>> on_card_in_double =
      {}; ///< the same scores on a card; empty: none
  std::shared_ptr<const cuda::Outside<float>> on_card_in_single = {};
  bool card_counts_in_single = false; ///< the only numbers that its function takes there
  bool rows_on_card = false;          ///< whoever computes `rows` does so on a card by itself
  std::function<run::Constrained(Rows<const double>)> constrain =
      {}; ///< what it makes of positions; empty: positions are the parameters
};

/// Threads must outlive what is made. `seed` is that of one run of the plan; what of the target is
/// random and the same in all runs, as the split of the data, comes from the plan's own. A plan
/// without a target needs a user_target. `ranks`: those that make it too.
template <typename Real>
run::AnyTarget<Real> make_target(const plan::Plan& plan, std::uint64_t seed, Threads& threads,
                                 const UserTarget* user_target = nullptr,
                                 const std::shared_ptr<mpi::Wire>& ranks = {});
template <typename Real>
run::AnyDealer<Real> make_dealer(const plan::Plan& plan, std::uint64_t seed, Threads& threads);
/// Everyone in batches of that size, rows staying where they are; empty where the dealer does so.
template <typename Real>
run::AnyDealer<Real> make_dealer_of_everyone(const plan::Plan& plan, std::uint64_t seed,
                                             Threads& threads);
/// `bandwidth`: held there, where the cloud that it is taken from is not all here.
template <typename Real>
run::AnyDrift<Real> make_drift(const plan::Plan& plan, std::uint64_t seed, std::size_t dim,
                               Threads& threads, std::shared_ptr<const Real> bandwidth = {});
template <typename Real>
run::AnyAdvance<Real> make_advance(const plan::Plan& plan, std::uint64_t seed, std::size_t dim,
                                   Threads& threads);
/// The one that needs the kernel of the drift, and a drift that make_drift then makes to fit:
/// stochastic SVGD.
template <typename Real>
run::AnyAdvance<Real> make_stochastic(const plan::Plan& plan, std::uint64_t seed, std::size_t dim,
                                      Threads& threads);

/// The positions in the file that the plan starts from; nothing where it starts by a rule, or from
/// what only the target can read.
std::optional<io::Array> read_start(const plan::Plan& plan);

/// Fills in the initial positions: those `read` before, or else by the plan's rule. Throws
/// io::BadData when a start file has the wrong shape. Where the plan has a rule, these may be some
/// of the rows, from `first` on.
template <typename Real>
void start(const plan::Plan& plan, std::uint64_t seed, const run::AnyTarget<Real>& target,
           Rows<Real> position, const std::optional<io::Array>& read,
           Threads& threads = Threads::alone(), std::size_t first = 0);
/// Whether it has: each row then knows by itself where it begins.
inline bool starts_by_rule(const plan::Plan& plan) {
  return std::holds_alternative<plan::StartNormal>(plan.start) ||
         std::holds_alternative<plan::StartUniform>(plan.start);
}

/// The positions that the caller brings. Throws invalid_argument when they are too many, too few or
/// not finite.
template <typename Real>
void place(std::span<const double> given, Rows<Real> position);

} // namespace starling::assemble
