// What holds for every drift and every file: the formula's numbers, and what was written comes
// back.
#include "random_case.hpp"

#include "drift/twins.hpp"
#include "io/runs.hpp"
#include "results/results.hpp"

#include <starling/kernel/runtime_sum.hpp>
#include <starling/run/fly.hpp>

#include <unistd.h>

#include <cmath>

namespace starling::properties {
namespace {

using Sum = kernel::RuntimeSum<double>;

/// The kernel of the plan for one pair at a time; nothing where a term is summed over everyone.
std::optional<Sum> sum_of(const plan::Plan& plan, double h) {
  std::vector<kernel::Term<double>> terms;
  for (const plan::KernelTerm& term : plan.kernel) {
    if (term.kernel->over_everyone || term.kernel->for_each_parameter)
      return std::nullopt;
    terms.push_back({term.weight, term.kernel->make.in_double(term.settings, 2)});
  }
  Sum sum(std::move(terms));
  sum.set_bandwidth(h);
  return sum;
}

/// How far the drift of the plan is from the plain formula, against the largest number of it.
double off_the_formula(const plan::Recipe& recipe, double factor) {
  plan::Recipe mine = recipe;
  mine.bandwidth = "0.7";
  mine.domain = "";
  mine.advance = "constant"; // the stochastic one has a drift of its own
  mine.precision = "double";
  if (!can_be_run(mine))
    return 0;
  const plan::Plan plan = plan::resolve(mine);
  const std::optional<Sum> sum = sum_of(plan, 0.7);
  if (!sum)
    return 0;
  Threads threads(2);
  const std::size_t dim = 1 + plan.seed % 37;
  auto fast = drift_tests::cloud<double>(plan.particles, dim),
       slow = drift_tests::cloud<double>(plan.particles, dim);
  const auto deal = assemble::make_dealer<double>(plan, plan.seed, threads);
  const Batches batches = deal(0, fast);
  for (std::size_t i = 0; i < plan.particles; ++i) // rows may have travelled
    for (std::size_t a = 0; a < dim; ++a) {
      slow.position()[i][a] = fast.position()[i][a];
      slow.score()[i][a] = fast.score()[i][a];
    }
  std::ranges::fill(fast.drift(), 0.0);
  std::ranges::fill(slow.drift(), 0.0);
  assemble::make_drift<double>(plan, plan.seed, dim, threads)(0, fast, batches);
  ReferenceDrift<double, Sum>{*sum}(0, slow, batches);
  double largest = 1e-300, off = 0;
  for (std::size_t n = 0; n < slow.drift().size(); ++n) {
    largest = std::max(largest, std::abs(slow.drift().data[n]));
    off = std::max(off, std::abs(factor * fast.drift().data[n] - slow.drift().data[n]));
  }
  return off / largest;
}

// Sums of at most 400 terms of sizes up to some times the largest: 1e-11 is thousands of roundings.
constexpr double rounding = 1e-11;

TEST(AnyDrift, IsTheFormula) {
  expect_for_any(5, 2500, [](const plan::Recipe& recipe) -> std::string {
    const double off = off_the_formula(recipe, 1);
    return off < rounding ? "" : "off by " + std::to_string(off) + " of the largest number";
  });
}

TEST(AnyDrift, ThatIsTooLargeWouldBeSeen) {
  std::size_t seen = 0, tried = 0;
  for (std::uint64_t n = 0; tried < 300; ++n)
    if (const plan::Recipe recipe = any_recipe(Chance(n));
        can_be_run(recipe) && off_the_formula(recipe, 1) > 0) {
      ++tried;
      seen += off_the_formula(recipe, 1 + 1e-9) > rounding;
    }
  EXPECT_EQ(seen, tried);
}

TEST(AnyDraws, ComeBackFromEveryFormat) {
  const auto root = std::filesystem::temp_directory_path() /
                    ("starling-properties-" + std::to_string(::getpid()));
  expect_for_any(6, 40, [&](const plan::Recipe& recipe) -> std::string {
    plan::Recipe mine = recipe;
    mine.certify = "none";
    const run::Outcome outcome = run::fly(*assemble::make_flight(plan::resolve(mine)));
    if (!outcome.complete())
      return {};
    for (const std::string format : {"csv", "npz", "zarr"}) {
      std::filesystem::remove_all(root);
      io::OutputFolder folder(root);
      results::write_results(folder, {&outcome, 1}, format);
      folder.commit();
      const std::vector<io::Draws> read = io::read_runs(root);
      const std::size_t columns = read.at(0).names.size(), dim = outcome.dim();
      if (read.size() != 1 || read[0].rows != recipe.particles ||
          columns != dim + (read[0].names[0] == "lp__"))
        return format + ": another shape";
      for (std::size_t i = 0; i < read[0].rows; ++i)
        for (std::size_t a = 0; a < dim; ++a)
          if (read[0].values[i * columns + columns - dim + a] != outcome.positions[i * dim + a])
            return format + ": particle " + std::to_string(i) + " is another";
    }
    return {};
  });
  std::filesystem::remove_all(root);
}

} // namespace
} // namespace starling::properties
