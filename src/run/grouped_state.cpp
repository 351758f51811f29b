// A journey by groups as named columns and whole numbers, and back; what it says of itself.
#include <starling/run/grouped_journey.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace starling::run {

namespace {

const std::string part_name =
    "groups.part"; // missing in states of one group that were made before there were groups
constexpr std::uint64_t most_groups = 1000;

std::string of_mode(std::size_t g) { return "mode " + std::to_string(g) + " "; }
std::string of_group(std::size_t g) { return "group " + std::to_string(g) + " "; }

std::uint64_t count(const JourneyState& state, const std::string& name) {
  const auto found = state.counts.find(name);
  if (found == state.counts.end())
    throw std::invalid_argument("state: " + name + " is missing");
  return found->second;
}

const std::vector<double>& column(const JourneyState& state, const std::string& name) {
  const auto found = state.columns.find(name);
  if (found == state.columns.end())
    throw std::invalid_argument("state: column " + name + " is missing");
  return found->second;
}

/// The part of a state whose names begin so.
JourneyState under(const JourneyState& state, const std::string& mark) {
  JourneyState part;
  for (const auto& [name, values] : state.columns)
    if (name.starts_with(mark))
      part.columns[name.substr(mark.size())] = values;
  for (const auto& [name, value] : state.counts)
    if (name.starts_with(mark))
      part.counts[name.substr(mark.size())] = value;
  return part;
}

} // namespace

JourneyState GroupedJourney::save() const {
  JourneyState state = first_ ? first_->save() : JourneyState();
  auto& c = state.columns;
  auto& n = state.counts;
  n[part_name] = std::uint64_t(part_);
  n["groups.current"] = current_;
  n["groups.counted"] = counted_;
  n["groups.weighed"] = weighed_;
  n["groups.modes"] = modes_.size();
  n["groups.journeys"] = journeys_.size();
  n["groups.scouted"] = scouted_.modes;
  n["groups.by_pathfinder"] = scouted_.by_pathfinder;
  for (std::size_t g = 0; g < modes_.size(); ++g) {
    const scout::Mode& mode = modes_[g];
    const std::string mark = of_mode(g);
    c[mark + "x"].assign(mode.x.data(), mode.x.data() + mode.x.size());
    c[mark + "numbers"] = {mode.log_density, mode.log_mass};
    c[mark + "mean"].assign(mode.frame.mean().data(),
                            mode.frame.mean().data() + mode.frame.mean().size());
    c[mark + "factor"] = mode.frame.numbers();
    n[mark + "form"] = std::uint64_t(mode.frame.form());
  }
  c["groups.drawn"] = drawn_;
  auto& shares = c["groups.shares"];
  shares.clear();
  for (const scout::Share& one : shares_)
    shares.insert(shares.end(), {one.share, one.se, one.effective});
  for (std::size_t g = 0; g < journeys_.size(); ++g) {
    const JourneyState own = journeys_[g]->save();
    for (const auto& [name, values] : own.columns)
      c[of_group(g) + name] = values;
    for (const auto& [name, value] : own.counts)
      n[of_group(g) + name] = value;
    n[of_group(g) + "flown"] = flown_[g];
  }
  if (journeys_.empty())
    return state;
  for (std::size_t s = 0; s < stages; ++s)
    n[std::string("groups.before.") + name(Stage(s))] = before_[s];
  n["groups.scout.reads"] = scouted_rows_.reads;
  n["groups.scout.visits"] = scouted_rows_.visits;
  c["cloud.x"].assign(cloud_.x.data(), cloud_.x.data() + cloud_.x.size());
  c["cloud.score"].assign(cloud_.score.data(), cloud_.score.data() + cloud_.score.size());
  return state;
}

