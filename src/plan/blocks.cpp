// Which blocks of rows will do, and for whom batches may stay inside them.
#include "plan/blocks.hpp"

#include "plan/names.hpp"

#include <starling/deal/cosets.hpp>
#include <starling/deal/in_blocks.hpp>

#include <fmt/format.h>

namespace starling::plan {

namespace {

constexpr std::uint64_t most_blocks = 1 << 20;
constexpr std::uint64_t hundredth =
    100; // of the noise blocks may add where nobody says for how many steps rows stay in them

} // namespace

void resolve_blocks(const Recipe& r, Plan& plan) {
  if (r.blocks != undecided && (r.blocks == 0 || r.blocks > most_blocks))
    reject("blocks", fmt::format("between 1 and {}", most_blocks), std::to_string(r.blocks));
  plan.blocks = r.blocks == undecided ? 0 : r.blocks;
  if (r.redeal == undecided)
    return;
  if (plan.card)
    refuse("redeal", "is for the steps of hosts; with --device cuda batches go over all rows");
  if (plan.stages)
    refuse("redeal", "is an option of --method paper");
  if (plan.blocks == 0)
    refuse("redeal", "needs --blocks B: batches stay inside blocks");
  if (!plan.batch || plan.replace)
    refuse("redeal", "needs batches of a size that is known beforehand, without --replace");
  if (plan.particles % plan.blocks != 0)
    refuse("redeal", fmt::format("needs blocks of equal size; {} particles do not make {} of them",
                                 plan.particles, plan.blocks));
  const std::size_t rows = plan.particles / plan.blocks;
  if (rows < 2 * plan.batch_size())
    refuse("redeal",
           fmt::format("needs at least two batches a block; {} rows a block make fewer of {}", rows,
                       plan.batch_size()));
  if (plan.dealer->name == "cosets" && !Cosets::fits(rows, plan.batch_size()))
    refuse("redeal",
           fmt::format("needs a power of two of rows a block for --deal cosets; got {}", rows));
  // Over K steps the variance of a drift is that of Lemma 1 times 1 + K (p - 1)/(m - 1), m rows a
  // block.
  const std::uint64_t needed = hundredth * (plan.batch_size() - 1), longest = (rows - 1) / needed;
  if (r.redeal == 0 && longest == 0)
    refuse("redeal", fmt::format("no number of steps keeps the noise that blocks add below 1 % "
                                 "with {} rows a block; there must be {}, or "
                                 "give the number of steps",
                                 rows, 1 + needed));
  plan.redeal = plan.recipe.redeal = r.redeal == 0 ? longest : r.redeal;
}

} // namespace starling::plan
