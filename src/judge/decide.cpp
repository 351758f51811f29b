// What the move test decides: the error of each trait against its bounds.
#include <starling/judge/move_test.hpp>

#include "judge/moments.hpp"

#include <algorithm>
#include <cmath>

namespace starling::judge {

namespace {

constexpr double false_alarms = 0.05; // at most, in all traits of a test together

struct Limits {
  double moved, confirmed;
};

Limits limits(const Displacement& one, const Bounds& bounds) {
  if (one.trait == Trait::square && one.of == TraitOf::log_density)
    return {bounds.moved_log_density_square, bounds.confirmed_square};
  if (one.trait == Trait::square)
    return {bounds.moved_square, bounds.confirmed_square};
  if (one.of == TraitOf::log_density)
    return {bounds.moved_log_density, bounds.confirmed_log_density};
  return {bounds.moved_value, bounds.confirmed_value};
}

} // namespace

double moving_errors(std::size_t traits) {
  const double each =
      -std::expm1(std::log1p(-false_alarms) / double(std::max<std::size_t>(1, traits)));
  double low = 0, high = 40;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) > each ? low : high) = middle;
  }
  return high;
}

double confirmed_below(const Displacement& one, const Bounds& bounds) {
  return limits(one, bounds).confirmed;
}

/// By more than chance: where the moves themselves are off in one of many traits, a cloud that has
/// their moments looks better than one that is right.
bool any_worse(const Certificate& other, const Certificate& before, const Bounds& bounds,
               double times) {
  const double by_chance = times * moving_errors(other.all.size() + other.joint.size());
  const auto worse = [&](const std::vector<Displacement>& now,
                         const std::vector<Displacement>& then) {
    if (now.size() != then.size()) // not of the same moves
      return true;
    for (std::size_t n = 0; n < now.size(); ++n) {
      const double size = std::abs(now[n].error);
      if (!(size - std::abs(then[n].error) <= by_chance * now[n].se) &&
          !(size <= limits(now[n], bounds).moved / 2))
        return true;
    }
    return false;
  };
  return worse(other.all, before.all) || worse(other.joint, before.joint);
}

TraitOf MoveTest::of(std::size_t column) const {
  const std::size_t read = columns_ - joint_.columns();
  if (column < read)
    return TraitOf::column;
  return column == read && joint_.log_density ? TraitOf::log_density : TraitOf::direction;
}

/// Of a direction the mean says no more than those of the parameters. The log density is judged by
/// the square of its winsorised value: it is skewed, and its variance too noisy to tell.
std::vector<Trait> MoveTest::judged_by(std::size_t column) const {
  const Scale& scale = scale_[column];
  if (!scale.followed)
    return {};
  const bool no_moments = !has_moments(column) || scale.unread;
  switch (of(column)) {
  case TraitOf::log_density:
    return no_moments ? std::vector{Trait::winsorised, Trait::square}
                      : std::vector{Trait::value, Trait::winsorised, Trait::square};
  case TraitOf::direction:
    return {Trait::square};
  case TraitOf::column:
    break;
  }
  if (no_moments)
    return scale.wild || (!scale.made && power_tail(column))
               ? std::vector{Trait::winsorised, Trait::square}
               : std::vector{Trait::winsorised};
  return judges_squares(column) ? std::vector{Trait::value, Trait::winsorised, Trait::square}
                                : std::vector{Trait::value, Trait::winsorised};
}

bool MoveTest::judges_squares(std::size_t column) const {
  return has_moments(column) && !(scale_[column].made && added_ > 0 &&
                                  pooled_kurtosis(column) > most_kurtosis && goes_out_far(column));
}

/// `judged_mean`: of the trait, in the cloud that is judged.
Displacement MoveTest::displacement(std::size_t column, Trait trait, double judged_mean,
                                    const Bounds& bounds) const {
  const auto n = static_cast<double>(count_), m = static_cast<double>(added_);
  const std::size_t which = kind(column, trait);
  const auto at = [&](const std::vector<double>& all, std::size_t i) {
    return all[kinds * (i * columns_ + column) + which];
  };
  double before = 0, after = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    before += at(before_, i) / n;
    after += at(sums_, i) / m / n;
  }
  double bb = 0, ba = 0, aa = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const double b = at(before_, i) - before, c = at(sums_, i) / m - after;
    bb += b * b;
    ba += b * c;
    aa += c * c;
  }
  const double rho = bb > 0 ? ba / bb : 0;
  const double residual = std::sqrt(std::max(aa - rho * ba, 0.0) / (n - 2));
  const double forgotten = std::max(1 - rho, 1e-3); // particles that never moved have rho = 1
  const double apart = before - judged_mean;        // of those that were moved from those judged
  const std::size_t read = columns_ - joint_.columns();
  std::size_t number = column;
  if (column >= read)
    number = column - read - (column > read && joint_.log_density ? 1 : 0);
  const double own = (trait == Trait::square ? 1 : 0.5) * bounds.moves_error;
  return {number,
          trait,
          (after - before) / forgotten + apart,
          residual / std::sqrt(n) / forgotten + own,
          rho,
          of(column)};
}

Certificate MoveTest::judge_by(std::span<const double> means, const Bounds& bounds) const {
  Certificate certificate;
  if (added_ == 0) // nobody has moved: nothing is known
    return certificate;
  std::vector<Displacement> found;
  for (std::size_t a = 0; a < columns_; ++a) {
    const bool column = of(a) == TraitOf::column;
    const std::vector<Trait> traits = judged_by(a);
    if (column && traits.empty())
      ++certificate.not_followed;
    if (column && !traits.empty() && !has_moments(a))
      certificate.heavy.push_back(a);
    for (const Trait trait : traits)
      found.push_back(displacement(a, trait, means[kinds * a + kind(a, trait)], bounds));
  }
  const double beyond = moving_errors(found.size());
  bool moved = false, confirmed = true;
  double decided = -1; // of the displacement that decides: its size over its bound
  for (const Displacement& one : found) {
    const auto [low, high] = limits(one, bounds);
    const double size = std::abs(one.error);
    const bool sound = std::isfinite(size) && std::isfinite(one.se);
    const double most = size + confirming_errors * one.se, least = size - beyond * one.se;
    const bool here_moved = sound ? least > low : true;
    const bool here_confirmed = sound && most < high && one.memory < bounds.most_memory;
    moved = moved || here_moved;
    confirmed = confirmed && here_confirmed;
    // First whatever moved, then what was not confirmed, by how far it is from its bound; of either
    // kind a parameter, which has a name, before the joint.
    constexpr double most_weight = 1e6;
    const double by_error = here_moved ? least / low : std::max(most / high, one.memory);
    double weight = sound ? std::min(by_error, most_weight) : most_weight;
    if (here_moved || !here_confirmed)
      weight += most_weight * ((here_moved ? 3 : 1) + (one.of == TraitOf::column ? 1 : 0));
    if (weight > decided) {
      decided = weight;
      certificate.worst = one;
    }
    (one.of == TraitOf::column ? certificate.all : certificate.joint).push_back(one);
  }
  confirmed = confirmed && !certificate.all.empty();
  certificate.finding = moved       ? Finding::moved
                        : confirmed ? Finding::confirmed
                                    : Finding::undecided;
  return certificate;
}

} // namespace starling::judge
