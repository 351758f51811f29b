// The search for a bend.
#pragma once

#include "frame/bent_cloud.hpp"

namespace starling::bending {

/// Whether a pair is fitted once for all rounds in which nothing of it changes, or, as the slow
/// twin, in each round.
enum class Fits { remembered, again };

/// The cloud with all the dependents that were found.
BentCloud searched(BentCloud straight, Fits fits = Fits::remembered);

} // namespace starling::bending
