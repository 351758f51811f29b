// Looks at the cloud while a run goes on.
#pragma once

#include <starling/judge/trace.hpp>
#include <starling/run/roles.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace starling::run {

/// Knows how to look, and nothing of what was seen: the trace belongs to whoever calls it.
template <typename Real>
class Lookout {
public:
  Lookout(std::uint64_t seed, bool periodic, std::vector<std::string> names);

  /// Adds a row to the trace, whose rows so far the verdict rests on. To be called after score and
  /// drift of step k, before the move. `drift` is called a second time, on batches dealt anew; the
  /// drift column is left as it was found.
  void look(Step k, Ensemble<Real>& particles, const Batches& batches, const AnyDrift<Real>& drift,
            double seconds, std::vector<judge::TraceRow>& trace) const;

private:
  std::uint64_t seed_;
  bool periodic_;
  std::vector<std::string> names_;
};

} // namespace starling::run
