// The table of dealers: ways to deal batches without replacement.
#include "plan/plan.hpp"

#include <starling/deal/matching.hpp>
#include <starling/deal/shuffle.hpp>

namespace starling::plan {

namespace {

/// `make` answers any dealer: it does not depend on the number type.
template <typename Make>
InBoth<MakeDealer> either(Make make) {
  return {make, make};
}

} // namespace

std::span<const DealerEntry> dealers() {
  static const std::vector<DealerEntry> table = {
      {"shuffle", "batches of any size from a random order", [](const Plan&) { return true; },
       either([](const Plan& plan, std::uint64_t seed) { return Shuffle(seed, *plan.batch); })},
      {"matching", "pairs from a random tournament round, cheaper: for --batch 2 that does not grow, without --replace",
       [](const Plan& plan) { return plan.batch && plan.batch_size() == 2 && !plan.grows && !plan.replace; },
       either([](const Plan&, std::uint64_t seed) { return Matching(seed); })},
  };
  return table;
}

} // namespace starling::plan
