// What the tests of runs that go on share: where the state of a run lies, and how far it is.
#pragma once

#include "results.hpp"

#include <starling/run/flight.hpp>

namespace starling::cli {

const std::string state = "out/m-state/run-1.checkpoint";

inline Step steps_in(const Place& place, const std::string& file) {
  return run::saved(run::read_checkpoint(place.path(file)), file).done;
}

inline void wait_for(const Running& running, const Place& place, const std::string& file) {
  running.until(file.c_str(), [&] { return place.has(file); });
}

/// A target that does in one of its calls what the environment says.
const std::string moody_plugin = std::string(STARLING_TEST_LIBRARIES) + "/plugin_on_demand.so";

} // namespace starling::cli
