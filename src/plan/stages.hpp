// Whether a run goes in stages, and which.
#pragma once

#include "plan/plan.hpp"

namespace starling::plan {

/// Decides the method, and for auto fills in the stages of the plan and their texts in its recipe.
void resolve_stages(const Recipe& recipe, Plan& plan);

} // namespace starling::plan
