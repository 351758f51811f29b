// From a recipe to a plan: every text is read here, once.
#include "plan/batch.hpp"
#include "plan/kernel_text.hpp"
#include "plan/names.hpp"
#include "plan/spec.hpp"
#include "plan/stages.hpp"
#include "plan/start.hpp"

#include <starling/deal/draw.hpp>
#include <starling/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace starling::plan {

namespace {

constexpr std::uint64_t largest_exact_median = 20000; // 1.6 GB of distances in double
constexpr std::uint64_t usual_steps = 1000;
constexpr std::uint64_t most_steps = std::uint64_t{1} << 40;
constexpr std::uint64_t most_blocks = 1 << 20;

std::string quoted(const std::string& text) { return "'" + text + "'"; }

void resolve_numbers(const Recipe& r, Plan& plan) {
  if (r.blocks != undecided && (r.blocks == 0 || r.blocks > most_blocks))
    reject("blocks", fmt::format("between 1 and {}", most_blocks), std::to_string(r.blocks));
  plan.blocks = r.blocks == undecided ? 0 : r.blocks;
  if (r.particles == 0)
    reject("particles", "at least 1", "0");
  if (r.particles > UINT32_MAX)
    reject("particles", "below 2^32", std::to_string(r.particles));
  if (r.steps == undecided)
    plan.recipe.steps = usual_steps;
  else if (r.steps > most_steps)
    reject("steps", "at most 2^40", std::to_string(r.steps));
  if (r.runs == 0 || r.runs > 1000)
    reject("runs", "between 1 and 1000", std::to_string(r.runs));
  if (r.threads > 1024)
    reject("threads", "at most 1024", std::to_string(r.threads));
  plan.single = choose("precision", r.precision, {"double", "single"}) == 1;
  plan.particles = r.particles;
  plan.steps = plan.recipe.steps;
  plan.seed = r.seed;
  plan.runs = r.runs;
  plan.threads = r.threads;
  plan.replace = r.replace;
  plan.until_converged = r.until_converged;
  if (plan.until_converged && plan.replace)
    refuse("until-converged",
           "cannot be used with --replace, which moves only a few particles in a step");
}

void resolve_device(const Recipe& r, Plan& plan) {
  const auto [name, number] = parse_named(r.device);
  if (choose("device", name, {"cpu", "cuda"}) == 0 && r.device != "cpu")
    reject("device", "cpu, cuda or cuda:N", quoted(r.device));
  if (name == "cpu")
    return;
  plan.card_by_rank = number.empty();
  plan.card = plan.card_by_rank ? 0 : parse_count("device cuda:N", number, 0);
}

void resolve_rule(const Recipe& r, Plan& plan) {
  plan.rule = &rules()[choose("advance", r.advance, names_of(rules()))];
  check({"step-size", 0.1, "", positive}, *r.step_size);
  plan.step_size = *r.step_size;
  for (const RuleEntry& rule : rules()) // those of other rules are checked too, and then left out
    for (Setting setting : rule.settings) {
      const std::string key = setting.name, option = rule.name + "-" + key;
      setting.name = option;
      const Value value = r.extra.contains(option) ? r.extra.at(option) : setting.default_value;
      check(setting, value);
      if (&rule == plan.rule)
        plan.rule_settings[key] = plan.recipe.extra[option] = value;
    }
}

void resolve_target(const Recipe& r, Plan& plan) {
  if (r.target == "guest")
    return; // brought by a program
  plan.target = &targets()[choose("target", r.target, names_of(targets()))];
  const Given settings = with_defaults(plan.target->settings, r.extra);
  plan.make_target = plan.target->prepare(settings);
  for (const auto& [name, value] : settings)
    plan.recipe.extra[name] = value;
  if (!r.domain.empty() && !plan.target->torus)
    refuse("domain", fmt::format("the target {} is not periodic; remove --domain", r.target));
}

void resolve_domain(const Recipe& r, Plan& plan) {
  if (r.domain.empty())
    return;
  const auto [name, period] = parse_named(r.domain);
  choose("domain", name, {"torus"});
  const double length = parse_number("domain torus:L", period);
  check({"domain torus:L", 1.0, "", positive}, length);
  plan.period = length;
}

Bandwidth read_bandwidth(const std::string& text) {
  const auto [name, argument] = parse_named(text);
  if (name == "none")
    return NoBandwidth();
  if (name == "median")
    return argument.empty() ? Bandwidth(MedianOfAll())
                            : MedianOfPairs{parse_count("bandwidth median:M", argument, 1)};
  double h = NAN;
  try {
    h = parse_number("bandwidth", text);
  } catch (const std::invalid_argument&) { // said below, with the other forms
  }
  if (!(h > 0))
    reject("bandwidth", "a positive number, median or median:M", quoted(text));
  return FixedBandwidth{h};
}

void resolve_bandwidth(const Recipe& r, Plan& plan) {
  const bool has_one =
      std::ranges::any_of(plan.kernel, [](auto& term) { return term.kernel->has_bandwidth; });
  std::string& text = plan.recipe.bandwidth;
  if (!has_one) {
    if (!r.bandwidth.empty() && r.bandwidth != "none")
      refuse("bandwidth", fmt::format("kernel {} has none; remove --bandwidth", r.kernel));
    text = "none";
  }
  if (text.empty())
    text = "median:1000";
  plan.bandwidth = read_bandwidth(text);
  if (has_one && std::holds_alternative<NoBandwidth>(plan.bandwidth))
    reject("bandwidth", "a positive number, median or median:M", "'none'");
  if (std::holds_alternative<MedianOfAll>(plan.bandwidth) && r.particles > largest_exact_median)
    reject("bandwidth", fmt::format("median:M (M pairs) above {} particles", largest_exact_median),
           "'median'");
}

void resolve_kernel(const Recipe& r, Plan& plan) {
  plan.kernel = parse_kernel(r.kernel);
  for (const KernelTerm& term : plan.kernel) {
    if (term.kernel->over_everyone && (plan.replace || plan.period))
      refuse("kernel", fmt::format("the {} part needs all of R^d, and batches without --replace",
                                   term.kernel->name));
    if (plan.period && (!term.kernel->radial || term.kernel->singular))
      refuse("kernel",
             fmt::format("{} cannot be used on a torus, which needs smooth kernels of the distance",
                         term.kernel->name));
  }
  if (plan.rule->stochastic)
    for (const KernelTerm& term : plan.kernel) {
      if (term.kernel->for_each_parameter)
        refuse("kernel", fmt::format("--advance {} needs a kernel with one value for a pair; {} "
                                     "has a value for each parameter",
                                     r.advance, term.kernel->name));
      else if (term.kernel->singular)
        refuse("kernel",
               fmt::format("--advance {} needs a kernel that is finite at distance zero; {} is not",
                           r.advance, term.kernel->name));
    }
  if (plan.rule->for_riesz_pairs) {
    const KernelTerm& first = plan.kernel.front();
    if (plan.kernel.size() != 1 || !first.kernel->singular || first.weight != 1)
      refuse("kernel", fmt::format("--advance {} needs --kernel riesz:a=A alone; got '{}'",
                                   r.advance, r.kernel));
    if (plan.batch_size() != 2 || !plan.batch || plan.grows)
      refuse("batch", fmt::format("--advance {} moves pairs: use --batch 2; got {}", r.advance,
                                  plan.recipe.batch));
  }
}

void resolve_deal(const Recipe& r, Plan& plan) {
  if (!r.deal.empty()) {
    plan.dealer = &dealers()[choose("deal", r.deal, names_of(dealers()))];
    if (!plan.dealer->fits(plan))
      refuse("deal", fmt::format("{} cannot deal these batches ({})", r.deal, plan.dealer->help));
    return;
  }
  for (const DealerEntry& dealer : dealers()) // a card deals by address, as those for many
                                              // particles do, and pairs by a matching
    if (dealer.fits(plan) && (plan.card || plan.particles >= dealer.least_particles))
      plan.dealer = &dealer;
  plan.recipe.deal = plan.dealer->name;
}

} // namespace

