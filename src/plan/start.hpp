// Where the particles start, as asked for.
#pragma once

#include "plan/plan.hpp"

namespace starling::plan {

/// Reads --start into the plan, or takes the target's usual one.
void resolve_start(Plan& plan);

} // namespace starling::plan
