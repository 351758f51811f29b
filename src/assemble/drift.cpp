// The drift of a plan: kernels, bandwidth and domain; and the step that needs the same kernel.
#include "assemble/roles.hpp"

#include "plan/names.hpp"

#include <starling/advance/stochastic_step.hpp>
#include <starling/cpu/sum_drift.hpp>
#include <starling/drift/adaptive.hpp>
#include <starling/drift/batch_mean.hpp>
#include <starling/drift/bilinear.hpp>
#include <starling/drift/marginals.hpp>
#include <starling/kernel/bandwidth.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace starling::assemble {

namespace {

using plan::Plan;

template <typename Real>
using BandwidthRule = std::function<Real(Step, Rows<const Real>)>;

/// None where the kernel has no bandwidth.
template <typename Real, typename Domain>
BandwidthRule<Real> make_bandwidth(const Plan& plan, std::uint64_t seed, Threads& threads,
                                   Domain domain) {
  if (const auto* fixed = std::get_if<plan::FixedBandwidth>(&plan.bandwidth))
    return kernel::FixedBandwidth<Real>(static_cast<Real>(fixed->h));
  if (std::holds_alternative<plan::MedianOfAll>(plan.bandwidth))
    return kernel::MedianBandwidth<Real, Domain>(domain);
  if (const auto* some = std::get_if<plan::MedianOfPairs>(&plan.bandwidth))
    return kernel::SampledMedianBandwidth<Real, Domain>(seed, some->pairs, domain, threads);
  return nullptr;
}

template <typename Real>
kernel::AnyKernel<Real> make_kernel(const plan::KernelTerm& term, std::size_t dim) {
  const plan::KernelEntry& entry = *term.kernel;
  if (entry.only_dim != 0 && entry.only_dim != dim)
    plan::refuse("kernel", fmt::format("{} is for {} dimension{}; the target has {}", entry.name,
                                       entry.only_dim, entry.only_dim == 1 ? "" : "s", dim));
  return entry.make.in<Real>()(term.settings, dim);
}

/// What is summed inside batches.
template <typename Real>
kernel::RuntimeSum<Real> make_sum(const Plan& plan, std::size_t dim) {
  std::vector<kernel::Term<Real>> terms;
  for (const plan::KernelTerm& term : plan.kernel)
    if (!term.kernel->over_everyone)
      terms.push_back({static_cast<Real>(term.weight), make_kernel<Real>(term, dim)});
  return kernel::RuntimeSum<Real>(std::move(terms));
}

/// The weight of the bilinear part.
double bilinear_weight(const Plan& plan, std::size_t dim) {
  double weight = 0;
  for (const plan::KernelTerm& term : plan.kernel)
    if (term.kernel->over_everyone && !term.kernel->for_each_parameter)
      weight += term.weight / static_cast<double>(dim);
  return weight;
}

template <typename Real, typename Drift>
run::AnyDrift<Real> with_bandwidth(Drift drift, BandwidthRule<Real> rule) {
  if (rule)
    return AdaptiveDrift<Real, Drift, BandwidthRule<Real>>(std::move(drift), std::move(rule));
  return drift;
}

template <typename Real, typename Domain>
run::AnyDrift<Real> in_batches(const Plan& plan, std::uint64_t seed, std::size_t dim,
                               Threads& threads, Domain domain,
                               const std::shared_ptr<const Real>& given) {
  kernel::RuntimeSum<Real> sum = make_sum<Real>(plan, dim);
  if (plan.rule->for_riesz_pairs) // the rule solves the repulsion by itself
    sum = kernel::RuntimeSum<Real>({{1, kernel::RieszAttraction<Real>(static_cast<Real>(
                                            plan::number(plan.kernel[0].settings, "a")))}});
  cpu::SumDrift<Real, Domain> drift(std::move(sum), threads, domain);
  auto rule = make_bandwidth<Real>(plan, seed, threads, domain);
  if (given)
    rule = [given](Step, Rows<const Real>) { return *given; };
  if (plan.rule->stochastic)
    return with_bandwidth<Real>(BatchMeanDrift<Real, decltype(drift)>(std::move(drift), threads),
                                std::move(rule));
  return with_bandwidth<Real>(std::move(drift), std::move(rule));
}

} // namespace

template <typename Real>
run::AnyDrift<Real> make_drift(const Plan& plan, std::uint64_t seed, std::size_t dim,
                               Threads& threads, std::shared_ptr<const Real> bandwidth) {
  if (plan.period)
    return in_batches<Real>(plan, seed, dim, threads, Torus<Real>(static_cast<Real>(*plan.period)),
                            bandwidth);
  auto drift = in_batches<Real>(plan, seed, dim, threads, Euclid<Real>(), bandwidth);
  // Parts that are exact over all particles are no part of the batches' kernel.
  for (const plan::KernelTerm& term : plan.kernel)
    if (term.kernel->over_everyone && term.kernel->for_each_parameter)
      drift = WithMarginals<Real, run::AnyDrift<Real>>(
          std::move(drift), static_cast<Real>(term.weight),
          static_cast<Real>(plan::number(term.settings, "h")), threads);
  if (const double bilinear = bilinear_weight(plan, dim); bilinear > 0)
    return WithBilinear<Real, run::AnyDrift<Real>>(std::move(drift), static_cast<Real>(bilinear),
                                                   threads);
  return drift;
}

namespace {

/// R^d or a torus, decided at run time: beside a matrix root for each batch that costs nothing, and
/// the step is compiled once.
template <typename Real>
struct EitherDomain {
  std::optional<Torus<Real>> torus;

  Real chord(Real difference) const { return torus ? torus->chord(difference) : difference; }
  Real wrap(Real coordinate) const { return torus ? torus->wrap(coordinate) : coordinate; }
};

} // namespace

template <typename Real>
run::AnyAdvance<Real> make_stochastic(const Plan& plan, std::uint64_t seed, std::size_t dim,
                                      Threads& threads) {
  EitherDomain<Real> domain;
  if (plan.period)
    domain.torus.emplace(static_cast<Real>(*plan.period));
  const DecayingStep<Real> rule(plan.step_size, plan::number(plan.rule_settings, "tau"),
                                plan::number(plan.rule_settings, "power"));
  return StochasticStep<Real, kernel::RuntimeSum<Real>, EitherDomain<Real>>(
      seed, rule, make_sum<Real>(plan, dim), threads, domain,
      domain.torus ? make_bandwidth<Real>(plan, seed, threads, *domain.torus)
                   : make_bandwidth<Real>(plan, seed, threads, Euclid<Real>()),
      bilinear_weight(plan, dim));
}

template run::AnyAdvance<double> make_stochastic(const Plan&, std::uint64_t, std::size_t, Threads&);
template run::AnyAdvance<float> make_stochastic(const Plan&, std::uint64_t, std::size_t, Threads&);
template run::AnyDrift<double> make_drift(const Plan&, std::uint64_t, std::size_t, Threads&,
                                          std::shared_ptr<const double>);
template run::AnyDrift<float> make_drift(const Plan&, std::uint64_t, std::size_t, Threads&,
                                         std::shared_ptr<const float>);

} // namespace starling::assemble
