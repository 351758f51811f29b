// A journey by groups: what a unit of each part does, and what follows it.
#include <starling/run/grouped_journey.hpp>

#include <starling/random/permute.hpp>
#include <starling/run/seeds.hpp>
#include <starling/scout/scout.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace starling::run {

namespace {

constexpr std::size_t least_flown = 128; // particles of a journey, so that its certificate can tell
constexpr std::size_t first_rounds = 2;  // of weighing
constexpr std::size_t least_rounds = 4, most_rounds = 16;
constexpr double wanted_error = 0.005; // of a share
constexpr double no_group = 0.002;     // a share below it is none
constexpr double deep = 2.5;           // a dip, in log density

} // namespace

GroupedJourney::GroupedJourney(DensityOfRows density, std::size_t dim,
                               const JourneySettings& settings, Threads& threads, ReadColumns read,
                               bool has_density)
    : plain_(density), density_(std::move(density)), dim_(dim), settings_(settings),
      threads_(threads), read_(std::move(read)), has_density_(has_density) {
  first_ = journey(settings.particles, settings.seed, plain_);
}

GroupedJourney::GroupedJourney(const RowDensity& rows, const JourneySettings& settings,
                               Threads& threads, ReadColumns read)
    : plain_(rows.all), density_(rows.all), dim_(rows.dim), settings_(settings), threads_(threads),
      read_(std::move(read)), has_density_(true), rows_(rows) {
  first_ = std::make_unique<Journey>(rows, settings, threads, read_);
}

std::unique_ptr<Journey> GroupedJourney::journey(std::size_t particles, std::uint64_t seed,
                                                 DensityOfRows density) const {
  JourneySettings settings = settings_;
  settings.particles = particles;
  settings.seed = seed;
  if (particles != settings_.particles)
    settings.batch_size = std::min(settings.batch_size, particles);
  return std::make_unique<Journey>(std::move(density), dim_, settings, threads_, read_);
}

/// The journey of a group, not yet begun.
std::unique_ptr<Journey> GroupedJourney::journey_of(std::size_t group) const {
  return rows_ ? journey_over_rows(group)
               : journey(flown_[group], seed_of(group), within(group, plain_));
}

/// The density in the group's part of space; outside it fails, and moves that lead there are
/// refused.
DensityOfRows GroupedJourney::within(std::size_t group, DensityOfRows density) const {
  std::vector<scout::Fit> fits;
  for (std::size_t g = 0; g < modes_.size(); ++g)
    fits.push_back({modes_[g].frame, g});
  const auto parts =
      std::make_shared<const scout::Weighing>(std::move(fits), modes_.size(), settings_.seed, 0);
  return [plain = std::move(density), parts, group](Rows<const double> x, Rows<double> score,
                                                    std::span<double> log_density) {
    plain(x, score, log_density);
    const std::vector<std::size_t> where = parts->group_of(x);
    for (std::size_t i = 0; i < x.count; ++i)
      if (where[i] != group)
        log_density[i] = -std::numeric_limits<double>::infinity();
  };
}

std::uint64_t GroupedJourney::seed_of(std::size_t group) const {
  return whole_word(Philox(settings_.seed)(Stream::groups_seed, 0, group));
}

void GroupedJourney::begin_from(Rows<const double> x, Stage stage) { first_->begin_from(x, stage); }

void GroupedJourney::take(std::uint64_t units) {
  for (; units > 0 && !finished(); --units)
    do
      take_part();
    while (scouting());
}

void GroupedJourney::unit() {
  switch (part_) {
  case Part::one:
    return one_group();
  case Part::weigh_first:
    weigh();
    if (weighing().rounds() == first_rounds)
      begin_journeys();
    return;
  case Part::fly:
    journeys_[current_]->take(1);
    if (journeys_[current_]->finished() && ++current_ == journeys_.size()) {
      part_ = Part::weigh_last;
      drawn_.clear();
    }
    return follow();
  case Part::weigh_last: {
    weigh();
    const bool close = std::ranges::all_of(
        shares_, [](const scout::Share& one) { return one.se <= wanted_error; });
    const std::size_t rounds = weighing().rounds();
    if ((rounds >= least_rounds && close) || rounds >= most_rounds || modes_.size() == 1)
      part_ = Part::finished;
    return follow();
  }
  case Part::finished:
    return;
  }
}

void GroupedJourney::one_group() {
  const bool scouts = first_->progress().stage == Stage::scout;
  first_->take_part();
  if (first_->scouting())
    return;
  scouted_ = first_->scouted();
  if (scouts && scouted_.found.size() > 1 && !first_->finished())
    return begin_groups(scouted_.found);
  if (first_->finished())
    rows_ ? void(part_ = Part::finished) : count_groups();
}

/// The modes under the cloud. Where it lies on several that the scout did not see, the groups set
/// out after all.
void GroupedJourney::count_groups() {
  const std::uint64_t before = density_.gradients();
  scout::ModeSearch search;
  search.has_density = has_density_;
  if (!has_density_)
    search.dip = deep; // nothing weighs them, and a shallower one does not keep particles apart
  search.seed = settings_.seed;
  std::vector<scout::Mode> modes =
      scout::modes_of_cloud(cloud().position(), density_, false, search);
  counted_ += density_.gradients() - before;
  part_ = Part::finished;
  if (modes.size() < 2)
    return;
  scouted_.modes = std::max(scouted_.modes, modes.size());
  if (has_density_ && settings_.steps + settings_.flight_moves + settings_.certify_moves > 0)
    return begin_groups(std::move(modes));
  modes_ = std::move(modes);
  follow();
}

