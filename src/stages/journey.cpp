// A run in stages from its first unit to its last. Each group of particles goes through
// scout, fly, certify, settle (group.cpp); with several modes there is a group for each.
#include <starling/stages/journey.hpp>

#include <algorithm>
#include <utility>

namespace starling::stages {

namespace {

constexpr std::size_t first_rounds = 2;                   // of weighing, before the groups
constexpr std::size_t least_rounds = 4, most_rounds = 16; // after them
constexpr double wanted_error = 0.005;                    // of a share
constexpr double deep = 2.5;                              // a dip, in log density

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
    part_ = Part::finished;
    return;
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
  if (scouts && scouted_.found.size() > 1 && !group.finished())
    return weigh_modes(scouted_.found);
  if (group.finished())
    over_rows() ? void(part_ = Part::finished) : count_modes();
}

/// The modes under the cloud. Where it lies on several that the scout did not see, they get groups
/// after all.
void Journey::count_modes() {
  const std::uint64_t before = counted_.gradients();
  scout::ModeSearch search;
  search.has_density = density_.has_log_density;
  if (!search.has_density)
    search.dip = deep; // nothing weighs them, and a shallower one does not keep particles apart
  search.seed = settings_.seed;
  std::vector<scout::Mode> modes =
      scout::modes_of_cloud(cloud().position(), counted_, false, search);
  before_.counted += counted_.gradients() - before;
  part_ = Part::finished;
  if (modes.size() < 2)
    return;
  scouted_.modes = std::max(scouted_.modes, modes.size());
  if (search.has_density && settings_.steps + settings_.certify_moves > 0)
    return weigh_modes(std::move(modes));
  weights_.modes = std::move(modes);
  follow();
}

void Journey::weigh_modes(std::vector<scout::Mode> modes) {
  weights_.modes = std::move(modes);
  weights_.drawn.clear();
  part_ = Part::weigh_first;
}

} // namespace starling::stages