Plan resolve(const Recipe& given) {
  const Recipe r = with_defaults(given);
  Plan plan;
  plan.recipe = r;
  plan.recipe.extra.clear(); // filled in again with what counts
  resolve_stages(given, plan);
  resolve_numbers(r, plan);
  resolve_device(r, plan);
  resolve_rule(r, plan);
  resolve_target(r, plan);
  resolve_batch(r, plan);
  if (plan.stages && !given.batch.empty())
    plan.stages->batch = plan.batch_size();
  resolve_domain(r, plan);
  resolve_kernel(r, plan);
  resolve_bandwidth(r, plan);
  resolve_deal(r, plan);
  resolve_start(plan);
  if (plan.stages) // nothing of the raw method is a part of it
    for_each_pair(given, plan.recipe, [](const FieldInfo& info, const auto& as_given, auto& field) {
      if (info.raw)
        field = as_given;
    });
  return plan;
}

Step Plan::loop_steps() const {
  return replace ? Draw(seed, batch_size()).draws(steps, particles) : steps;
}

std::vector<std::string> Plan::warnings() const {
  std::vector<std::string> found;
  if (too_few_for_stages)
    found.push_back(fmt::format(
        "{} particles are too few for --method auto: this run uses --method paper", particles));
  for (const KernelTerm& term : kernel)
    if (term.kernel->singular) {
      found.push_back(fmt::format(
          "kernel {} is infinite at distance zero: its self term is dropped", term.kernel->name));
      if (!rule->for_riesz_pairs)
        found.push_back(fmt::format(
            "kernel {} without --advance splitting can overflow when two particles meet",
            term.kernel->name));
    }
  if (period && target && !target->may_be_periodic)
    found.push_back(fmt::format(
        "target {} is not periodic: its density jumps at the edge of the torus", target->name));
  return found;
}

} // namespace starling::plan
