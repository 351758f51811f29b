// A run in stages from its first unit to its last. Each group of particles goes through
// scout, fly, certify, settle (group.cpp); with several modes there is a group for each.
#include <starling/stages/journey.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace starling::stages {

namespace {

constexpr std::size_t first_rounds = 2;                   // of weighing, before the groups
constexpr std::size_t least_rounds = 4, most_rounds = 16; // after them
constexpr double wanted_error = 0.005;                    // of a share
constexpr double deep = 2.5;                              // a dip, in log density
constexpr std::size_t most_searches = 3;                  // around the cloud at the end
constexpr double light_mean = 0.1, light_variance = 0.2;  // that a light mode may change

} // namespace

Journey::Journey(JourneyDensity density, const Settings& settings, Threads& threads,
                 ReadColumns read)
    : density_(std::move(density)), counted_(density_.whole), settings_(settings),
      threads_(&threads), read_(std::move(read)) {
  auto guide =
      density_.rows ? guide_by(*density_.rows, settings) : guide_by(density_.whole, density_.dim);
  groups_.push_back(std::make_unique<Group>(std::move(guide), settings, threads, read_));
}

void Journey::take(std::uint64_t units) {
  for (; units > 0 && !finished(); --units)
    do
      unit();
    while (scouting());
}

void Journey::unit() {
  switch (part_) {
  case Part::one:
    return one_group();
  case Part::temper:
    return temper();
  case Part::weigh_first:
    if (weighing().rounds() < first_rounds)
      weigh();
    if (weighing().rounds() == first_rounds)
      split_up();
    return;
  case Part::groups:
    groups_[current_]->take(1);
    if (groups_[current_]->finished() && ++current_ == groups_.size())
      part_ = Part::weigh_last;
    return follow();
  case Part::weigh_last:
    if (!weighed_enough())
      weigh();
    if (!weighed_enough())
      return follow();
    combined_ = put_together(weighing());
    part_ = over_rows() ? Part::finished : Part::look;
    return;
  case Part::look:
    return look();
  case Part::finished:
    return;
  }
}

bool Journey::weighed_enough() const {
  const std::size_t rounds = weighing().rounds();
  const bool close = std::ranges::all_of(
      weights_.shares, [](const scout::Share& one) { return one.se <= wanted_error; });
  return rounds > 0 &&
         ((rounds >= least_rounds && close) || rounds >= most_rounds || groups_.size() == 1);
}

void Journey::one_group() {
  Group& group = *groups_[0];
  const bool scouts = !group.finished() && std::holds_alternative<Scout>(group.current());
  group.unit();
  if (group.scouting())
    return;
  scouted_ = group.state().scouted;
  if (scouts && settings_.temper && !group.finished())
    return begin_tempering();
  if (scouts && scouted_.found.size() > 1 && !group.finished())
    return weigh_modes(scouted_.found);
  if (group.finished())
    part_ = over_rows() ? Part::finished : Part::look;
}

/// Where there are scores alone: the modes under the cloud, which nothing weighs.
void Journey::count_modes() {
  scout::ModeSearch search;
  search.has_density = false;
  search.dip = deep; // a shallower one does not keep particles apart
  search.seed = settings_.seed;
  std::vector<scout::Mode> modes =
      scout::modes_of_cloud(cloud().position(), counted_, false, search);
  part_ = Part::finished;
  if (modes.size() < 2)
    return;
  scouted_.modes = std::max(scouted_.modes, modes.size());
  weights_.modes = std::move(modes);
  follow();
}

/// The search at the end. What it finds gets groups, while there are searches left.
void Journey::look() {
  const std::uint64_t before = counted_.gradients();
  if (!density_.has_log_density) {
    count_modes();
    before_.looked += counted_.gradients() - before;
    return;
  }
  scout::ModeSearch search;
  search.seed = settings_.seed;
  std::vector<scout::Mode> known = weights_.modes;
  known.insert(known.end(), weights_.light.begin(), weights_.light.end());
  scout::Looked looked = scout::look_around(cloud(), counted_, known, search, searched_.searches);
  looked.hits += wander();
  Weights found = weights_;
  if (looked.modes.size() > groups())
    found = with_groups(weighed(looked.modes));
  const judge::Searched searched = search_report(looked, found);
  const std::uint64_t spent = counted_.gradients() - before;
  const bool more = found.modes.size() > groups();
  const bool stays = settings_.starts == 0 && settings_.steps == 0; // a cloud that was given
  const bool moves = settings_.steps + settings_.certify_moves > 0;
  if (more && moves && !stays && searched.searches < most_searches) {
    Weights old = std::exchange(weights_, std::move(found));
    try {
      split_up();
    } catch (...) { // it can be tried again
      weights_ = std::move(old);
      throw;
    }
  } else if (looked.hits > 0 && !more && !split() && !stays && moves) {
    if (tempering_.begun())
      part_ = Part::temper;
    else
      begin_tempering(looked.hit);
  } else {
    part_ = Part::finished;
    if (more && !split()) { // counted alone
      scouted_.modes = found.modes.size();
      weights_.modes = std::move(found.modes);
      follow();
    }
  }
  searched_ = searched;
  before_.looked += spent;
}

/// These modes and their shares, by Laplace's fits.
Weights Journey::weighed(std::vector<scout::Mode> modes) {
  Weights all;
  all.modes = std::move(modes);
  std::vector<scout::Fit> fits;
  for (std::size_t g = 0; g < all.modes.size(); ++g)
    fits.push_back({all.modes[g].frame, g});
  scout::Weighing now(std::move(fits), all.modes.size(), settings_.seed,
                      2 + searched_.searches); // 0 and 1 weigh groups
  for (std::size_t round = 0; round < first_rounds; ++round)
    now.round(counted_);
  all.shares = now.shares();
  return all;
}

/// What the verdict is told of a search.
judge::Searched Journey::search_report(const scout::Looked& looked, const Weights& found) const {
  judge::Searched all = searched_;
  ++all.searches;
  all.climbs += looked.climbs;
  all.looks += looked.looks;
  all.hits = looked.hits;
  all.modes = std::max<std::size_t>(1, found.modes.size());
  all.light = {};
  const Frame::Matrix& x = cloud().x;
  double most = 0;
  for (const scout::Mode& mode : found.light)
    for (Eigen::Index a = 0; a < x.cols(); ++a) {
      const double mean = x.col(a).mean();
      const double sd = std::sqrt((x.col(a).array() - mean).square().mean());
      const double off = (mode.x[a] - mean) / sd, share = mode.share;
      const double size =
          std::max(share * std::abs(off) / light_mean, share * off * off / light_variance);
      if (size > std::max(1.0, most)) {
        most = size;
        all.light = {share, std::size_t(a), mode.x[a], off};
      }
    }
  return all;
}

void Journey::weigh_modes(std::vector<scout::Mode> modes) {
  weights_.modes = std::move(modes);
  weights_.drawn.clear();
  part_ = Part::weigh_first;
}

} // namespace starling::stages
