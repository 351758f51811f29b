// Looks at the cloud while a run goes on.
#pragma once

#include "plan/recipe.hpp"
#include "assemble/roles.hpp"
#include "judge/trace.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace starling::run {

/// Every look becomes a row of the trace. The verdict of a look rests on the rows before it, so a
/// run that goes on where another stopped hands those over.
template <typename Real>
class Lookout {
public:
  /// The recipe is resolved.
  Lookout(const plan::Recipe& recipe, std::vector<std::string> names, std::vector<judge::TraceRow> past = {});

  /// After score and drift of step k, before the move. `drift` is called a second time, on batches
  /// dealt anew; the drift column is left as it was found.
  judge::TraceRow look(Step k, Ensemble<Real>& particles, const Batches& batches,
                const assemble::AnyDrift<Real>& drift, double seconds);

private:
  std::uint64_t seed_;
  bool periodic_;
  std::vector<std::string> names_;
  std::vector<judge::TraceRow> trace_;
};

} // namespace starling::run
