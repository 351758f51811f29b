// A plan's roles and settings, handed to a flight.
#include "assemble/flight.hpp"

#include "assemble/also_on_card.hpp"
#include "assemble/on_device.hpp"
#include "assemble/on_ranks.hpp"
#include "assemble/room.hpp"
#include "assemble/shared_on_card.hpp"
#include "cuda/flight.hpp"
#include "io/stan_csv.hpp"
#include "mpi/agreement.hpp"
#include "mpi/shared_target.hpp"
#include "plan/names.hpp"

#include <starling/run/seeds.hpp>
#include <starling/run/staged.hpp>
#include <starling/scout/scout.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace starling::assemble {

namespace {

using Ranks = std::shared_ptr<mpi::Wire>;
template <typename Real>
using ScoreHere = std::function<void(Step, Rows<const Real>, Rows<Real>)>;

/// The target, whose rows are shared out where rows lie in blocks. A rank that cannot make it says
/// so to all. `score`, if given, becomes its score of rows that are here alone.
template <typename Real>
run::AnyTarget<Real> make_shared_target(const plan::Plan& plan, std::uint64_t seed,
                                        Threads& threads, const UserTarget* user_target,
                                        const Ranks& wire, ScoreHere<Real>* score = nullptr) {
  run::AnyTarget<Real> target;
  mpi::run_and_agree(*wire, [&] {
    refuse_early(plan, wire->size());
    target = make_target<Real>(plan, seed, threads, user_target, wire);
    if constexpr (std::is_same_v<Real, double>)
      if (plan.card && plan.stages)
        put_density_on_card(plan, user_target, *wire, target);
    refuse_what_does_not_fit(plan, target.dim, wire->size());
  });
  if (score)
    *score = target.score;
  if (plan.blocks == 0)
    return target;
  const auto there = on_card(target);
  target = mpi::shared_target<Real>(std::move(target), wire, plan.blocks);
  if (there && there->on)
    also_on_card(target, shared_on_card<Real>(there, wire, plan.blocks));
  return target;
}

template <typename Real>
run::Roles<Real> make_roles(const plan::Plan& plan, std::uint64_t seed,
                            const UserTarget* user_target, const Ranks& wire,
                            ScoreHere<Real>& score) {
  run::Roles<Real> roles;
  roles.threads = std::make_shared<Threads>(plan.threads);
  roles.target = make_shared_target<Real>(plan, seed, *roles.threads, user_target, wire, &score);
  roles.deal = make_dealer<Real>(plan, seed, *roles.threads);
  roles.deal_everyone = make_dealer_of_everyone<Real>(plan, seed, *roles.threads);
  roles.drift = make_drift<Real>(plan, seed, roles.target.dim, *roles.threads);
  roles.advance = make_advance<Real>(plan, seed, roles.target.dim, *roles.threads);
  roles.warnings = plan.warnings();
  return roles;
}

template <typename Real>
run::Settings settings_for(const plan::Plan& plan, std::uint64_t run, std::uint64_t seed,
                           const run::AnyTarget<Real>& target, bool by_rows) {
  run::Settings settings;
  settings.particles = plan.particles;
  settings.steps = plan.loop_steps();
  settings.seed = seed;
  settings.until_converged = plan.until_converged;
  settings.periodic = plan.period.has_value();
  settings.run = run;
  settings.certify = plan.certify;
  if (!plan.certify && (by_rows || plan.recipe.extra.contains("data-batch")))
    settings.certify = 0; // all rows cost much more than the few that a step reads
  plan::Recipe recipe = plan.recipe;
  for (const plan::TableSetting& extra : plan::table_settings())
    for (const auto& [name, text] : target.decided)
      if (extra.setting.name == name)
        recipe.extra[name] = plan::parse(extra.setting, text);
  settings.identity = write_identity(recipe);
  return settings;
}

stages::Settings stages_of(const plan::Plan& plan, std::uint64_t seed) {
  using plan::Stages;
  const Stages& asked = *plan.stages;
  stages::Settings stages;
  stages.particles = plan.particles;
  stages.seed = seed;
  stages.starts = asked.starts;
  stages.steps = asked.steps.value_or(stages.steps);
  stages.batch_size = std::min(plan.particles, asked.batch.value_or(stages.batch_size));
  stages.certify_moves = asked.certify;
  stages.polish_steps = asked.polish;
  stages.temper = asked.temper;
  stages.evidence = asked.evidence;
  if (asked.kernel)
    stages.kernel = static_cast<stages::FlightKernel>(*asked.kernel); // the same list
  stages.metric = asked.metric;
  if (asked.exact == Stages::Exact::never)
    stages.settle_rounds = 0;
  if (asked.exact == Stages::Exact::always) {
    stages.settle_always = true;
    stages.settle_rounds = 1;
    stages.first_round = asked.exact_moves;
  }
  return stages;
}

run::Staged make_staged(const plan::Plan& plan, std::uint64_t seed, const UserTarget* user_target,
                        const Ranks& wire) {
  run::Staged staged;
  staged.threads = std::make_shared<Threads>(plan.threads);
  staged.target = make_shared_target<double>(plan, seed, *staged.threads, user_target, wire);
  staged.stages = stages_of(plan, seed);
  staged.stages.climb_from = staged.target.climb_from;
  // Steps of few rows cost little, and rare columns of large tables make skewed marginals.
  if (staged.target.rows && !plan.stages->steps)
    staged.stages.steps = 200;
  return staged;
}

/// Where a scout would have the raw method start.
std::vector<double> scouted(const plan::Plan& plan, std::uint64_t seed,
                            const UserTarget* user_target, const Ranks& wire) {
  Threads threads(plan.threads);
  const run::AnyTarget<double> target =
      make_shared_target<double>(plan, seed, threads, user_target, wire);
  CountedDensity density(
      [&](Rows<const double> x, Rows<double> score, std::span<double> log_density) {
        target.evaluate(x, score, log_density);
      });
  scout::Settings settings;
  settings.starts = plan.prefit;
  settings.climb_from = target.climb_from;
  const scout::Report report = scout::scout(density, target.dim, seed, settings);
  const Frame::Matrix x = scout::start(report.frame, density, plan.particles, seed);
  return {x.data(), x.data() + x.size()};
}

/// begin(machine, spec, roles) with this rank's card. What one rank finds wrong, all throw.
template <typename Real, typename Begin>
std::unique_ptr<run::Flight> begin_on_card(const plan::Plan& plan, std::uint64_t seed,
                                           run::Roles<Real> roles, const Ranks& wire,
                                           Begin&& begin) {
  cuda::RunSpec<Real> spec;
  std::shared_ptr<cuda::Machine> machine;
  mpi::run_and_agree(*wire, [&] {
    spec = card_run_spec<Real>(plan, seed, roles.target);
    if (wire->size() > 1 && !spec.outside)
      plan::refuse("device",
                   fmt::format("several ranks cannot share the target {} on GPUs: use one rank",
                               plan.target->name));
    machine = cuda::opened(card_of(plan, *wire));
  });
  if (wire->size() > 1)
    mpi::same_everywhere(*wire, "kind of GPU", machine->name()); // others round otherwise
  if (wire->size() > 1 && !wire->takes_cards())
    roles.warnings.emplace_back("scores go through the CPU: this MPI cannot send from GPU to GPU");
  std::unique_ptr<run::Flight> flight;
  mpi::run_and_agree(
      *wire, [&] { flight = begin(std::move(machine), std::move(spec), std::move(roles)); });
  return flight;
}

/// Calls make with a number of the plan's type.
template <typename Make>
std::unique_ptr<run::Flight> in_precision(const plan::Plan& plan, Make&& make) {
  return plan.single ? make(float()) : make(double());
}

} // namespace

