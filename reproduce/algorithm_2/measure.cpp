// Algorithm 2, batches drawn with replacement, beside Algorithm 1 on the mixture, at equal cost.
#include "mixture_runs.hpp"

#include <starling/deal/draw.hpp>

#include <fmt/format.h>

#include <cmath>

namespace starling::reproduce {
namespace {

constexpr Step sweeps = 500;

/// The ratio of the two mean squared errors of f, with its standard error to first order; the
/// starts are common, so the error is that of a - ratio b over b.
Mean ratio_of(const Squares& a, const Squares& b, std::size_t f) {
  const double over = mse(b, f).value, ratio = mse(a, f).value / over;
  std::vector<double> residual;
  for (std::size_t r = 0; r < a.size(); ++r)
    residual.push_back((a[r][f] - ratio * b[r][f]) / over);
  return {ratio, mean_of(residual).error};
}

Claim as_good(std::size_t p, const Squares& with, const Squares& without) {
  Claim claim{
      fmt::format("With p = {} and at equal cost, errors with replacement are those without", p),
      "Algorithms 1 and 2, which the paper states side by side and does not compare", "",
      Verdict::holds,
      "holds when all three ratios are within 3 standard errors of 1, and these below 0.3"};
  for (std::size_t f = 0; f < mixture_functions.size(); ++f) {
    const Mean ratio = ratio_of(with, without, f);
    const Verdict one = claim_near("", "", ratio.value, ratio.error, 1, 3, 0.3).verdict;
    if (one == Verdict::differs || (one == Verdict::unclear && claim.verdict == Verdict::holds))
      claim.verdict = one;
    claim.measured += fmt::format("{}E {} {:.2g} against {:.2g}, {:.2f} +- {:.2f} times",
                                  f == 0 ? "" : "; ", mixture_functions[f], mse(with, f).value,
                                  mse(without, f).value, ratio.value, ratio.error);
  }
  if (claim.verdict == Verdict::differs)
    claim.because += "; in a sweep with replacement some particles move several times and some not "
                     "at all, which may be the "
                     "noise that larger batches do not lower (not tested)";
  return claim;
}

} // namespace

Json measure_algorithm_2(Scope& scope) {
  const std::size_t starts = scope.quick ? 60 : 400;
  const MixtureSetting setting;
  Json data = {{"sizes", Json::array()}}, claims = Json::array();
  for (const std::size_t p : {2, 8, 32}) {
    Json settings = to_json(setting);
    settings.update({{"p", p}, {"sweeps", sweeps}, {"starts", starts}});
    const auto errors = [&](const char* name, Step steps,
                            const std::function<MixtureDealer(std::uint64_t)>& dealer) {
      return scope.parts
          .get(fmt::format("algorithm-2/p = {}, {} replacement", p, name), settings,
               [&] { return Json(mixture_errors(scope.threads, starts, setting, steps, dealer)); })
          .get<Squares>();
    };
    const Squares without = errors("without", sweeps, [&](std::uint64_t seed) {
      return mixture_dealer(seed, p, setting.population);
    });
    // N_T N/p draws of p: as many scores and pairs in all.
    const Squares with = errors("with", Draw(1, p).draws(sweeps, setting.population),
                                [&](std::uint64_t seed) { return MixtureDealer(Draw(seed, p)); });
    data["sizes"].push_back(
        {{"p", p}, {"with_replacement", mse_json(with)}, {"without", mse_json(without)}});
    claims.push_back(to_json(as_good(p, with, without)));
  }
  Json settings = to_json(setting);
  settings.update({{"sweeps", sweeps}, {"starts", starts}});
  return {{"settings", settings}, {"data", data}, {"claims", claims}};
}

} // namespace starling::reproduce
