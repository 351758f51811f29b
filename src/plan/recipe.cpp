// Checking a recipe, and deciding what it left open.
#include "plan/recipe.hpp"

#include "plan/names.hpp"
#include "plan/spec.hpp"

#include <starling/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace starling::plan {

namespace {

constexpr std::uint64_t largest_exact_median = 20000; // 1.6 GB of distances in double

void positive(const char* what, double value) {
  if (!(value > 0) || !std::isfinite(value))
    reject(what, "a positive finite number", fmt::format("{}", value));
}

void resolve_batch(Recipe& r) {
  if (r.batch.empty())
    r.batch = r.particles < 8 ? "all" : "8";
  if (r.batch == "all") {
    if (!r.grow_batch.empty())
      reject("grow-batch", "left out with --batch all", "'" + r.grow_batch + "'");
    if (r.replace)
      reject("replace", "used with a batch smaller than all", "--batch all");
    return;
  }
  const std::size_t p = parse_count("batch", r.batch, 2);
  if (p > r.particles)
    reject("batch", "at most the number of particles, " + std::to_string(r.particles), r.batch);
  if (r.grow_batch.empty())
    return;
  if (r.replace)
    reject("grow-batch", "left out with --replace", "'" + r.grow_batch + "'");
  const auto [rule, argument] = parse_named(r.grow_batch);
  if (choose("grow-batch", rule, {"double", "power"}) == 0)
    parse_count("grow-batch double:K", argument, 1);
  else if (!(parse_number("grow-batch power:G", argument) >= 0))
    reject("grow-batch power:G", "at least 0", "'" + argument + "'");
}

void resolve_deal(Recipe& r) {
  const bool pairs = r.batch == "2" && r.grow_batch.empty() && !r.replace;
  if (r.deal.empty())
    r.deal = pairs ? "matching" : "shuffle";
  if (choose("deal", r.deal, {"shuffle", "matching"}) == 1 && !pairs)
    reject("deal", "shuffle unless --batch is 2, without --replace and --grow-batch", "'matching'");
}

void resolve_kernel(Recipe& r) {
  const auto terms = parse_kernel(r.kernel);
  const bool has_bandwidth = std::ranges::any_of(terms, [](const KernelTerm& term) {
    return term.name.starts_with("gaussian") || term.name == "imq" || term.name.starts_with("matern");
  });
  if (!has_bandwidth) {
    if (!r.bandwidth.empty() && r.bandwidth != "none")
      reject("bandwidth", "left out: kernel " + r.kernel + " has none", "'" + r.bandwidth + "'");
    r.bandwidth = "none";
  }
  if (r.bandwidth.empty())
    r.bandwidth = "median:1000";
  const BandwidthSpec h = parse_bandwidth(r.bandwidth);
  if (has_bandwidth && h.kind == BandwidthSpec::Kind::none)
    reject("bandwidth", "a positive number, median or median:M", "'none'");
  if (h.kind == BandwidthSpec::Kind::median && r.particles > largest_exact_median)
    reject("bandwidth", "median:M (M pairs) above " + std::to_string(largest_exact_median) +
                            " particles", "'median'");
  const bool bilinear = std::ranges::any_of(terms, [](auto& term) { return term.name == "bilinear"; });
  if (bilinear && (r.replace || !r.domain.empty()))
    reject("kernel", "without bilinear on a torus and with --replace", "'" + r.kernel + "'");
  if (!r.domain.empty()) {
    const auto [name, period] = parse_named(r.domain);
    choose("domain", name, {"torus"});
    positive("domain torus:L", parse_number("domain torus:L", period));
    for (const KernelTerm& term : terms)
      if (term.name == "polynomial" || term.name == "riesz")
        reject("kernel", "smooth and of the distance on a torus", term.name);
  }
  if (r.advance == "splitting") {
    if (terms.size() != 1 || terms[0].name != "riesz" || terms[0].weight != 1)
      reject("kernel", "riesz:a=A with --advance splitting", "'" + r.kernel + "'");
    if (r.batch != "2" || !r.grow_batch.empty())
      reject("batch", "2 with --advance splitting", r.batch);
  }
}

void require_model(const Recipe& r) {
  if (r.model.empty())
    reject("model", fmt::format("given for {0}: {0} LIB.so", r.target), "none");
}

void resolve_target(Recipe& r) {
  if (r.target == "guest")
    return;
  switch (choose("target", r.target, {"mixture", "normal", "banana", "funnel", "logistic",
                                      "stan", "plugin"})) {
  case 1:
    parse_count("dim", std::to_string(r.dim), 1);
    if (!(r.correlation > -1 && r.correlation < 1))
      reject("correlation", "between -1 and 1", fmt::format("{}", r.correlation));
    break;
  case 2:
    r.width = r.width == 0 ? 1 : r.width;
    positive("width", r.width);
    break;
  case 3:
    parse_count("dim", std::to_string(r.dim), 2);
    r.width = r.width == 0 ? 3 : r.width;
    positive("width", r.width);
    break;
  case 4:
    if (r.data.empty())
      reject("data", "given for logistic: --data FILE", "none");
    choose("scale", r.scale, {"minmax", "standard", "none"});
    if (!(r.holdout >= 0 && r.holdout < 1))
      reject("holdout", "at least 0 and below 1", fmt::format("{}", r.holdout));
    break;
  case 5:
    require_model(r);
    if (!r.data.empty() && !r.data.ends_with(".json")) // else BridgeStan takes it for the data itself
      reject("data", "a FILE.json for stan", "'" + r.data + "'");
    break;
  case 6:
    require_model(r);
    break;
  default:
    break;
  }
  if (!r.domain.empty() && (r.target == "logistic" || r.target == "stan"))
    reject("domain", "left out for " + r.target, "'" + r.domain + "'");
}

void resolve_start(Recipe& r) {
  if (r.start.empty())
    r.start = r.target == "stan" ? "stan" : "normal:0,1";
  const auto [name, argument] = parse_named(r.start);
  if (r.start == "given") // by a program
    return;
  if (r.start.ends_with(".npy") || r.start.ends_with(".checkpoint"))
    return;
  if (r.target == "stan" && (r.start == "stan" || r.start.ends_with(".csv")))
    return;
  if (choose("start", name, {"normal", "uniform", "prior", "FILE.npy"}) == 2) {
    if (r.target != "logistic")
      reject("start", "normal:MEAN,SD, uniform:LO,HI or FILE.npy for " + r.target, "'prior'");
    if (r.start != "prior")
      reject("start", "prior without settings", "'" + r.start + "'");
    return;
  }
  const auto numbers =
      argument.empty() ? std::vector<double>() : parse_numbers("start", argument);
  if (numbers.size() != 2 || (name == "uniform" && !(numbers[0] < numbers[1])) ||
      (name == "normal" && !(numbers[1] >= 0)))
    reject("start", name == "uniform" ? "uniform:LO,HI with LO below HI"
                                      : "normal:MEAN,SD with SD at least 0",
           "'" + r.start + "'");
}

} // namespace

