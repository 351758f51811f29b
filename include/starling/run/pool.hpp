// Several runs with the same settings taken together.
#pragma once

#include <starling/run/flight.hpp>

#include <span>

namespace starling::run {

/// All their draws as one cloud, with R-hat between the runs for each parameter and the worst of
/// their verdicts; of one run, itself. The runs are complete.
Outcome pool(std::span<const Outcome> runs);

} // namespace starling::run
