// Functions of a density whose time is added to a sum.
#pragma once

#include "run/stopwatch.hpp"

#include <starling/row_density.hpp>

#include <functional>
#include <memory>
#include <span>
#include <utility>

namespace starling::run {

/// The same function, whose time is added to a sum.
template <typename Value, typename... Given>
std::function<Value(Given...)> timed(std::function<Value(Given...)> function, double& seconds) {
  if (!function)
    return function;
  return [function = std::move(function), &seconds](Given... given) {
    const Stopwatch watching(seconds);
    return function(std::forward<Given>(given)...);
  };
}

inline std::shared_ptr<const RowDensity> timed(const RowDensity& rows, double& seconds) {
  auto all = std::make_shared<RowDensity>(rows);
  all->all = timed(rows.all, seconds);
  all->prior = timed(rows.prior, seconds);
  all->values = timed(rows.values, seconds);
  all->expand = timed(rows.expand, seconds);
  all->each = timed(rows.each, seconds);
  all->some = [some = rows.some, &seconds](RowNumbers numbers, std::span<const double> weights) {
    return timed(some(numbers, weights), seconds);
  };
  if (rows.expand_some)
    all->expand_some = [some = rows.expand_some, &seconds](RowNumbers numbers,
                                                           std::span<const double> weights) {
      return timed(some(numbers, weights), seconds);
    };
  return all;
}

} // namespace starling::run
