// Tables 1 and 2: the time of a run for each batch size, beside SVGD's and beside the paper's.
#pragma once

#include "experiment.hpp"
#include "step_times.hpp"

#include <starling/drift/adaptive.hpp>

#include <fmt/format.h>

#include <string>
#include <vector>

namespace starling::reproduce {

/// A batch size and the paper's time for it.
struct PaperTime {
  std::size_t p;
  double seconds;
};

/// What is timed, and how often. Times of the whole run are those of `timed` steps, scaled up.
struct RuntimePlan {
  std::string name, table, data; ///< "mixture-runtime", "Table 1", what was scored
  double bandwidth, eta;
  Step steps, timed, timed_svgd; ///< of the run in the paper; measured; measured of SVGD
  std::size_t repeats;
  std::vector<PaperTime> paper; ///< random batches, smallest p first
  double paper_svgd;
};

/// One line of the table.
struct RuntimeRow {
  std::size_t p;
  std::string label;
  StepTimes times;
  double paper_seconds; ///< 0: the paper has none
};

/// Data and claims from the rows: random batches, then SVGD at fixed h, last SVGD with dynamic h.
Json runtime_report(const RuntimePlan& plan, std::size_t particles,
                    const std::vector<RuntimeRow>& rows);

Json to_json(const StepTimes& t);
StepTimes times_from(const Json& j);

/// Times every size on one thread, each a part of its own.
template <typename Target>
Json measure_runtime(Scope& scope, const RuntimePlan& plan, Target& target,
                     const Ensemble<double>& start) {
  const std::size_t n = start.count();
  const auto timed = [&](const std::string& label, std::size_t p, Step steps, auto drift) {
    const Json settings = {
        {"particles", n}, {"data", plan.data}, {"steps", steps}, {"repeats", plan.repeats}};
    return times_from(scope.parts.get(plan.name + "/" + label, settings, [&] {
      return to_json(time_with_drift(target, start, p, drift, plan.eta, steps, plan.repeats,
                                     Threads::alone()));
    }));
  };
  const GaussDrift<double> fixed(kernel::Gaussian<double>(plan.bandwidth), Threads::alone());
  const AdaptiveDrift<double, GaussDrift<double>, kernel::MedianBandwidth<double>> dynamic(fixed,
                                                                                           {});
  std::vector<RuntimeRow> rows;
  for (const PaperTime& size : plan.paper)
    if (size.p < n) {
      const std::string label = fmt::format("p={}", size.p);
      rows.push_back({size.p, label, timed(label, size.p, plan.timed, fixed), size.seconds});
    }
  rows.push_back({n, "SVGD, fixed h", timed("svgd-fixed", n, plan.timed_svgd, fixed), 0});
  rows.push_back({n, "SVGD", timed("svgd-dynamic", n, plan.timed_svgd, dynamic), plan.paper_svgd});
  return runtime_report(plan, n, rows);
}

} // namespace starling::reproduce
