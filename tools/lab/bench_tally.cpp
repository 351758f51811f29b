// Runs against the truth, as lines of a table and counted.
#include "bench_errors.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace starling::tool {

using Json = nlohmann::ordered_json;

double median_of(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void take_report(const run::Outcome& outcome, Measured& run) {
  run.verdict = judge::word(outcome.diagnosis.judgement);
  run.seconds_of_model = outcome.seconds.score;
  if (outcome.stages) {
    run.modes = outcome.stages->modes;
    for (const auto& [stage, count] : outcome.stages->gradients)
      run.gradients += static_cast<double>(count);
  }
}

namespace {

/// The parameters that are worst by each of the rules.
std::string worst_of(const Errors& errors) {
  std::string all;
  for (const std::string& one : {errors.mean_of, errors.sd_of, errors.share_of})
    if (!one.empty())
      all += (all.empty() ? "" : ", ") + one;
  return all;
}

std::string w1_columns(const Errors& e) {
  return e.has_w1() ? fmt::format("{:6.3f} {:6.2f} {:6.2f}", e.w1, e.w1_ratio, e.w1_ratio_worst)
                    : fmt::format("{:>6} {:>6} {:>6}", "-", "-", "-");
}

} // namespace

std::string table_title(const char* what, std::size_t width) {
  return fmt::format(
      "{:<{}} {:>4} {:>5} {:>6} {:>10} {:>9} {:>6} {:>6} {:>6} {:>9} {:>8} {:>8}  {:<13} {}", what,
      width, "seed", "steps", "mean", "sd", "quantile", "W1", "ratio", "worst", "gradients",
      "seconds", "in model", "verdict", "");
}

std::string table_row(const std::string& name, std::size_t width, std::uint64_t seed,
                      std::uint64_t steps, const Measured& run) {
  const std::string head =
      fmt::format("{:<{}} {:>4} {:>5} ", name, width, seed, steps ? std::to_string(steps) : "-");
  if (!run.failure.empty())
    return head + "failed: " + run.failure;
  const Errors& e = run.errors;
  std::string end =
      e.pass() ? "pass" : fmt::format("{} ({})", e.wrong() ? "wrong" : "fail", worst_of(e));
  if (run.modes > 1)
    end += fmt::format(", {} modes", run.modes);
  const std::string of_model =
      run.seconds_of_model > 0 ? fmt::format("{:.2f}", run.seconds_of_model) : "-";
  return head + fmt::format("{:6.3f} {:>10} {:9.2f} {} {:9.0f} {:8.2f} {:>8}  {:<13} {}", e.mean,
                            fmt::format("{:.2f}-{:.2f}", e.sd_low, e.sd_high), e.quantile,
                            w1_columns(e), run.gradients, run.seconds, of_model, run.verdict, end);
}

Json to_json(const std::string& name, std::uint64_t seed, std::uint64_t steps,
             const Measured& run) {
  Json j = {{"name", name}, {"seed", seed}, {"steps", steps}};
  if (!run.failure.empty()) {
    j["failure"] = run.failure;
    return j;
  }
  const Errors& e = run.errors;
  j.update({{"mean_error", e.mean},
            {"mean_error_of", e.mean_of},
            {"sd_ratio_low", e.sd_low},
            {"sd_ratio_high", e.sd_high},
            {"sd_ratio_of", e.sd_of},
            {"quantile_error", e.quantile},
            {"share_error_without_moments", e.share},
            {"w1", e.w1},
            {"w1_ratio", e.w1_ratio},
            {"w1_ratio_worst", e.w1_ratio_worst},
            {"gradients", run.gradients},
            {"seconds", run.seconds},
            {"seconds_of_model", run.seconds_of_model > 0 ? Json(run.seconds_of_model) : Json()},
            {"verdict", run.verdict},
            {"modes", run.modes},
            {"pass", e.pass()},
            {"wrong", e.wrong()}});
  return j;
}

void Tally::add(const Measured& run) {
  ++runs;
  if (!run.failure.empty())
    return;
  const bool converged = run.verdict == "converged";
  passes += run.errors.pass();
  wrong += run.errors.wrong();
  wrong_converged += run.errors.wrong() && converged;
  right_not_converged += run.errors.pass() && !converged;
  if (run.errors.has_w1())
    w1_ratios.push_back(run.errors.w1_ratio);
  quantiles.push_back(run.errors.quantile);
  gradients.push_back(run.gradients);
  seconds.push_back(run.seconds);
}

Json Tally::json() const {
  const auto good = std::ranges::count_if(quantiles, [](double q) { return q < 0.15; });
  return {{"median_w1_ratio", median_of(w1_ratios)},
          {"quantile_below_0.15", good},
          {"runs", runs},
          {"passes", passes},
          {"wrong", wrong},
          {"wrong_but_converged", wrong_converged},
          {"right_but_not_converged", right_not_converged},
          {"median_gradients", median_of(gradients)},
          {"median_seconds", median_of(seconds)}};
}

} // namespace starling::tool
