// The table of dealers: ways to deal batches without replacement.
#include "plan/plan.hpp"

#include <starling/cpu/permute.hpp>
#include <starling/deal/cosets.hpp>
#include <starling/deal/matching.hpp>
#include <starling/deal/moebius.hpp>
#include <starling/deal/shuffle.hpp>

namespace starling::plan {

namespace {

/// From here on a Moebius map is quicker than a shuffle; of fewer rows they take the same.
constexpr std::size_t many = 4096;

/// `make` answers any dealer: it does not depend on the number type.
template <typename Make>
InBoth<MakeDealer> either(Make make) {
  return {make, make};
}

} // namespace

std::span<const DealerEntry> dealers() {
  static const std::vector<DealerEntry> table = {
      {"shuffle", "batches of any size from a random order", [](const Plan&) { return true; },
       either([](const Plan& plan, std::uint64_t seed, Threads&) {
         return Shuffle(seed, *plan.batch, cpu::permute);
       })},
      {"moebius", "batches of any size from a random Moebius map, on all threads",
       [](const Plan& plan) {
         return plan.batch && !plan.replace && plan.particles <= Moebius::most;
       },
       either([](const Plan& plan, std::uint64_t seed, Threads& threads) {
         return Moebius(seed, *plan.batch, threads);
       }),
       many},
      {"cosets",
       "batches from a random subspace, on all threads: for numbers of particles and of a batch "
       "that are powers of two",
       [](const Plan& plan) {
         return plan.batch && !plan.grows && !plan.replace &&
                Cosets::fits(plan.particles, plan.batch_size());
       },
       either([](const Plan& plan, std::uint64_t seed, Threads& threads) {
         return Cosets(seed, plan.batch_size(), threads);
       })},
      {"matching",
       "pairs from a random tournament round, cheaper: for --batch 2 that does not grow, without "
       "--replace",
       [](const Plan& plan) {
         return plan.batch && plan.batch_size() == 2 && !plan.grows && !plan.replace;
       },
       either([](const Plan&, std::uint64_t seed, Threads& threads) {
         return Matching(seed, Travel::usually, threads);
       })},
  };
  return table;
}

} // namespace starling::plan
