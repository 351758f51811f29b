// Whether a run goes in stages, and which.
#pragma once

#include "plan/plan.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace starling::plan {

/// What --metric may be, and which it is. Nobody else reads that text.
std::vector<std::string> metric_names();
stages::Metric parse_metric(std::string_view text);

/// Decides the method, and for auto fills in the stages of the plan and their texts in its recipe.
void resolve_stages(const Recipe& recipe, Plan& plan);

} // namespace starling::plan