std::unique_ptr<run::Flight> make_flight(const plan::Plan& plan, std::uint64_t run,
                                         const UserTarget* user_target,
                                         std::span<const double> positions,
                                         const Ranks& given_wire) {
  const Ranks wire = given_wire ? given_wire : mpi::alone();
  std::uint64_t seed = run::run_seed(plan.seed, run);
  if (plan.stages && plan.recipe.start.empty()) {
    run::Staged staged = make_staged(plan, seed, user_target, wire);
    const run::Settings settings =
        settings_for(plan, run, seed, staged.target, user_target && user_target->rows);
    return run::begin(std::move(staged), settings);
  }
  const std::vector<double> scouts =
      plan.prefit > 0 ? scouted(plan, seed, user_target, wire) : std::vector<double>();
  const bool given = std::holds_alternative<plan::StartGiven>(plan.start);
  std::optional<io::Array> read;
  mpi::run_and_agree(*wire, [&] { read = read_start(plan); });
  if (given || read)
    seed = run::continued_seed(seed, given ? positions : std::span(read->values));
  else if (const auto* own = std::get_if<plan::StartOwn>(&plan.start); own && !own->file.empty())
    mpi::run_and_agree(
        *wire, [&] { seed = run::continued_seed(seed, io::read_stan_csv(own->file).values); });
  if (wire->size() > 1) // else they would deal other batches, and wait for each other for ever
    mpi::same_everywhere(*wire, "start", fmt::format("one of mark {:016x}", seed));
  if (plan.stages) { // from a given start
    run::Staged staged = make_staged(plan, seed, user_target, wire);
    const run::Settings settings =
        settings_for(plan, run, seed, staged.target, user_target && user_target->rows);
    std::vector<double> x(plan.particles * staged.target.dim);
    const Rows<double> rows{x.data(), plan.particles, staged.target.dim};
    given ? place(positions, rows) : start(plan, seed, staged.target, rows, read);
    staged.start = [x](Rows<double> to) { std::ranges::copy(x, to.begin()); };
    return run::begin(std::move(staged), settings);
  }
  return in_precision(plan, [&]<typename Real>(Real) {
    ScoreHere<Real> score;
    run::Roles<Real> roles = make_roles<Real>(plan, seed, user_target, wire, score);
    const run::AnyTarget<Real> target = roles.target;
    const std::shared_ptr<Threads> crew = roles.threads;
    const run::Settings settings =
        settings_for(plan, run, seed, target, user_target && user_target->rows);
    const auto fill = [&](Rows<Real> x) {
      if (!scouts.empty())
        place(std::span<const double>(scouts), x);
      else
        given ? place(positions, x) : start(plan, seed, target, x, read, *crew);
    };
    if (plan.card)
      return begin_on_card<Real>(plan, seed, std::move(roles), wire,
                                 [&](auto machine, auto spec, auto host_roles) {
                                   return cuda::begin<Real>(std::move(machine), std::move(spec),
                                                            std::move(host_roles), settings, fill);
                                 });
    if (wire->size() > 1 && can_spread(plan, wire->size()))
      return mpi::begin<Real>(spread_run_spec<Real>(plan, seed, roles, wire, score), roles,
                              settings, [&](Rows<Real> here, std::size_t first) {
                                if (scouts.empty() && starts_by_rule(plan))
                                  return start(plan, seed, target, here, read, *crew, first);
                                Column<Real> all(
                                    plan.particles *
                                    here.dim); // who begins where is known only of all together
                                fill({all.data(), plan.particles, here.dim});
                                std::copy_n(all.data() + first * here.dim, here.size(), here.data);
                              });
    return run::begin<Real>(std::move(roles), settings, fill);
  });
}

