// What a run needs of memory at the least.
#include "assemble/room.hpp"

#include "io/memory.hpp"

#include <starling/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace starling::assemble {

namespace {

// Numbers for each particle and parameter: position, score, drift, memory of the step rule, and
// copies of the end. 9 of them were seen.
constexpr double copies = 6;
// Bytes for each parameter beside the particles: names and summaries; in a run in stages the ways
// up of the scout and its approximations, of which 3600 were seen.
constexpr double of_parameter = 200, of_scouted_parameter = 2000;
// Matrices of parameters x parameters: the bilinear part has one, and a sum for each piece of rows.
constexpr double bilinear_matrices = 2;

bool has_bilinear(const plan::Plan& plan) {
  if (plan.stages)
    return plan.stages->steps.value_or(1) > 0;
  return std::ranges::any_of(plan.kernel, [](const plan::KernelTerm& term) {
    return term.kernel && term.kernel->name == "bilinear";
  });
}

} // namespace

double least_memory(const plan::Plan& plan, std::size_t dim) {
  const double number = plan.single ? sizeof(float) : sizeof(double);
  const auto d = static_cast<double>(dim), n = static_cast<double>(plan.particles);
  const bool scouts = plan.stages ? plan.stages->starts > 0 : plan.prefit > 0;
  return copies * number * n * d + (scouts ? of_scouted_parameter : of_parameter) * d +
         (has_bilinear(plan) ? bilinear_matrices * number * d * d : 0);
}

void refuse_what_does_not_fit(const plan::Plan& plan, std::size_t dim, std::size_t ranks) {
  constexpr double always_fine = 1 << 26; // bytes: not worth a question
  const double needed =
      least_memory(plan, dim) / static_cast<double>(std::max<std::size_t>(1, ranks));
  if ((plan.card && !plan.stages) || needed < always_fine)
    return;
  const io::MemoryLeft left = io::memory_left();
  if (needed <= static_cast<double>(left.bytes))
    return;
  constexpr double largest = 0x1p63;
  throw DoesNotFit(fmt::format(
      "memory: {} particles in {} dimensions need at least {}{}, more than {}: take fewer "
      "--particles{}, or set --memory-limit",
      plan.particles, dim, io::in_bytes(static_cast<std::uint64_t>(std::min(needed, largest))),
      has_bilinear(plan) ? " (the bilinear part needs the square of the dimensions)" : "",
      left.whose, plan.stages ? ", or --method paper, which needs less" : ""));
}

void refuse_early(const plan::Plan& plan, std::size_t ranks) {
  const auto found = plan.recipe.extra.find("dim");
  if (found == plan.recipe.extra.end())
    return;
  if (const auto* dim = std::get_if<std::uint64_t>(&found->second))
    refuse_what_does_not_fit(plan, static_cast<std::size_t>(*dim), ranks);
}

} // namespace starling::assemble
