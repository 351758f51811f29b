// Whether roles can fly: all of them are there, and every parameter has a name.
#pragma once

#include <starling/run/roles.hpp>

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace starling::run {

template <typename Real>
void check_names(const AnyTarget<Real>& target) {
  if (target.names.size() != target.dim)
    reject("names", fmt::format("one for each of {} parameters", target.dim),
           std::to_string(target.names.size()));
}

template <typename Real>
void check(const Roles<Real>& roles) {
  if (!roles.target.score || !roles.target.evaluate || !roles.deal || !roles.drift ||
      !roles.advance)
    throw std::invalid_argument(
        "roles: score, evaluate, deal, drift and advance must all be given; one is empty");
  check_names(roles.target);
}

} // namespace starling::run
