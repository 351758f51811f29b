// Blocks of rows, as asked for.
#pragma once

#include "plan/plan.hpp"

namespace starling::plan {

/// Reads --blocks and --redeal into a plan whose batches are decided.
void resolve_blocks(const Recipe& recipe, Plan& plan);

} // namespace starling::plan
