// Section 5's suggestion, a batch that grows with time: errors on the mixture against pairs paid
// for.
#include "mixture_runs.hpp"

#include <starling/deal/shuffle.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace starling::reproduce {
namespace {

const std::vector<Step> looks = {50, 75, 100, 125, 150, 200, 250, 300, 400, 500};

struct Schedule {
  std::string label, rule;
  BatchSize size;
  std::vector<Squares> squares = {}; // [look]
  std::vector<double> pairs = {};    // [look]: ordered pairs per particle so far
};

std::vector<Schedule> all_schedules() {
  return {{"p = 2", "fixed", BatchSize(2)},
          {"p = 8", "fixed", BatchSize(8)},
          {"p = 32", "fixed", BatchSize(32)},
          {"doubling", "p = 2, doubled after every 100 steps", BatchSize::doubling(2, 100)},
          {"square root", "p = 2 sqrt(1 + k) at step k", BatchSize::power(2, 0.5)}};
}

std::vector<double> cost(const BatchSize& size, std::size_t population) {
  std::vector<double> pairs;
  Shuffle deal(1, size);
  double sum = 0;
  for (Step k = 0; k < looks.back(); ++k) {
    const Batches& batches = deal.deal(k, population);
    for (std::size_t q = 0; q < batches.count(); ++q)
      sum += static_cast<double>(batches[q].size() * (batches[q].size() - 1)) /
             static_cast<double>(population);
    if (std::ranges::find(looks, k + 1) != looks.end())
      pairs.push_back(sum);
  }
  return pairs;
}

/// Squared errors at every look, [look][start][function].
std::vector<Squares> errors_on_the_way(Scope& scope, const MixtureSetting& setting,
                                       const BatchSize& size, std::size_t starts) {
  std::vector<Squares> squares(looks.size(), Squares(starts));
  scope.threads.for_pieces(starts, 1, [&](std::size_t r, std::size_t) {
    run_mixture(setting, r + 1, Shuffle(r + 1, size), looks.back(),
                [&](Step done, std::span<const double> x) {
                  const auto look = std::ranges::find(looks, done);
                  if (look != looks.end())
                    squares[static_cast<std::size_t>(look - looks.begin())][r] = squared_errors(x);
                });
  });
  return squares;
}

/// The growing batch after `step` steps beside a fixed one that was allowed to pay at least as
/// much.
Claim better_for_its_price(const Schedule& growing, Step step, const Schedule& fixed) {
  const auto g = static_cast<std::size_t>(std::ranges::find(looks, step) - looks.begin());
  const auto f = static_cast<std::size_t>(std::ranges::lower_bound(fixed.pairs, growing.pairs[g]) -
                                          fixed.pairs.begin());
  Claim claim{
      fmt::format("A batch that grows is more accurate than {} at no more cost", fixed.label),
      "section 5",
      fmt::format("after {:.0f} pairs per particle against {:.0f}:", growing.pairs[g],
                  fixed.pairs[f]),
      Verdict::unclear,
      "holds when it is better for one function at least and worse for none, by twice the standard "
      "error of the "
      "difference over common starts; the growing rule and the steps compared were chosen with the "
      "curves in view"};
  bool better = false, worse = false;
  for (std::size_t n = 0; n < mixture_functions.size(); ++n) {
    const Mean difference = paired_difference(growing.squares[g], fixed.squares[f], n);
    better |= difference.value < -2 * difference.error;
    worse |= difference.value > 2 * difference.error;
    claim.measured +=
        fmt::format("{} E {} {:.2g} and {:.2g} (difference {:.1g} +- {:.1g})", n == 0 ? "" : ",",
                    mixture_functions[n], mse(growing.squares[g], n).value,
                    mse(fixed.squares[f], n).value, difference.value, difference.error);
  }
  claim.verdict = worse ? Verdict::differs : better ? Verdict::holds : Verdict::unclear;
  return claim;
}

} // namespace

Json measure_growing_batch(Scope& scope) {
  const std::size_t starts = scope.quick ? 20 : 100;
  const MixtureSetting setting;
  std::vector<Schedule> schedules = all_schedules();
  Json data = {{"schedules", Json::array()}}, claims = Json::array();
  for (Schedule& schedule : schedules) {
    Json settings = to_json(setting);
    settings.update({{"rule", schedule.rule}, {"steps", looks}, {"starts", starts}});
    schedule.squares =
        scope.parts
            .get("growing-batch/" + schedule.label, settings,
                 [&] { return Json(errors_on_the_way(scope, setting, schedule.size, starts)); })
            .get<std::vector<Squares>>();
    schedule.pairs = cost(schedule.size, setting.population);
    Json points = Json::array();
    for (std::size_t l = 0; l < looks.size(); ++l) {
      Json point = {{"step", looks[l]}, {"pairs", schedule.pairs[l]}};
      point.update(mse_json(schedule.squares[l]));
      points.push_back(point);
    }
    data["schedules"].push_back(
        {{"label", schedule.label}, {"rule", schedule.rule}, {"points", points}});
  }
  const Schedule &eight = schedules[1], &thirty_two = schedules[2], &doubling = schedules[3];
  claims.push_back(to_json(better_for_its_price(doubling, 400, eight)));
  claims.push_back(to_json(better_for_its_price(doubling, 500, thirty_two)));
  Json settings = to_json(setting);
  settings.update({{"steps", looks.back()}, {"starts", starts}});
  return {{"settings", settings}, {"data", data}, {"claims", claims}};
}

} // namespace starling::reproduce
