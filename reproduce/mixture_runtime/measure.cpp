// Table 1: times of 500 steps on the mixture of section 4.1.
#include "runtime_table.hpp"

#include <starling/cpu/mixture.hpp>
#include <starling/random/start.hpp>

namespace starling::reproduce {

Json measure_mixture_runtime(Scope& scope) {
  RuntimePlan plan{
      "mixture-runtime",
      "Table 1",
      "the mixture of section 4.1",
      0.35,
      0.2,
      500,
      500,
      500,
      11,
      {{2, 0.055}, {4, 0.095}, {8, 0.178}, {16, 0.341}, {32, 0.270}, {64, 0.238}, {128, 0.314}},
      0.733};
  if (scope.quick) {
    plan.timed = plan.timed_svgd = 100;
    plan.repeats = 3;
  }
  Ensemble<double> start(256, 1);
  start_normal(start.position(), 1, -10, 1);
  cpu::MixtureOnTheLine<double> target(Mixture<double>::paper());
  return measure_runtime(scope, plan, target, start);
}

} // namespace starling::reproduce
