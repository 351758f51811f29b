// A run in stages behind the calls of a flight, so that it is stepped, saved, resumed and written
// as any other.
#pragma once

#include <starling/run/flight.hpp>
#include <starling/stages/settings.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace starling::run {

/// What a run in stages needs beside its settings.
struct Staged {
  std::shared_ptr<Threads> threads;
  AnyTarget<double> target;
  stages::Settings stages; ///< its particles and seed are set to those of the run
  std::function<void(Rows<double>)>
      start; ///< where the flight begins without a scout, or tempering; empty: N(0, 1)
  std::vector<std::string> warnings;
};

/// A step is a unit of the journey. A target that turns out to have scores alone is flown in the
/// cloud's own metric from N(0, 1), and judged by the balance of its scores.
std::unique_ptr<Flight> begin(Staged staged, const Settings& settings);

/// Where the checkpoint left it. Throws io::BadData that names `where` when the two do not fit.
std::unique_ptr<Flight> resume(Staged staged, const Settings& settings,
                               const Checkpoint& checkpoint, const std::string& where);

} // namespace starling::run
