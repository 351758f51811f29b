// A recipe's roles and settings, handed to a flight.
#include "assemble/flight.hpp"

#include "io/stan_csv.hpp"

#include <starling/run/seeds.hpp>

#include <fmt/format.h>

namespace starling::assemble {

namespace {

/// `mine` is the recipe with the seed of this run.
template <typename Real>
run::Roles<Real> make_roles(const plan::Recipe& mine, std::uint64_t data_seed, const Guest* guest) {
  run::Roles<Real> roles;
  roles.threads = std::make_shared<Threads>(mine.threads);
  roles.target = make_target<Real>(mine, *roles.threads, data_seed, guest);
  roles.deal = make_dealer<Real>(mine);
  roles.deal_everyone = make_dealer_of_everyone<Real>(mine);
  roles.drift = make_drift<Real>(mine, roles.target.dim, *roles.threads);
  roles.advance = make_advance<Real>(mine, *roles.threads);
  roles.warnings = plan::warnings_for(mine);
  return roles;
}

run::Settings settings_for(const plan::Recipe& recipe, std::uint64_t run, std::uint64_t seed) {
  run::Settings settings;
  settings.particles = recipe.particles;
  settings.steps = loop_steps(recipe);
  settings.seed = seed;
  settings.until_converged = recipe.until_converged;
  settings.periodic = !recipe.domain.empty();
  settings.run = run;
  settings.identity = write_identity(recipe);
  return settings;
}

/// Calls make with a number of the recipe's type.
template <typename Make>
std::unique_ptr<run::Flight> in_precision(const plan::Recipe& recipe, Make&& make) {
  return recipe.precision == "single" ? make(float()) : make(double());
}

} // namespace

std::unique_ptr<run::Flight> make_flight(const plan::Recipe& recipe, std::uint64_t run,
                                         const Guest* guest, std::span<const double> positions) {
  plan::Recipe mine = recipe;
  mine.seed = run::run_seed(recipe.seed, run);
  const bool given = recipe.start == "given";
  const std::optional<io::Array> read = read_start(recipe);
  if (given || read)
    mine.seed = run::continued_seed(mine.seed, given ? positions : std::span(read->values));
  else if (recipe.start.ends_with(".csv"))
    mine.seed = run::continued_seed(mine.seed, io::read_stan_csv(recipe.start).values);
  return in_precision(recipe, [&]<typename Real>(Real) {
    run::Roles<Real> roles = make_roles<Real>(mine, recipe.seed, guest);
    const AnyTarget<Real> target = roles.target;
    return run::begin<Real>(
        std::move(roles), settings_for(recipe, run, mine.seed),
        [&](Rows<Real> x) { given ? place(positions, x) : start(mine, target, x, read); });
  });
}

std::unique_ptr<run::Flight> resume_flight(const run::Checkpoint& checkpoint,
                                           const plan::Recipe& recipe, const std::string& where,
                                           const Guest* guest) {
  const run::Saved saved = run::saved(checkpoint, where);
  plan::Recipe mine = recipe;
  mine.seed = saved.seed;
  return in_precision(recipe, [&]<typename Real>(Real) {
    return run::resume<Real>(make_roles<Real>(mine, recipe.seed, guest),
                             settings_for(recipe, saved.run, saved.seed), checkpoint, where);
  });
}

} // namespace starling::assemble
