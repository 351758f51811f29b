// From a plan to rows that are spread over ranks.
#include "assemble/on_ranks.hpp"

#include <starling/kernel/bandwidth.hpp>

#include <algorithm>
#include <memory>
#include <numeric>

namespace starling::assemble {

namespace {

using plan::Plan;

/// The places that a median is taken from, and how; nothing where the bandwidth does not depend on
/// the cloud.
template <typename Real, typename Domain>
void put_bandwidth(const Plan& plan, std::uint64_t seed, Threads& threads, Domain domain,
                   mpi::RunSpec<Real>& spec) {
  const std::size_t n = plan.particles;
  const auto everyone = [n](Step) {
    std::vector<std::uint32_t> all(n);
    std::iota(all.begin(), all.end(), std::uint32_t{0});
    return all;
  };
  if (std::holds_alternative<plan::MedianOfAll>(plan.bandwidth)) {
    spec.drawn = everyone;
    spec.from_drawn = kernel::MedianBandwidth<Real, Domain>(domain);
  } else if (const auto* some = std::get_if<plan::MedianOfPairs>(&plan.bandwidth)) {
    const auto rule = std::make_shared<kernel::SampledMedianBandwidth<Real, Domain>>(
        seed, some->pairs, domain, threads);
    if (rule->everyone(n)) {
      spec.drawn = everyone;
      spec.from_drawn = [rule](Step k, Rows<const Real> x) { return (*rule)(k, x); };
    } else {
      spec.drawn = [rule, n](Step k) {
        std::vector<std::uint32_t> drawn;
        rule->draw(k, static_cast<std::uint32_t>(n), [&](std::uint32_t i, std::uint32_t j) {
          drawn.push_back(i);
          drawn.push_back(j);
        });
        return drawn;
      };
      spec.from_drawn = [rule, n](Step, Rows<const Real> x) { return rule->of_drawn(x, n); };
    }
  }
  if (spec.drawn)
    spec.bandwidth = std::make_shared<Real>(Real(1));
}

/// Sizes never fall; batches of few rows may be larger than asked for.
std::size_t largest_batch(const Plan& plan) {
  const std::size_t rows = plan.particles;
  const std::size_t pieces = Batches::pieces(rows, (*plan.batch)(plan.loop_steps(), rows));
  return (rows + pieces - 1) / pieces;
}

} // namespace

bool can_spread(const Plan& plan, std::size_t ranks) {
  return plan.blocks >= ranks && plan.batch && plan.dealer->orders && !plan.stages &&
         !plan.replace && !plan.rule->for_riesz_pairs && !plan.rule->stochastic &&
         std::ranges::none_of(plan.kernel,
                              [](const plan::KernelTerm& term) {
                                return term.kernel->over_everyone ||
                                       term.kernel->for_each_parameter;
                              }) &&
         mpi::Blocks(plan.particles, plan.blocks, ranks).all_have_rows();
}

template <typename Real>
mpi::RunSpec<Real> spread_run_spec(const Plan& plan, std::uint64_t seed,
                                   const run::Roles<Real>& roles, std::shared_ptr<mpi::Wire> wire,
                                   std::function<void(Step, Rows<const Real>, Rows<Real>)> score) {
  Threads& threads = *roles.threads;
  mpi::RunSpec<Real> spec{.wire = std::move(wire),
                          .blocks = plan.blocks,
                          .dealing = mpi::Dealing(plan.dealer->orders(plan, seed, threads)),
                          .score = std::move(score),
                          .drift = {},
                          .largest_batch = largest_batch(plan)};
  if (plan.period)
    put_bandwidth<Real>(plan, seed, threads, Torus<Real>(static_cast<Real>(*plan.period)), spec);
  else
    put_bandwidth<Real>(plan, seed, threads, Euclid<Real>(), spec);
  spec.drift = make_drift<Real>(plan, seed, roles.target.dim, threads, spec.bandwidth);
  return spec;
}

template mpi::RunSpec<double>
spread_run_spec(const Plan&, std::uint64_t, const run::Roles<double>&, std::shared_ptr<mpi::Wire>,
                std::function<void(Step, Rows<const double>, Rows<double>)>);
template mpi::RunSpec<float>
spread_run_spec(const Plan&, std::uint64_t, const run::Roles<float>&, std::shared_ptr<mpi::Wire>,
                std::function<void(Step, Rows<const float>, Rows<float>)>);

} // namespace starling::assemble