std::unique_ptr<run::Flight> resume_flight(const run::Checkpoint& checkpoint,
                                           const plan::Plan& plan, const std::string& where,
                                           const UserTarget* user_target, const Ranks& given_wire) {
  const Ranks wire = given_wire ? given_wire : mpi::alone();
  const run::Saved saved = run::saved(checkpoint, where);
  if (plan.stages) {
    run::Staged staged = make_staged(plan, saved.seed, user_target, wire);
    const run::Settings settings =
        settings_for(plan, saved.run, saved.seed, staged.target, user_target && user_target->rows);
    if (!plan.recipe.start.empty()) // asked for only where not a unit was done
      staged.start = [plan, seed = saved.seed, target = staged.target](Rows<double> x) {
        start(plan, seed, target, x, read_start(plan));
      };
    return run::resume(std::move(staged), settings, checkpoint, where);
  }
  return in_precision(plan, [&]<typename Real>(Real) {
    ScoreHere<Real> score;
    run::Roles<Real> roles = make_roles<Real>(plan, saved.seed, user_target, wire, score);
    const run::Settings settings =
        settings_for(plan, saved.run, saved.seed, roles.target, user_target && user_target->rows);
    if (plan.card)
      return begin_on_card<Real>(
          plan, saved.seed, std::move(roles), wire, [&](auto machine, auto spec, auto host_roles) {
            return cuda::resume<Real>(std::move(machine), std::move(spec), std::move(host_roles),
                                      settings, checkpoint, where);
          });
    if (wire->size() > 1 && can_spread(plan, wire->size()))
      return mpi::resume<Real>(spread_run_spec<Real>(plan, saved.seed, roles, wire, score), roles,
                               settings, checkpoint, where);
    return run::resume<Real>(std::move(roles), settings, checkpoint, where);
  });
}

} // namespace starling::assemble