void resolve(Recipe& r) {
  if (r.particles == 0)
    reject("particles", "at least 1", "0");
  if (r.particles > UINT32_MAX)
    reject("particles", "below 2^32", std::to_string(r.particles));
  if (r.steps > (std::uint64_t{1} << 40))
    reject("steps", "at most 2^40", std::to_string(r.steps));
  if (r.runs == 0 || r.runs > 1000)
    reject("runs", "between 1 and 1000", std::to_string(r.runs));
  if (r.threads > 1024)
    reject("threads", "at most 1024", std::to_string(r.threads));
  choose("precision", r.precision, {"double", "single"});
  choose("advance", r.advance, {"adagrad", "adagrad-sum", "constant", "decay", "rmsprop", "adam",
                                "rk4", "splitting"});
  positive("step-size", r.step_size);
  positive("decay-tau", r.decay_tau);
  if (!(r.decay_power >= 0) || !std::isfinite(r.decay_power))
    reject("decay-power", "at least 0", fmt::format("{}", r.decay_power));
  if (r.until_converged && r.replace)
    reject("until-converged", "left out with --replace, whose looks see a few particles only", "both");
  resolve_target(r);
  resolve_batch(r);
  resolve_deal(r);
  resolve_kernel(r);
  resolve_start(r);
}

std::vector<std::string> warnings_for(const Recipe& r) {
  std::vector<std::string> warnings;
  const bool singular = ("+" + r.kernel).find("riesz:") != std::string::npos || r.kernel == "riesz";
  if (singular)
    warnings.push_back("kernel riesz is infinite at distance zero: its self term is dropped");
  if (singular && r.advance != "splitting")
    warnings.push_back("kernel riesz without --advance splitting can overflow when two particles meet");
  if (!r.domain.empty() && r.target != "plugin" && r.target != "guest") // those may well be periodic
    warnings.push_back(fmt::format("target {} is not periodic: its density jumps at the edge of the torus",
                                   r.target));
  return warnings;
}

} // namespace starling::plan
