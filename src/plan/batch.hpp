// The size of batches, as asked for.
#pragma once

#include "plan/plan.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace starling::plan {

/// What --batch says: a number of particles, or none for `all`. Nobody else reads that text.
std::optional<std::size_t> parse_batch(std::string_view text);

/// Reads --batch and --grow-batch into the plan.
void resolve_batch(const Recipe& recipe, Plan& plan);

} // namespace starling::plan
