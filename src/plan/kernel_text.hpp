// A kernel as text: a sum of weighted terms such as gaussian+0.1*polynomial:a=1,m=2.
#pragma once

#include "plan/plan.hpp"

#include <string_view>
#include <vector>

namespace starling::plan {

/// The terms, each with its entry and all its settings, checked. Throws invalid_argument.
std::vector<KernelTerm> parse_kernel(std::string_view text);

} // namespace starling::plan
