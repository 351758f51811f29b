// The parts of a run as values: a target with what is known about it, and the roles, each behind a call per sweep.
#pragma once

#include <starling/concepts.hpp>
#include <starling/rows.hpp>
#include <starling/threads.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

/// A target, with what is known about it.
template <typename Real>
struct AnyTarget {
  std::size_t dim = 0;
  std::vector<std::string> names;
  std::function<void(Step, Rows<const Real>, Rows<Real>)> score;
  std::function<void(Rows<const Real>, Rows<Real>, std::span<Real>)> evaluate;
  std::function<HeldOut(Rows<const Real>)> hold_out; ///< empty when nothing was held out
  std::function<void(Rows<Real>)> start;             ///< its own start; empty when it has none
  std::function<Constrained(Rows<const Real>)> constrain; ///< empty: positions are the parameters
  std::function<std::vector<std::string>()> warnings;     ///< of the run so far; empty: none ever
  std::vector<std::pair<std::string, std::string>> decided; ///< settings that only the data could decide
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

} // namespace starling::run