void GroupedJourney::restore(const JourneyState& state) {
  if (!state.counts.contains(part_name)) {
    first_->restore(state);
    scouted_ = first_->scouted();
    part_ = first_->finished() ? Part::finished : Part::one;
    return;
  }
  if (count(state, part_name) > std::uint64_t(Part::finished) ||
      count(state, "groups.modes") > most_groups || count(state, "groups.current") > most_groups)
    throw std::invalid_argument("state: part or group is not one of a journey");
  part_ = Part(count(state, part_name));
  current_ = count(state, "groups.current");
  counted_ = count(state, "groups.counted");
  weighed_ = count(state, "groups.weighed");
  scouted_ = {std::size_t(count(state, "groups.scouted")),
              count(state, "groups.by_pathfinder") != 0, 0};
  modes_.clear();
  for (std::size_t g = 0; g < count(state, "groups.modes"); ++g) {
    const std::string mark = of_mode(g);
    const std::vector<double>&x = column(state, mark + "x"),
          &numbers = column(state, mark + "numbers");
    if (x.size() != dim_ || numbers.size() != 2)
      throw std::invalid_argument("state: a mode does not fit the journey");
    scout::Mode mode;
    mode.x = Eigen::Map<const Eigen::VectorXd>(x.data(), Eigen::Index(dim_));
    mode.log_density = numbers[0];
    mode.log_mass = numbers[1];
    if (const std::size_t given = column(state, mark + "mean").size();
        (given != 0 && given != dim_) ||
        count(state, mark + "form") > std::uint64_t(Frame::Form::low_rank))
      throw std::invalid_argument("state: the frame of a mode does not fit the journey");
    else if (given != 0)
      mode.frame = Frame::from_numbers(column(state, mark + "mean"), column(state, mark + "factor"),
                                       Frame::Form(count(state, mark + "form")));
    modes_.push_back(std::move(mode));
  }
  const std::vector<double>& shares = column(state, "groups.shares");
  shares_.clear();
  for (std::size_t i = 0; i + 3 <= shares.size(); i += 3)
    shares_.push_back({shares[i], shares[i + 1], shares[i + 2]});
  double whole = 0; // particles are shared out by them
  for (const scout::Share& one : shares_)
    whole += one.share >= 0 && one.share <= 1 ? one.share : NAN;
  if (!shares_.empty() && !(whole > 0))
    throw std::invalid_argument("state: shares of groups must be between 0 and 1");
  drawn_ = column(state, "groups.drawn");
  journeys_.clear();
  flown_.clear();
  const std::uint64_t all = count(state, "groups.journeys");
  const bool by_groups = part_ == Part::fly || part_ == Part::weigh_last;
  if ((all > 0 ? part_ == Part::one || part_ == Part::weigh_first : by_groups) ||
      (part_ == Part::weigh_first && modes_.empty()) ||
      (!shares_.empty() && shares_.size() != modes_.size()))
    throw std::invalid_argument("state: groups do not fit the journey");
  if (all == 0) {
    first_->restore(state);
  } else {
    if (all != modes_.size() || all != shares_.size() || (part_ == Part::fly && current_ >= all))
      throw std::invalid_argument("state: groups do not fit the journey");
    first_.reset();
    for (std::size_t s = 0; s < stages; ++s)
      before_[s] = count(state, std::string("groups.before.") + name(Stage(s)));
    if (rows_)
      scouted_rows_ = {count(state, "groups.scout.reads"), count(state, "groups.scout.visits")};
    for (std::size_t g = 0; g < all; ++g) {
      flown_.push_back(count(state, of_group(g) + "flown"));
      if (flown_[g] < 2 || flown_[g] > settings_.particles)
        throw std::invalid_argument("state: groups do not fit the journey");
      journeys_.push_back(journey_of(g));
      journeys_[g]->restore(under(state, of_group(g)));
    }
  }
  follow();
}

std::string GroupedJourney::stage(const JourneyState& state) {
  const auto at = [&](const std::string& name, std::uint64_t usual) {
    const auto found = state.counts.find(name);
    return found == state.counts.end() ? usual : found->second;
  };
  const auto named = [](std::uint64_t stage) { // of a state that nobody has looked at yet
    return stage <= std::uint64_t(Stage::finished) ? name(Stage(stage)) : "no stage";
  };
  switch (Part(at(part_name, 0))) {
  case Part::weigh_first:
  case Part::weigh_last:
    return "weigh";
  case Part::finished:
    return name(Stage::finished);
  case Part::fly: {
    const std::uint64_t group = at("groups.current", 0);
    return std::string(named(at(of_group(group) + "stage", 1))) + ", group " +
           std::to_string(group + 1) + " of " + std::to_string(at("groups.journeys", 1));
  }
  case Part::one:
    break;
  }
  return named(at("stage", 0));
}

Progress GroupedJourney::progress() const {
  switch (part_) {
  case Part::one:
    return first_->progress();
  case Part::fly: {
    Progress progress = journeys_[current_]->progress();
    progress.total += (journeys_.size() - current_ - 1) *
                      (settings_.flight_moves + settings_.steps + settings_.certify_moves);
    return progress;
  }
  case Part::weigh_first:
  case Part::weigh_last:
    return {Stage::certify, weighing().rounds(), weighing().rounds() + 1};
  case Part::finished:
    break;
  }
  return {Stage::finished, 0, 1};
}

const std::optional<judge::Certificate>& GroupedJourney::certificate() const {
  return journeys_.empty() ? first_->certificate() : certificate_;
}

bool GroupedJourney::settled() const {
  return journeys_.empty()
             ? first_->settled()
             : std::ranges::any_of(journeys_, [](auto& one) { return one->settled(); });
}

bool GroupedJourney::polished() const {
  return journeys_.empty()
             ? first_->polished()
             : std::ranges::any_of(journeys_, [](auto& one) { return one->polished(); });
}

std::vector<std::pair<std::string, std::uint64_t>> GroupedJourney::gradients() const {
  std::vector<std::pair<std::string, std::uint64_t>> all;
  for (std::size_t s = 0; s < stages; ++s) {
    std::uint64_t sum = first_ ? first_->gradients()[s] : before_[s];
    for (const auto& one : journeys_)
      sum += one->gradients()[s];
    all.emplace_back(name(Stage(s)), sum);
  }
  if (weighed_ > 0)
    all.emplace_back("weigh", weighed_);
  all.emplace_back("count", counted_);
  return all;
}

} // namespace starling::run
