// What a cloud is worth: a summary per parameter, and a verdict with its evidence.
#pragma once

#include <starling/judge/summary.hpp>
#include <starling/judge/trace.hpp>
#include <starling/judge/verdict.hpp>
#include <starling/observe/stein.hpp>
#include <starling/rows.hpp>
#include <starling/threads.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace starling::judge {

struct Diagnosis {
  std::vector<ParameterSummary> parameters;
  Discrepancy ksd, ksd_gaussian; ///< squared; of the inverse multiquadric, of the Gaussian
  Judgement judgement;
};

/// From positions, the exact scores there and the log density of each particle, which is not finite
/// where the target failed; of a target that has scores alone, an empty span. `periodic`: on a
/// torus neither the spread identity nor the discrepancy holds, and both are left out. The trace
/// may be empty.
Diagnosis diagnose(Rows<const double> x, Rows<const double> score,
                   std::span<const double> log_density, const std::vector<std::string>& names,
                   std::uint64_t seed, bool periodic, const std::vector<TraceRow>& trace,
                   Threads& threads = Threads::alone());

/// Of a run whose positions are no longer numbers, and why: there is nothing to summarise.
Diagnosis diverged(const std::string& why);

} // namespace starling::judge
