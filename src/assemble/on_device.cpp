// From a plan to a spec: kernels, rules, dealers and targets that a card has, and one sentence
// for those it has not.
#include "assemble/on_device.hpp"

#include "assemble/also_on_card.hpp"
#include "assemble/wrap.hpp"
#include "cuda/density_on_card.hpp"
#include "cuda/sweep_blocks.hpp"
#include "plan/names.hpp"

#include <starling/row_density.hpp>
#include <starling/target/even_normal.hpp>
#include <starling/target/mixture.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <new>

namespace starling::assemble {

namespace {

using plan::Plan;

[[noreturn]] void cannot(const std::string& sentence) {
  plan::refuse("device", sentence + "; use --device cpu");
}

/// Fills in a target whose formula a card has; false where it has none for it.
template <typename Real>
bool put_shape(const Plan& plan, cuda::Scoring<Real>& target, std::vector<Real>& numbers) {
  using Scoring = cuda::Scoring<Real>;
  const std::string& name = plan.target->name;
  const plan::Given settings = plan::with_defaults(plan.target->settings, plan.recipe.extra);
  if (name == "normal") {
    const EvenNormal<Real> one(plan::count(settings, "dim"), plan::number(settings, "correlation"));
    target.kind = Scoring::Kind::normal;
    target.normal = one.form();
    numbers.assign(one.mean().begin(), one.mean().end());
  } else if (name == "mixture") {
    const Mixture<Real> one(mixture_components(settings));
    target.kind = Scoring::Kind::mixture;
    target.mixture = {one.dim(), one.constants().size(), nullptr, nullptr, nullptr};
    for (const auto part : {one.constants(), one.means(), one.precisions()})
      numbers.insert(numbers.end(), part.begin(), part.end());
  } else if (name == "banana") {
    target.kind = Scoring::Kind::banana;
    new (&target.banana) Banana<Real>(Real(plan::number(settings, "curvature")),
                                      Real(plan::number(settings, "width")));
  } else if (name == "funnel") {
    target.kind = Scoring::Kind::funnel;
    new (&target.funnel)
        Funnel<Real>(plan::count(settings, "dim"), Real(plan::number(settings, "width")));
  } else {
    return false;
  }
  return true;
}

void refuse_function_of_the_host() {
  cannot("cuda needs a function that works on a GPU, as from_jax and from_torch make them; this "
         "one works on the CPU");
}

template <typename Real>
void put_target(const Plan& plan, const run::AnyTarget<Real>& any, cuda::RunSpec<Real>& spec) {
  spec.outside = on_card(any);
  if (spec.outside && spec.outside->on)
    return;
  spec.outside = nullptr;
  if (!plan.target)
    refuse_function_of_the_host();
  if (put_shape(plan, spec.target, spec.numbers))
    return;
  const std::string& name = plan.target->name;
  if (name == "plugin") {
    cannot(fmt::format("{} does not export starling_score_on_device_{}, or scores rows of data, so "
                       "a GPU cannot score it",
                       plan.recipe.text_of("model"), plan.single ? "single" : "double"));
  } else if (name == "logistic") {
    cannot("cuda does not support rows of a .npy file");
  } else {
    cannot(fmt::format(
        "cuda supports the targets normal, mixture, banana, funnel, logistic and plugin, not {}",
        name));
  }
}

/// The names of the entries that a card has, as they are told: "a, b or c".
template <typename Entry, typename Has>
std::string names_on_card(std::span<const Entry> table, const char* before_last, Has has) {
  std::vector<std::string> names;
  for (const Entry& entry : table)
    if (has(entry))
      names.push_back(entry.name);
  const std::string last = names.back();
  names.pop_back();
  return fmt::format("{} {} {}", fmt::join(names, ", "), before_last, last);
}

template <typename Real>
void put_kernel(const Plan& plan, cuda::RunSpec<Real>& spec) {
  if (plan.kernel.size() > cuda::Pairs<Real>::most)
    cannot(fmt::format("cuda supports sums of at most {} kernels", cuda::Pairs<Real>::most));
  spec.pairs.count = static_cast<std::uint32_t>(plan.kernel.size());
  for (std::size_t t = 0; t < plan.kernel.size(); ++t) {
    const plan::KernelTerm& asked = plan.kernel[t];
    cuda::Term<Real>& term = spec.pairs.terms[t];
    if (!asked.kernel->on_card)
      cannot(fmt::format("cuda supports the kernels {}, not {}",
                         names_on_card(plan::kernels(), "and",
                                       [](const plan::KernelEntry& one) { return one.on_card; }),
                         asked.kernel->name));
    std::visit([&](const auto& kernel) { term.take(kernel); },
               asked.kernel->make.in<Real>()(asked.settings, spec.dim));
    term.weight = static_cast<Real>(asked.weight);
  }
  if (const auto* fixed = std::get_if<plan::FixedBandwidth>(&plan.bandwidth))
    spec.bandwidth = fixed->h;
  if (const auto* some = std::get_if<plan::MedianOfPairs>(&plan.bandwidth))
    spec.median_pairs = some->pairs;
  if (std::holds_alternative<plan::MedianOfAll>(plan.bandwidth) ||
      spec.median_pairs > cuda::MedianOfPairs<Real>::most)
    cannot(fmt::format(
        "cuda supports the median of at most {} pairs: use --bandwidth median:M, or a number",
        cuda::MedianOfPairs<Real>::most));
}

template <typename Real>
void put_rule(const Plan& plan, cuda::RunSpec<Real>& spec) {
  const auto& make = plan.rule->on_card.template in<Real>();
  if (!make)
    cannot(fmt::format(
        "cuda supports --advance {}, not {}",
        names_on_card(plan::rules(), "or",
                      [](const plan::RuleEntry& one) { return !!one.on_card.in_double; }),
        plan.rule->name));
  spec.rule = make(plan, plan.rule_settings);
}

template <typename Real>
void put_orders(const Plan& plan, std::uint64_t seed, cuda::RunSpec<Real>& spec) {
  if (plan.replace)
    cannot("cuda moves all particles in each step, so it does not support --replace");
  if (!plan.batch) {
    spec.orders = Orders::everyone(plan.particles);
    return;
  }
  if (!plan.dealer->on_card)
    cannot(fmt::format("cuda supports --deal {}, not {}",
                       names_on_card(plan::dealers(), "or",
                                     [](const plan::DealerEntry& one) { return one.on_card; }),
                       plan.dealer->name));
  spec.orders = plan.dealer->orders(plan, seed, Threads::alone());
}

} // namespace

template <typename Real>
cuda::RunSpec<Real> card_run_spec(const Plan& plan, std::uint64_t seed,
                                  const run::AnyTarget<Real>& target) {
  if (plan.period)
    cannot("cuda does not support --domain torus:L");
  cuda::RunSpec<Real> spec;
  spec.particles = plan.particles;
  spec.dim = target.dim;
  spec.names = target.names;
  spec.seed = seed;
  put_target(plan, target, spec);
  put_kernel(plan, spec);
  put_rule(plan, spec);
  put_orders(plan, seed, spec);
  return spec;
}

void put_density_on_card(const Plan& plan, const UserTarget* user_target, const mpi::Wire& wire,
                         run::AnyTarget<double>& target) {
  const auto put = [&]<typename Real>(const cuda::Outside<Real>& there) {
    const auto density =
        std::make_shared<cuda::DensityOnCard<Real>>(cuda::opened(card_of(plan, wire)), there);
    target.evaluate = [density](Rows<const double> x, Rows<double> score,
                                std::span<double> log_density) {
      (*density)(x, score, log_density);
    };
  };
  if (user_target && user_target->rows) {
    if (!user_target->rows_on_card)
      refuse_function_of_the_host();
    return;
  }
  if (user_target && user_target->card_counts_in_single && user_target->on_card_in_single)
    return put(*user_target->on_card_in_single);
  const auto there = on_card(target);
  if (there && there->rows) {
    const auto rows = there->rows(cuda::opened(card_of(plan, wire)));
    if (target.rows)
      target.rows = rows;
    target.evaluate = rows->all;
    return;
  }
  if (there && there->has_log_density)
    return put(*there);
  if (!plan.target)
    refuse_function_of_the_host();
  cuda::Scoring<double> shape;
  std::vector<double> numbers;
  if (put_shape(plan, shape, numbers))
    return put(*cuda::shape_on_card(shape, std::move(numbers)));
  if (plan.target->name == "plugin")
    cannot(plan.recipe.text_of("model") + " does not export starling_log_density_on_device, or "
                                          "scores rows of data, so a GPU cannot compute it");
  cannot(fmt::format("with --method auto cuda supports the targets normal, mixture, banana, "
                     "funnel, logistic, linear, poisson, multinomial and plugin, not {}",
                     plan.target->name));
}

std::size_t card_of(const Plan& plan, const mpi::Wire& wire, std::size_t (*cards)()) {
  if (!plan.card_by_rank || wire.size() == 1)
    return *plan.card;
  const std::size_t many = cards();
  return many == 0 ? 0 : wire.rank_on_machine() % many; // whoever opens it says that there is none
}

template cuda::RunSpec<double> card_run_spec(const Plan&, std::uint64_t,
                                             const run::AnyTarget<double>&);
template cuda::RunSpec<float> card_run_spec(const Plan&, std::uint64_t,
                                            const run::AnyTarget<float>&);

} // namespace starling::assemble
