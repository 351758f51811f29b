// The search for a bend.
#pragma once

#include "frame/bent_cloud.hpp"

namespace starling::bending {

/// The cloud with all the dependents that were found.
BentCloud searched(BentCloud straight);

} // namespace starling::bending
