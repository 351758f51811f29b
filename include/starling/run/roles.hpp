// The roles of a run, each behind a call per sweep, and what else is known about its target.
#pragma once

#include <starling/concepts.hpp>
#include <starling/density.hpp>
#include <starling/judge/trace.hpp>
#include <starling/target/concepts.hpp>
#include <starling/threads.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starling {
struct RowDensity; // row_density.hpp; here only pointed to, so that Eigen is not read by everyone
}

namespace starling::run {

/// Accuracy and mean log likelihood on rows that were held out.
struct HeldOut {
  double accuracy = 0, log_likelihood = 0;
};

/// What a model makes of positions: its parameters within their bounds, and more.
struct Constrained {
  std::vector<std::string> names;
  std::vector<double> values; ///< particles x names
};

/// A target, with what is known about it. All but `score` and `evaluate` may be left empty.
template <typename Real>
struct AnyTarget {
  std::size_t dim = 0;
  std::vector<std::string> names;
  std::function<void(Step, Rows<const Real>, Rows<Real>)> score;
  std::function<void(Rows<const Real>, Rows<Real>, std::span<Real>)> evaluate;
  std::function<bool()> has_density; ///< asked after evaluate; false: it leaves NaN. Empty: it has
  std::function<HeldOut(Rows<const Real>)> hold_out; ///< empty when nothing was held out
  std::function<void(Rows<Real>)> start;             ///< its own start; empty when it has none
  ClimbFrom climb_from; ///< where its scout climbs from besides; empty when it knows no place
  std::function<Constrained(Rows<const Real>)> constrain; ///< empty: positions are the parameters
  std::function<std::vector<std::string>()> warnings;     ///< of the run so far; empty: none ever
  std::string table = {}; ///< what it made of the columns of a table, as JSON; empty: it has none
  std::vector<std::pair<std::string, std::string>> decided =
      {}; ///< settings that only its data could decide
  std::shared_ptr<const RowDensity> rows =
      {};                      ///< where it is made of rows that a run in stages may ask for apart
  std::size_t rows_a_step = 0; ///< of those; 0: the usual number
  double log_constant = 0; ///< that its log densities leave out, for the evidence; NaN: not known
  bool each_row_alone = false; ///< scores have the same bits however rows are cut
  double step_share = 1; ///< of the data that `evaluate` reads, what a step's `score` reads: below
                         ///< 1 for mini-batches
};

template <typename Real>
using AnyDealer = std::function<const Batches&(Step, Ensemble<Real>&)>;
template <typename Real>
using AnyDrift = std::function<void(Step, Ensemble<Real>&, const Batches&)>;
template <typename Real>
using AnyAdvance =
    std::function<void(Step, Ensemble<Real>&, const Batches&, const std::function<void()>&)>;

/// All that moves a cloud.
template <typename Real>
struct Roles {
  std::shared_ptr<Threads>
      threads; ///< that the others work on, kept as long as they; empty: the caller keeps them
  AnyTarget<Real> target;
  AnyDealer<Real> deal;
  /// For the look at the end: everyone, in batches of the size in use, rows staying where they are.
  /// Empty: `deal` does so.
  AnyDealer<Real> deal_everyone;
  AnyDrift<Real> drift;
  AnyAdvance<Real> advance;
  std::vector<std::string> warnings; ///< of what was asked for, to be told with the outcome
};

/// "x", or "x[1]", "x[2]", ...
inline std::vector<std::string> numbered(const std::string& name, std::size_t count) {
  if (count == 1)
    return {name};
  std::vector<std::string> names;
  try {
    names.reserve(count); // the first that is made for every parameter
  } catch (const std::exception&) {
    throw DoesNotFit("dim: " + std::to_string(count) + " parameters do not fit into memory");
  }
  for (std::size_t a = 1; a <= count; ++a)
    names.push_back(name + "[" + std::to_string(a) + "]");
  return names;
}

/// A target of any type behind these calls. One that is no Density has scores alone.
template <typename Real, Target<Real> T>
AnyTarget<Real> any_target(T target, std::vector<std::string> names = {}) {
  auto shared = std::make_shared<T>(std::move(target));
  AnyTarget<Real> any;
  any.dim = shared->dim();
  any.names = names.empty() ? numbered("x", any.dim) : std::move(names);
  any.score = [shared](Step k, Rows<const Real> x, Rows<Real> s) { (*shared)(k, x, s); };
  if constexpr (Density<T, Real>) {
    any.evaluate = [shared](Rows<const Real> x, Rows<Real> s, std::span<Real> density) {
      shared->evaluate(x, s, density);
    };
  } else {
    any.evaluate = [shared](Rows<const Real> x, Rows<Real> s, std::span<Real> density) {
      (*shared)(0, x, s);
      std::fill(density.begin(), density.end(), Real(NAN));
    };
    any.has_density = [] { return false; };
  }
  return any;
}

/// Roles of any types: roles_of<double>(target, Shuffle(1, 8), drift, ExplicitStep(rule)). A dealer
/// that deals only some, or lets rows travel, needs a `deal_everyone` besides.
template <typename Real, Target<Real> T, typename Deal, typename Drift, typename Advance>
Roles<Real> roles_of(T target, Deal deal, Drift drift, Advance advance,
                     std::vector<std::string> names = {}) {
  Roles<Real> roles;
  roles.target = any_target<Real>(std::move(target), std::move(names));
  roles.deal = std::move(deal);
  roles.drift = std::move(drift);
  roles.advance = std::move(advance);
  return roles;
}

} // namespace starling::run
