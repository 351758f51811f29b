// From a recipe to a plan: every text is read here, once.
#include "plan/kernel_text.hpp"
#include "plan/names.hpp"
#include "plan/spec.hpp"
#include "plan/stages.hpp"

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
  if (r.until_converged && r.replace)
    refuse("until-converged",
           "cannot be used with --replace, where a look sees only a few particles");
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
  check({"step-size", 0.1, "", positive}, r.step_size);
  plan.step_size = r.step_size;
  for (const RuleEntry& rule : rules()) // those of other rules are checked too, and then left out
    for (Setting setting : rule.settings) {
      const std::string key = setting.name, option = rule.name + "-" + key;
      setting.name = option;
      const Value value = r.extra.contains(option) ? r.extra.at(option) : setting.usual;
      check(setting, value);
      if (&rule == plan.rule)
        plan.rule_settings[key] = plan.recipe.extra[option] = value;
    }
}

void resolve_target(const Recipe& r, Plan& plan) {
  if (r.target == "guest")
    return; // brought by a program
  plan.target = &targets()[choose("target", r.target, names_of(targets()))];
  const Given settings = with_usual(plan.target->settings, r.extra);
  plan.make_target = plan.target->prepare(settings);
  for (const auto& [name, value] : settings)
    plan.recipe.extra[name] = value;
  if (!r.domain.empty() && !plan.target->torus)
    refuse("domain", fmt::format("{} does not live on a torus; leave --domain out", r.target));
}

BatchSize growing(const std::string& text, std::size_t p) {
  const auto [rule, argument] = parse_named(text);
  if (choose("grow-batch", rule, {"double", "power"}) == 0)
    return BatchSize::doubling(p, parse_count("grow-batch double:K", argument, 1));
  const double power = parse_number("grow-batch power:G", argument);
  if (!(power >= 0))
    reject("grow-batch power:G", "at least 0", quoted(argument));
  return BatchSize::power(p, power);
}

void resolve_batch(const Recipe& r, Plan& plan) {
  std::string text = r.batch;
  if (text.empty())
    text = r.particles < 8 ? "all" : "8";
  plan.recipe.batch = text;
  if (text == "all") {
    if (!r.grow_batch.empty())
      refuse("grow-batch", "cannot be used with --batch all: nothing is left to grow");
    if (r.replace)
      refuse("replace", "needs a batch smaller than all of the particles; got --batch all");
    return;
  }
  if (text == "auto") {
    if (!r.grow_batch.empty())
      refuse("grow-batch", "cannot be used with --batch auto, which grows by itself");
    if (r.replace)
      refuse("batch", "auto cannot be used with --replace, where a look sees only a few particles");
    if (plan.rule->stochastic)
      refuse(
          "batch",
          fmt::format(
              "auto cannot be used with --advance {}, to which batches do no harm: give a number",
              r.advance));
    if (r.particles < 4)
      refuse("batch", "auto needs at least 4 particles");
    plan.batch = BatchSize(2);
    plan.grows = plan.by_looks = true;
    return;
  }
  const std::size_t p = parse_count("batch", text, 2);
  if (p > r.particles)
    reject("batch", "at most the number of particles, " + std::to_string(r.particles), text);
  plan.recipe.batch = std::to_string(p);
  plan.batch = BatchSize(p);
  if (r.grow_batch.empty())
    return;
  if (r.replace)
    refuse("grow-batch", "cannot be used with --replace");
  plan.batch = growing(r.grow_batch, p);
  plan.grows = true;
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
      refuse("bandwidth", fmt::format("kernel {} has none; leave --bandwidth out", r.kernel));
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
    if (term.kernel->over_everyone && (r.replace || plan.period))
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
        refuse("kernel", fmt::format("--advance {} needs a kernel that is one number for two "
                                     "particles; {} is one for each parameter",
                                     r.advance, term.kernel->name));
      else if (term.kernel->singular)
        refuse("kernel",
               fmt::format("--advance {} needs a kernel that is finite at distance zero; {} is not",
                           r.advance, term.kernel->name));
    }
  if (plan.rule->for_riesz_pairs) {
    const KernelTerm& first = plan.kernel.front();
    if (plan.kernel.size() != 1 || !first.kernel->singular || first.weight != 1)
      refuse("kernel", fmt::format("--advance {} solves the repulsion of riesz:a=A alone; got '{}'",
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
      refuse("deal", fmt::format("{} does not deal these batches ({})", r.deal, plan.dealer->help));
    return;
  }
  for (const DealerEntry& dealer : dealers()) // a card deals by address, as those for many
                                              // particles do, and pairs by a matching
    if (dealer.fits(plan) && (plan.card || plan.particles >= dealer.least_particles))
      plan.dealer = &dealer;
  plan.recipe.deal = plan.dealer->name;
}

/// What normal:MEAN,SD and uniform:LO,HI say.
Start read_rule(const std::string& text) {
  const auto [name, argument] = parse_named(text);
  const auto numbers = argument.empty() ? std::vector<double>() : parse_numbers("start", argument);
  const bool uniform = name == "uniform";
  if (numbers.size() != 2 || (uniform ? !(numbers[0] < numbers[1]) : !(numbers[1] >= 0)))
    reject("start",
           uniform ? "uniform:LO,HI with LO below HI" : "normal:MEAN,SD with SD at least 0",
           quoted(text));
  return uniform ? Start(StartUniform{numbers[0], numbers[1]})
                 : StartNormal{numbers[0], numbers[1]};
}

void resolve_start(Plan& plan) {
  std::string& text = plan.recipe.start;
  if (text.empty())
    text = plan.target ? plan.target->usual_start : "normal:0,1";
  if (text == "given") {
    plan.start = StartGiven();
    return;
  }
  if (text.ends_with(".npy") || text.ends_with(".checkpoint")) {
    plan.start = StartFile{text};
    return;
  }
  const std::vector<std::string> own =
      plan.target ? plan.target->starts : std::vector<std::string>();
  for (const std::string& start : own) {
    const bool file = start.starts_with("FILE");
    if (file ? text.ends_with(start.substr(4)) : text == start) {
      plan.start = StartOwn{file ? text : std::string()};
      return;
    }
    if (!file && text.starts_with(start + ":"))
      refuse("start", fmt::format("{} takes no settings; got '{}'", start, text));
  }
  std::vector<std::string> known = {"normal", "uniform"};
  known.insert(known.end(), own.begin(), own.end());
  known.push_back("FILE.npy");
  if (const auto name = parse_named(text).first; name != "normal" && name != "uniform")
    choose("start", name, known);
  plan.start = read_rule(text);
}

} // namespace

Plan resolve(const Recipe& r) {
  Plan plan;
  plan.recipe = r;
  plan.recipe.extra.clear(); // filled in again with what counts
  resolve_stages(r, plan);
  resolve_numbers(r, plan);
  resolve_device(r, plan);
  resolve_rule(r, plan);
  resolve_target(r, plan);
  resolve_batch(r, plan);
  resolve_domain(r, plan);
  resolve_kernel(r, plan);
  resolve_bandwidth(r, plan);
  resolve_deal(r, plan);
  resolve_start(plan);
  if (plan.stages) // nothing of the raw method is a part of it
    for_each_pair(r, plan.recipe, [](const About& about, const auto& given, auto& field) {
      if (about.raw)
        field = given;
    });
  return plan;
}

Step Plan::loop_steps() const {
  return replace ? Draw(seed, batch_size()).draws(steps, particles) : steps;
}

std::vector<std::string> Plan::warnings() const {
  std::vector<std::string> found;
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
