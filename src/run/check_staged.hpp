// Whether a run in stages can begin: its target and its settings are those of method auto.
#pragma once

#include "run/check_roles.hpp"

#include <starling/run/staged.hpp>

namespace starling::run {

inline void check(const Staged& staged, const Settings& settings) {
  if (!staged.target.evaluate)
    throw std::invalid_argument("target: --method auto needs its log density");
  check_names(staged.target);
  if (settings.periodic)
    throw std::invalid_argument("domain: --method auto needs all of R^d");
}

} // namespace starling::run
