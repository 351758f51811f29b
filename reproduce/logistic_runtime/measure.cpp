// Table 2: times of 6000 steps of logistic regression, on Covertype where it is at hand.
#include "logistic_rows.hpp"
#include "runtime_table.hpp"

#include <starling/cpu/algebra.hpp>
#include <starling/random/start.hpp>

namespace starling::reproduce {

Json measure_logistic_runtime(Scope& scope) {
  const bool real = !scope.covertype.empty();
  RuntimePlan plan{"logistic-runtime",
                   "Table 2",
                   real ? "Covertype" : "made up, in the shape of Covertype",
                   256,
                   0.05,
                   6000,
                   200,
                   50,
                   5,
                   {{2, 8.59}, {4, 11.24}, {8, 16.28}, {16, 26.15}, {32, 21.66}, {128, 19.42}},
                   47.01};
  if (scope.quick) {
    plan.timed = plan.timed_svgd = 15;
    plan.repeats = 3;
  }
  const auto rows = real ? load_covertype<double>(scope.covertype, 1).train : made_up_rows(20000);
  LogisticRegression<double, cpu::Algebra<double>> target(rows, 100, 1);
  Ensemble<double> start(512, target.dim());
  start_from_prior(start.position(), 1);
  Json report = measure_runtime(scope, plan, target, start);
  report["settings"]["data_batch"] = 100;
  return report;
}

} // namespace starling::reproduce
