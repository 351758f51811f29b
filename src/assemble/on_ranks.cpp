// From a plan to rows that are spread over ranks.
#include "assemble/on_ranks.hpp"

#include <starling/deal/cosets.hpp>
#include <starling/deal/matching.hpp>
#include <starling/deal/moebius.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/kernel/bandwidth.hpp>

#include <algorithm>
#include <memory>
#include <numeric>

namespace starling::assemble {

namespace {

using plan::Plan;

/// A dealer without its rows. Shared, because what calls it is copied.
template <typename Dealer>
DealRows without_rows(Dealer dealer) {
  return [dealer = std::make_shared<Dealer>(std::move(dealer))](
             Step k, std::size_t n, std::size_t population) -> const Batches& {
    return dealer->deal(k, n, population);
  };
}

/// The places that a median is taken from, and how; nothing where the bandwidth does not depend on
/// the cloud.
template <typename Real, typename Domain>
void put_bandwidth(const Plan& plan, std::uint64_t seed, Threads& threads, Domain domain,
                   mpi::Charge<Real>& charge) {
  const std::size_t n = plan.particles;
  const auto everyone = [n](Step) {
    std::vector<std::uint32_t> all(n);
    std::iota(all.begin(), all.end(), std::uint32_t{0});
    return all;
  };
  if (std::holds_alternative<plan::MedianOfAll>(plan.bandwidth)) {
    charge.drawn = everyone;
    charge.from_drawn = kernel::MedianBandwidth<Real, Domain>(domain);
  } else if (const auto* some = std::get_if<plan::MedianOfPairs>(&plan.bandwidth)) {
    const auto rule = std::make_shared<kernel::SampledMedianBandwidth<Real, Domain>>(
        seed, some->pairs, domain, threads);
    if (rule->everyone(n)) {
      charge.drawn = everyone;
      charge.from_drawn = [rule](Step k, Rows<const Real> x) { return (*rule)(k, x); };
    } else {
      charge.drawn = [rule, n](Step k) {
        std::vector<std::uint32_t> drawn;
        rule->draw(k, static_cast<std::uint32_t>(n), [&](std::uint32_t i, std::uint32_t j) {
          drawn.push_back(i);
          drawn.push_back(j);
        });
        return drawn;
      };
      charge.from_drawn = [rule, n](Step, Rows<const Real> x) { return rule->of_drawn(x, n); };
    }
  }
  if (charge.drawn)
    charge.bandwidth = std::make_shared<Real>(Real(1));
}

/// Sizes never fall; batches of few rows may be larger than asked for.
std::size_t largest_batch(const Plan& plan) {
  const std::size_t rows = plan.redeal > 0 ? plan.particles / plan.blocks : plan.particles;
  const std::size_t pieces = Batches::pieces(rows, (*plan.batch)(plan.loop_steps(), rows));
  return (rows + pieces - 1) / pieces;
}

mpi::Dealing::ByAddress by_address(const Plan& plan, std::uint64_t seed) {
  const std::string& name = plan.dealer->name;
  if (name == "matching")
    return mpi::PairsByAddress(seed, plan.particles);
  if (name == "cosets")
    return mpi::CosetsByAddress(seed, plan.particles, plan.batch_size());
  if (name == "moebius")
    return mpi::MoebiusByAddress(seed, plan.particles, *plan.batch);
  return {};
}

} // namespace

DealRows make_deal_rows(const Plan& plan, std::uint64_t seed, Threads& threads) {
  const std::string& name = plan.dealer->name;
  if (name == "matching")
    return without_rows(Matching(seed, Travel::usually, threads));
  if (name == "cosets")
    return without_rows(Cosets(seed, plan.batch_size(), threads));
  if (name == "moebius")
    return without_rows(Moebius(seed, *plan.batch, threads));
  return without_rows(Shuffle(seed, *plan.batch));
}

InBlocks make_in_blocks(const Plan& plan, std::uint64_t seed, Threads& threads) {
  return InBlocks(
      seed, plan.blocks, plan.redeal,
      [&](std::uint64_t own) { return make_deal_rows(plan, own, Threads::alone()); }, threads);
}

bool can_spread(const Plan& plan, std::size_t ranks) {
  return plan.blocks >= ranks && plan.batch && !plan.stages && !plan.replace &&
         !plan.rule->for_riesz_pairs && !plan.rule->stochastic &&
         std::ranges::none_of(plan.kernel,
                              [](const plan::KernelTerm& term) {
                                return term.kernel->over_everyone ||
                                       term.kernel->for_each_parameter;
                              }) &&
         mpi::Blocks(plan.particles, plan.blocks, ranks).all_have_rows();
}

template <typename Real>
mpi::Charge<Real> make_spread(const Plan& plan, std::uint64_t seed, const run::Roles<Real>& roles,
                              std::shared_ptr<mpi::Wire> wire,
                              std::function<void(Step, Rows<const Real>, Rows<Real>)> score) {
  Threads& threads = *roles.threads;
  const bool shuffled = plan.dealer->name == "shuffle"; // whose rows stay
  mpi::Dealing dealing =
      plan.redeal > 0
          ? mpi::Dealing(seed, plan.particles, make_in_blocks(plan, seed, threads), plan.redeal)
          : mpi::Dealing(seed, plan.particles, make_deal_rows(plan, seed, threads),
                         shuffled ? 0 : Travel::usually, plan.dealer->name == "matching",
                         by_address(plan, seed));
  mpi::Charge<Real> charge{
      std::move(wire),    plan.blocks, std::move(dealing), std::move(score), {}, {}, {}, {},
      largest_batch(plan)};
  if (plan.period)
    put_bandwidth<Real>(plan, seed, threads, Torus<Real>(static_cast<Real>(*plan.period)), charge);
  else
    put_bandwidth<Real>(plan, seed, threads, Euclid<Real>(), charge);
  charge.drift = make_drift<Real>(plan, seed, roles.target.dim, threads, charge.bandwidth);
  return charge;
}

template mpi::Charge<double>
make_spread(const Plan&, std::uint64_t, const run::Roles<double>&, std::shared_ptr<mpi::Wire>,
            std::function<void(Step, Rows<const double>, Rows<double>)>);
template mpi::Charge<float> make_spread(const Plan&, std::uint64_t, const run::Roles<float>&,
                                        std::shared_ptr<mpi::Wire>,
                                        std::function<void(Step, Rows<const float>, Rows<float>)>);

} // namespace starling::assemble
