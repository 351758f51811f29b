// Tempering in a journey: where it begins, and what becomes of the modes that it shows.
#include <starling/stages/journey.hpp>

#include <utility>

namespace starling::stages {

namespace {

constexpr Step after_tempering = 1000;      // a search that shares no random numbers with others
constexpr std::size_t level_looks_here = 8; // times as many as other searches make
constexpr std::uint64_t most_temperatures = 30; // where nobody asked for them
constexpr std::uint64_t most_over_rows = 100;   // each takes some passes over all rows

} // namespace

/// Around what the scout found, which is remembered as modes, and what a search hit.
void Journey::begin_tempering(const Frame::Matrix& hit) {
  std::vector<scout::Mode> around = scouted_.found;
  if (around.size() < 2) {
    around.assign(1, {});
    around[0].frame = groups_[0]->state().frame;
    around[0].x = around[0].frame.mean();
  }
  std::vector<scout::Mode> reached = around;
  for (Eigen::Index i = 0; i < hit.rows(); ++i) {
    reached.push_back(around[0]);
    reached.back().x = hit.row(i);
  }
  if (const State& state = groups_[0]->state(); over_rows()) // how many few rows are
    groups_[0]->guide().look(state.cloud, state.frame);
  tempering_ = Tempering(reached, settings_.seed, prior_);
  weights_.modes = std::move(around);
  part_ = Part::temper;
}

/// The draws at the end of the temperatures are right, and a cloud that went from one place is not:
/// there is more, and no way up leads to it. Parts of these draws become groups, each with moves of
/// its own width.
void Journey::part_tempered() {
  std::vector<scout::Mode> parts;
  if (tempering_.over())
    parts = scout::parts_of_draws(tempering_.cloud().position(), settings_.seed);
  weights_.modes.clear();
  part_ = Part::finished;
  if (parts.size() > 1)
    weigh_modes(std::move(parts));
}

/// A temperature, and climbs from those particles whose scores lead to no known mode: of a narrow
/// mode most are lost before its share shows. After the last, looks around the particles; over rows
/// of data these would take too many passes.
void Journey::temper() {
  const bool at_the_end = groups_[0]->finished();
  if (at_the_end && (settings_.temper || tempering_.units() > most_temperatures))
    return part_tempered(); // after tempering that was asked for, or given up
  Guide& guide = groups_[0]->guide();
  const std::uint64_t before = counted_.gradients(), visits = guide.spent().rows.visits;
  scout::ModeSearch search;
  search.seed = settings_.seed;
  search.level_looks = level_looks_here;
  std::vector<scout::Mode> modes;
  const bool over =
      tempering_.over() || (over_rows() && tempering_.units() > most_over_rows); // or given up
  const std::span<const scout::Mode> tops(weights_.modes.data(),
                                          weights_.modes.size() > 1 ? weights_.modes.size() : 0);
  if (over && !over_rows())
    modes = scout::look_around(tempering_.cloud(), counted_, tops, search, after_tempering).modes;
  else if (tempering_.units() > 0)
    modes = scout::modes_led_to(tempering_.cloud(), counted_, weights_.modes, search);
  if (!over)
    tempering_.unit(counted_, *threads_,
                    over_rows() ? FewRowsLead{&guide.density(), guide.decider()} : FewRowsLead{});
  before_.tempered += counted_.gradients() - before;
  before_.tempered_visits += guide.spent().rows.visits - visits;
  if (modes.size() > 1)
    weights_.modes = std::move(modes);
  if (!over)
    return;
  scouted_.modes = weights_.modes.size();
  if (weights_.modes.size() > 1)
    return weigh_modes(std::exchange(weights_.modes, {}));
  if (at_the_end)
    return part_tempered();
  weights_.modes.clear();
  part_ = Part::one;
}

std::optional<judge::LogEvidence> Journey::tempered_evidence() const {
  return tempering_.begun() && tempering_.over() ? std::optional(tempering_.evidence())
                                                 : std::nullopt;
}

} // namespace starling::stages