void GroupedJourney::begin_groups(std::vector<scout::Mode> modes) {
  modes_ = std::move(modes);
  drawn_.clear();
  part_ = Part::weigh_first;
}

/// By Laplace's fits, and once there are clouds by theirs as well.
scout::Weighing GroupedJourney::weighing() const {
  const bool last = !journeys_.empty();
  std::vector<scout::Fit> fits;
  for (std::size_t g = 0; g < modes_.size(); ++g) {
    fits.push_back({modes_[g].frame, g});
    if (!last)
      continue;
    const Rows<const double> x = journeys_[g]->positions();
    const Frame widths = Frame(dim_).refreshed(x);
    fits.push_back({modes_[g].frame.is_dense() ? widths.densely().refreshed(x) : widths, g});
  }
  scout::Weighing made(std::move(fits), modes_.size(), settings_.seed, last);
  made.resume(drawn_);
  return made;
}

void GroupedJourney::weigh() {
  scout::Weighing now = weighing();
  const std::uint64_t before = density_.gradients();
  now.round(density_);
  weighed_ += density_.gradients() - before;
  drawn_ = now.numbers();
  shares_ = now.shares();
}

/// A journey for each group that has a share, of more particles than it will give: weights may
/// change.
void GroupedJourney::begin_journeys() {
  std::vector<scout::Mode> modes;
  std::vector<scout::Share> shares;
  const auto heaviest = std::ranges::max_element(shares_, {}, &scout::Share::share);
  for (std::size_t g = 0; g < modes_.size(); ++g)
    if (shares_[g].share + 2 * shares_[g].se >= no_group ||
        g == std::size_t(heaviest - shares_.begin())) {
      modes.push_back(modes_[g]);
      shares.push_back(shares_[g]);
    }
  modes_ = std::move(modes);
  shares_ = std::move(shares);
  scouted_.modes = modes_.size();
  scouted_.found.clear();
  before_ = first_->gradients();
  if (rows_)
    scouted_rows_ = first_->over_rows()->read[std::size_t(Stage::scout)];
  first_.reset();
  const auto n = static_cast<double>(settings_.particles);
  const bool flies = settings_.steps + settings_.flight_moves > 0;
  for (std::size_t g = 0; g < modes_.size(); ++g) {
    const auto wanted =
        std::size_t(std::ceil(n * (1.1 * shares_[g].share + 3 * shares_[g].se))) + 1;
    flown_.push_back(std::min(settings_.particles, std::max(wanted, least_flown)));
    if (rows_) {
      journeys_.push_back(journey_of(g));
      journeys_[g]->begin_at(modes_[g].frame);
      continue;
    }
    CountedDensity own(within(g, plain_));
    const Frame::Matrix x = scout::start(modes_[g].frame, own, flown_[g], seed_of(g));
    before_[std::size_t(Stage::scout)] += own.gradients();
    journeys_.push_back(journey_of(g));
    journeys_[g]->begin_from(rows_of(x), flies ? Stage::fly : Stage::certify);
  }
  part_ = Part::fly;
  follow();
}

/// What follows from the state: the cloud as it is, and at the end the whole.
void GroupedJourney::follow() {
  if (part_ == Part::finished && !journeys_.empty())
    return put_together(weighing());
  if (journeys_.empty()) {
    if (part_ == Part::finished && modes_.size() > 1) // counted alone
      group_ = scout::assign_to_modes(cloud().position(), modes_);
    return;
  }
  std::vector<double> shares;
  for (const scout::Share& one : shares_)
    shares.push_back(one.share);
  std::vector<std::size_t> each = scout::apportion(shares, settings_.particles);
  std::vector<std::vector<std::size_t>> rows(each.size());
  for (std::size_t g = 0; g < each.size(); ++g)
    for (std::size_t i = 0; i < each[g]; ++i)
      rows[g].push_back(i % flown_[g]);
  gather(rows);
}

/// The cloud of these rows of the groups' own, in one random order.
void GroupedJourney::gather(const std::vector<std::vector<std::size_t>>& rows) {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  for (std::size_t g = 0; g < rows.size(); ++g)
    for (const std::size_t i : rows[g])
      all.emplace_back(g, i);
  std::vector<std::uint32_t> order(all.size());
  std::iota(order.begin(), order.end(), 0u);
  permute(order, Philox(settings_.seed), Stream::groups_order, 0);
  cloud_.x.resize(Eigen::Index(all.size()), Eigen::Index(dim_));
  cloud_.score.resize(cloud_.x.rows(), cloud_.x.cols());
  cloud_.log_density.resize(all.size());
  cloud_.id.resize(all.size());
  group_.resize(all.size());
  for (std::size_t n = 0; n < all.size(); ++n) {
    const auto [g, i] = all[order[n]];
    const exact::Walkers& from = journeys_[g]->cloud();
    cloud_.x.row(Eigen::Index(n)) = from.x.row(Eigen::Index(i));
    cloud_.score.row(Eigen::Index(n)) = from.score.row(Eigen::Index(i));
    cloud_.log_density[n] = from.log_density[i];
    cloud_.id[n] = n;
    group_[n] = g;
  }
}

} // namespace starling::run
