// The separate groups of a cloud at its end.
#include "run/measure.hpp"

#include <starling/finite.hpp>

#include <algorithm>
#include <cmath>

namespace starling::run {

namespace {

constexpr std::size_t fewest_to_count = 8;
constexpr double most_spent = 0.05; // of the run's own gradients

static_assert(judge::most_groups == scout::ModeSearch().most,
              "the sentence names the search's limit");

struct Spent {};            // more than that
constexpr double dip = 2.5; // a shallower one does not keep particles apart

/// The columns that users read, of rows of positions.
template <typename Real>
std::vector<double> columns_of(const AnyTarget<Real>& target, Rows<const double> x) {
  if (!target.constrain)
    return {x.begin(), x.end()};
  const std::vector<Real> rows(x.begin(), x.end());
  return target.constrain({rows.data(), x.count, x.dim}).values;
}

template <typename Real>
void add(const AnyTarget<Real>& target, const std::vector<std::size_t>& group,
         const std::vector<scout::Mode>& modes, Outcome& o) {
  const std::size_t width = o.draw_names().size(), rows = o.draws().size() / width;
  o.groups = judge::groups_of({o.draws().data(), rows, width}, group, modes.size());
  for (std::size_t g = 0; g < modes.size(); ++g)
    if (o.groups[g].particles == 0)
      o.groups[g].means = columns_of(target, {modes[g].x.data(), 1, target.dim});
}

} // namespace

void add_groups(const AnyTarget<double>& target, const stages::Journey& journey, Outcome& o) {
  if (journey.groups() < 2)
    return;
  add(target, journey.group_of_row(), journey.weights().modes, o);
  const std::vector<scout::Share>& shares = journey.weights().shares;
  for (std::size_t g = 0; g < shares.size(); ++g) {
    o.groups[g].share = shares[g].share;
    o.groups[g].se = shares[g].se;
  }
}

void withdraw_converged(Outcome& o) {
  o.diagnosis.judgement =
      judge::judge_unweighed_groups(o.diagnosis.judgement, o.groups, o.draw_names());
}

template <typename Real>
void count_groups(const AnyTarget<Real>& target, Outcome& o, Threads& threads) {
  const Rows<const double> x{o.positions.data(), o.settings.particles, target.dim};
  const bool sound = all_finite(std::span<const double>(o.positions), threads);
  if (o.settings.periodic || x.count < fewest_to_count || !sound)
    return;
  std::vector<Real> at, slope, height;
  const double gradients =
      (o.trace.empty() ? 0 : o.trace.back().sweeps) * static_cast<double>(x.count);
  const double allowed =
      most_spent * gradients * target.step_share; // a climb asks for all rows of the data
  double spent = 0;
  CountedDensity density(
      [&](Rows<const double> rows, Rows<double> score, std::span<double> log_density) {
        if ((spent += static_cast<double>(rows.count)) > allowed) // a gradient may be expensive
          throw Spent();
        at.assign(rows.begin(), rows.end());
        slope.resize(at.size());
        height.resize(rows.count);
        target.evaluate({at.data(), rows.count, rows.dim}, {slope.data(), rows.count, rows.dim},
                        height);
        std::ranges::copy(slope, score.begin());
        for (std::size_t i = 0; i < rows.count;
             ++i) // of a target that has scores alone heights are sums of them
          log_density[i] = target.has_density && !target.has_density() ? 0 : double(height[i]);
      });
  scout::ModeSearch search;
  search.has_density = !target.has_density || target.has_density();
  search.dip = dip;
  search.seed = o.settings.seed;
  std::vector<scout::Mode> modes;
  try {
    modes = scout::modes_of_cloud(x, density, true, search);
  } catch (const Spent&) {
    o.diagnosis.judgement.remark(judge::evidence::GroupsNotCounted{});
    return;
  }
  if (modes.size() < 2)
    return;
  add(target, scout::assign_to_modes(x, modes), modes, o);
  withdraw_converged(o);
}

template void count_groups(const AnyTarget<double>&, Outcome&, Threads&);
template void count_groups(const AnyTarget<float>&, Outcome&, Threads&);

} // namespace starling::run
