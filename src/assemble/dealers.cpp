// The table of dealers: ways to deal batches without replacement.
#include "plan/plan.hpp"

#include <starling/cpu/permute.hpp>
#include <starling/deal/cosets.hpp>
#include <starling/deal/matching.hpp>
#include <starling/deal/moebius.hpp>
#include <starling/deal/shuffle.hpp>

#include <utility>

namespace starling::plan {

namespace {

/// From here on a Moebius map is quicker than a shuffle; of fewer rows they take the same.
constexpr std::size_t many = 4096;

/// `make` answers any dealer: it does not depend on the number type. One that has order(k, n) can
/// also be dealt by ranks, and, where `on_card` says so, by cards.
template <typename Make>
DealerEntry entry(std::string name, std::string help, bool (*fits)(const Plan&), Make make,
                  bool on_card = false, std::size_t least_particles = 0) {
  MakeOrders orders;
  using Dealer = decltype(make(std::declval<const Plan&>(), 0, Threads::alone()));
  if constexpr (requires(Dealer dealer) { dealer.order(Step{0}, std::size_t{0}); })
    orders = [make](const Plan& plan, std::uint64_t seed, Threads& threads) {
      return Orders(make(plan, seed, threads), plan.particles);
    };
  return {std::move(name), std::move(help), fits, {make, make}, orders, on_card, least_particles};
}

constexpr bool dealt_on_card = true;

} // namespace

std::span<const DealerEntry> dealers() {
  static const std::vector<DealerEntry> table = {
      entry(
          "shuffle", "batches of any size from a random order", [](const Plan&) { return true; },
          [](const Plan& plan, std::uint64_t seed, Threads&) {
            return Shuffle(seed, *plan.batch, cpu::permute);
          }),
      entry(
          "moebius", "batches of any size from a random Moebius map, on all threads",
          [](const Plan& plan) {
            return plan.batch && !plan.replace && plan.particles <= Moebius::most;
          },
          [](const Plan& plan, std::uint64_t seed, Threads& threads) {
            return Moebius(seed, *plan.batch, threads);
          },
          dealt_on_card, many),
      entry(
          "cosets",
          "batches from a random subspace, on all threads: for numbers of particles and of a batch "
          "that are powers of two",
          [](const Plan& plan) {
            return plan.batch && !plan.grows && !plan.replace &&
                   Cosets::fits(plan.particles, plan.batch_size());
          },
          [](const Plan& plan, std::uint64_t seed, Threads& threads) {
            return Cosets(seed, plan.batch_size(), threads);
          },
          dealt_on_card),
      entry(
          "matching",
          "pairs from a random tournament round, cheaper: for --batch 2 that does not grow, "
          "without --replace",
          [](const Plan& plan) {
            return plan.batch && plan.batch_size() == 2 && !plan.grows && !plan.replace;
          },
          [](const Plan&, std::uint64_t seed, Threads& threads) {
            return Matching(seed, Travel::usually, threads);
          },
          dealt_on_card),
  };
  return table;
}

} // namespace starling::plan
