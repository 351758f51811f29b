// What a target is: something that scores rows of positions; and one that also knows its density.
#pragma once

#include <starling/error.hpp>
#include <starling/rows.hpp>

#include <concepts>
#include <span>

namespace starling {

/// target(k, x, score): score[i] = grad log pi(x[i]) for all rows, at step k. The step matters only
/// to targets that estimate the score from a part of the data.
template <typename T, typename Real>
concept Target = requires(T& target, Step k, Rows<const Real> x, Rows<Real> score) {
  target(k, x, score);
  { target.dim() } -> std::convertible_to<std::size_t>;
};

/// evaluate(x, score, log_density): the same from all the data, and log pi up to a constant.
template <typename T, typename Real>
concept Density = Target<T, Real> &&
    requires(T& target, Rows<const Real> x, Rows<Real> score, std::span<Real> log_density) {
  target.evaluate(x, score, log_density);
};

} // namespace starling
