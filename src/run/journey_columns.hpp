// The state of a journey as columns of a checkpoint.
#pragma once

#include <starling/run/checkpoint.hpp>
#include <starling/run/journey.hpp>

#include <string>

namespace starling::run {

void add_state(const JourneyState& state, Checkpoint& checkpoint);

/// Empty where the checkpoint has none. Throws io::BadData that names `where` when a column is cut
/// off.
JourneyState state_in(const Checkpoint& checkpoint, const std::string& where);

} // namespace starling::run
