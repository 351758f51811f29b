// A group of particles for each mode: weighed, made, and kept in its part of space.
#include <starling/stages/journey.hpp>

#include <starling/random/philox.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace starling::stages {

namespace {

constexpr std::size_t least_particles = 128; // of a group, so that its certificate can tell
constexpr double no_group = 0.5;             // of a particle: a share that gives less is none

} // namespace

std::uint64_t Journey::seed_of(std::size_t group) const {
  return whole_word(Philox(settings_.seed)(Stream::groups_seed, 0, group));
}

/// The density in the group's part of space; outside it fails, and moves that lead there are
/// refused.
DensityOfRows Journey::within(std::size_t group, DensityOfRows density) const {
  std::vector<scout::Fit> fits;
  for (std::size_t g = 0; g < weights_.modes.size(); ++g)
    fits.push_back({weights_.modes[g].frame, g});
  const auto parts = std::make_shared<const scout::Weighing>(std::move(fits), weights_.modes.size(),
                                                             settings_.seed, 0);
  return [plain = std::move(density), parts, group](Rows<const double> x, Rows<double> score,
                                                    std::span<double> log_density) {
    plain(x, score, log_density);
    const std::vector<std::size_t> where = parts->group_of(x);
    for (std::size_t i = 0; i < x.count; ++i)
      if (where[i] != group)
        log_density[i] = -std::numeric_limits<double>::infinity();
  };
}

/// Over rows of data all rows and the prior fail outside the group's part; few rows need not, since
/// the prior is added to them.
std::unique_ptr<Group> Journey::group_of(std::size_t group, std::size_t particles) const {
  Settings settings = settings_;
  settings.particles = particles;
  settings.walkers = std::max(least_particles, settings_.walkers / weights_.modes.size());
  settings.enough_draws *= double(particles) / double(settings_.particles);
  settings.seed = seed_of(group);
  settings.batch_size = std::min(settings.batch_size, particles);
  if (!density_.rows)
    return std::make_unique<Group>(guide_by(within(group, density_.whole), density_.dim), settings,
                                   *threads_, read_);
  RowDensity own = *density_.rows;
  own.all = within(group, own.all);
  own.prior = within(group, own.prior);
  if (own.values) {
    const auto nothing = [](Rows<const double>, Rows<double>, std::span<double> log_density) {
      std::ranges::fill(log_density, 0.0);
    };
    own.values = [values = own.values, part = within(group, nothing)](
                     Rows<const double> x, std::span<double> log_density) {
      std::vector<double> unused(x.size()), inside(x.count);
      part(x, {unused.data(), x.count, x.dim}, inside);
      values(x, log_density);
      for (std::size_t i = 0; i < x.count; ++i)
        log_density[i] += inside[i];
    };
  }
  return std::make_unique<Group>(guide_by(std::move(own), settings), settings, *threads_, read_);
}

/// By Laplace's fits, and once there are clouds by theirs as well.
scout::Weighing Journey::weighing() const {
  std::vector<scout::Fit> fits;
  for (std::size_t g = 0; g < weights_.modes.size(); ++g) {
    const Frame& laplace = weights_.modes[g].frame;
    fits.push_back({laplace, g});
    if (!split())
      continue;
    const Rows<const double> x = groups_[g]->positions();
    const Frame widths = Frame(density_.dim).refreshed(x);
    fits.push_back({laplace.is_dense() ? widths.densely().refreshed(x) : widths, g});
  }
  scout::Weighing made(std::move(fits), weights_.modes.size(), settings_.seed, split());
  made.resume(weights_.drawn);
  return made;
}

void Journey::weigh() {
  scout::Weighing now = weighing();
  const std::uint64_t before = counted_.gradients();
  now.round(counted_);
  before_.weighed += counted_.gradients() - before;
  weights_.drawn = now.numbers();
  weights_.shares = now.shares();
}

/// The modes that have a share in the particles, and those that are too light beside them.
Weights Journey::with_groups(Weights all) const {
  const auto heaviest = std::ranges::max_element(all.shares, {}, &scout::Share::share);
  const double least = no_group / double(settings_.particles);
  Weights kept;
  kept.light = std::move(all.light);
  for (std::size_t g = 0; g < all.shares.size(); ++g) {
    const scout::Share& share = all.shares[g];
    if (share.share + 2 * share.se >= least || g == std::size_t(heaviest - all.shares.begin())) {
      kept.modes.push_back(std::move(all.modes[g]));
      kept.shares.push_back(share);
    } else {
      kept.light.push_back(std::move(all.modes[g]));
      kept.light.back().share = share.share;
    }
  }
  return kept;
}

/// A group for each mode that has a share, of more particles than it will give: weights may change.
void Journey::split_up() {
  Weights kept = with_groups(weights_);
  Weights before = std::exchange(weights_, std::move(kept));
  std::vector<std::unique_ptr<Group>> made;
  Before spent = before_;
  for (std::size_t s = 0; s < kinds; ++s)
    for (const auto& one : groups_)
      spent.stages[s].add_since({}, one->spent()[s]);
  try {
    const auto n = static_cast<double>(settings_.particles);
    for (std::size_t g = 0; g < weights_.modes.size(); ++g) {
      const scout::Share& share = weights_.shares[g];
      const auto wanted = std::size_t(std::ceil(n * (1.1 * share.share + 3 * share.se))) + 1;
      const std::size_t particles =
          std::min(settings_.particles, std::max(wanted, least_particles));
      made.push_back(group_of(g, particles));
      if (over_rows()) {
        made[g]->begin_at(weights_.modes[g].frame);
        continue;
      }
      CountedDensity own(within(g, density_.whole));
      const Frame::Matrix x =
          scout::start(weights_.modes[g].frame, own, made[g]->crew(), seed_of(g));
      spent.stages[0].gradients += own.gradients();
      made[g]->begin_from(rows_of(x), settings_.steps > 0);
    }
  } catch (...) { // it can be tried again
    weights_ = std::move(before);
    throw;
  }
  groups_ = std::move(made);
  before_ = spent;
  weights_.split = true;
  scouted_.modes = weights_.modes.size();
  scouted_.found.clear();
  current_ = 0;
  part_ = Part::groups;
  follow();
}

} // namespace starling::stages
