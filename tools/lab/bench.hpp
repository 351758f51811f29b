// What the benchmarks share: how much to measure, and the stopwatches of the experiments.
#pragma once

#include "commands.hpp"
#include "step_times.hpp"

#include <nlohmann/json_fwd.hpp>

namespace starling::tool {

/// Sizes shrink when quick: to see that a benchmark works, not to learn from its figures.
struct BenchScope {
  bool quick = false;
  std::size_t repeats = 5;
};

/// The untuned default against reference draws of real posteriors.
nlohmann::ordered_json bench_posteriors(const BenchRequest& request);
/// The same on a few shapes whose means and sds are known.
nlohmann::ordered_json bench_shapes(const BenchRequest& request);
/// Verdicts against the truth, on many shapes and on clouds made wrong on purpose.
nlohmann::ordered_json bench_verdicts(const BenchRequest& request);

/// The log evidence of densities whose integrals are known, and its errors.
nlohmann::ordered_json bench_evidence(const BenchRequest& request);

nlohmann::ordered_json bench_overhead(const BenchScope& scope);
nlohmann::ordered_json bench_full(const BenchScope& scope);
nlohmann::ordered_json bench_scale(const BenchScope& scope);
nlohmann::ordered_json bench_threads(const BenchScope& scope);
nlohmann::ordered_json bench_logistic(const BenchScope& scope);
nlohmann::ordered_json bench_cuda(const BenchScope& scope);
nlohmann::ordered_json bench_wide(const BenchScope& scope);
nlohmann::ordered_json bench_whole(const BenchScope& scope);

/// Bytes of this process in memory: the most so far, "VmHWM", or now, "VmRSS".
double resident(const char* field);
/// Hands back what is free and forgets the most so far; answers what is in memory now.
double forget_peak();

using reproduce::median;
using reproduce::median_seconds;
using reproduce::StepTimes;
using reproduce::time_steps;

} // namespace starling::tool
