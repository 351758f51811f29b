// A group of particles goes through its stages: scout, fly, certify, settle.
#include <starling/stages/group.hpp>

#include <starling/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace starling::stages {

namespace {

constexpr std::size_t dense_up_to = 100; // dimensions: above, it costs more than many a density

} // namespace

Group::Group(std::unique_ptr<Guide> guide, const Settings& settings, Threads& threads,
             ReadColumns read, std::vector<Stage> list)
    : guide_(std::move(guide)), settings_(settings), threads_(&threads), read_(std::move(read)),
      list_(std::move(list)) {
  const std::size_t dim = guide_->dim();
  if (dim == 0)
    reject("dim", "at least 1", "0");
  if (settings.particles < 8)
    reject("particles", "at least 8", std::to_string(settings.particles));
  if (settings.batch_size < 2 || settings.batch_size > settings.particles)
    reject("batch_size", "between 2 and the number of particles",
           std::to_string(settings.batch_size));
  if (settings.metric == Metric::by_size || settings.metric == Metric::bent) {
    settings_.metric = dim <= dense_up_to ? Metric::dense : Metric::low_rank;
    if (guide_->rows() == 0) // else scores are estimates
      settings_.bends = settings.metric == Metric::bent ? Bends::better : Bends::clearly_better;
  }
}

Group::Group(DensityOfRows density, std::size_t dim, const Settings& settings, Threads& threads,
             ReadColumns read, std::vector<Stage> list)
    : Group(guide_by(std::move(density), dim), settings, threads, std::move(read),
            std::move(list)) {}

void Group::take(std::uint64_t units) {
  for (; units > 0 && !finished(); --units)
    do
      unit();
    while (scouting());
}

void Group::unit() {
  if (finished())
    return;
  const Spent before = guide_->spent();
  const bool over =
      std::visit([&](auto& stage) { return stage.unit(context(), state_); }, list_[at_]);
  spent_[stage()].add_since(before, guide_->spent());
  if (over)
    go_on();
}

bool Group::scouting() const {
  const Scout* scout = finished() ? nullptr : std::get_if<Scout>(&list_[at_]);
  return scout && scout->under_way();
}

void Group::go_on() {
  std::visit([](auto& over) { over = {}; }, list_[at_]); // of many particles it holds much
  ++at_;
  pass_over_unneeded();
}

void Group::pass_over_unneeded() {
  const auto needed = [&](const Stage& stage) {
    return std::visit([&](const auto& one) { return one.needed(context(), state_); }, stage);
  };
  while (!finished() && !needed(list_[at_]))
    ++at_;
  // Moves do not cross between modes, so they cannot confirm how much each of them weighs.
  if (finished() && state_.certificate && state_.scouted.modes > 1 &&
      state_.certificate->finding == judge::Finding::confirmed)
    state_.certificate->finding = judge::Finding::undecided;
}

void Group::begin_from(Rows<const double> x, bool flies) {
  const std::size_t dim = guide_->dim();
  if ((x.count != particles() && x.count != crew()) || x.dim != dim)
    reject("start", std::to_string(settings_.particles) + " x " + std::to_string(dim),
           std::to_string(x.count) + " x " + std::to_string(x.dim));
  const Spent before = guide_->spent();
  Cloud cloud = cloud_at(x, guide_->density());
  for (std::size_t i = 0; i < x.count; ++i)
    if (!std::isfinite(cloud.log_density[i]))
      throw TargetError(0, i, "the log density is not finite where the particle starts");
  // Widths first: else few particles would blur the scales.
  Frame frame = Frame(dim).refreshed(x, rows_of(std::as_const(cloud.score)));
  if (settings_.metric == Metric::dense)
    frame = frame.densely();
  state_.frame = context().reframed(frame, cloud);
  state_.cloud = std::move(cloud);
  std::erase_if(list_, [&](const Stage& stage) {
    return std::holds_alternative<Scout>(stage) || (!flies && std::holds_alternative<Fly>(stage));
  });
  pass_over_unneeded();
  spent_[flies ? index_of<Fly> : index_of<Certify>].add_since(before, guide_->spent());
}

void Group::begin_at(const Frame& home) {
  if (home.dim() != guide_->dim())
    throw std::invalid_argument("home: must be the frame of a mode of this density");
  const Spent before = guide_->spent();
  state_.cloud = guide_->start(home, settings_, context().crew(), settings_.steps > 0);
  state_.frame = guide_->reframes(settings_.metric) ? context().reframed(home, state_.cloud) : home;
  spent_[index_of<Scout>].add_since(before, guide_->spent());
  std::erase_if(list_, [](const Stage& stage) { return std::holds_alternative<Scout>(stage); });
  pass_over_unneeded();
}

Progress Group::progress() const {
  if (finished())
    return {};
  return std::visit([&](const auto& stage) { return stage.progress(context()); }, list_[at_]);
}

std::array<std::uint64_t, kinds> Group::gradients() const {
  std::array<std::uint64_t, kinds> all{};
  const std::size_t rows = guide_->rows();
  for (std::size_t s = 0; s < kinds; ++s)
    all[s] = rows > 0 ? (spent_[s].rows.visits + rows - 1) / rows : spent_[s].gradients;
  return all;
}

RowsReport Group::rows_report() const {
  const GuideState& seen = guide_->state();
  RowsReport report{
      guide_->rows(),
      std::clamp<std::size_t>(settings_.rows_a_step, 1, std::max<std::size_t>(1, guide_->rows()))};
  for (std::size_t s = 0; s < kinds; ++s)
    report.read[s] = spent_[s].rows;
  report.noise = seen.noise;
  report.away = seen.away;
  report.error = seen.error;
  report.guide_decides = seen.decides;
  return report;
}

void Group::save(SaveFields& to) const {
  const std::size_t left = list_.size() - at_; // stages that are passed over are not in the list
  to("left", left);
  to("spent", scouting() ? std::array<Spent, kinds>{} : spent_);
  to("guide", guide_->state());
  to("state", state_);
  if (!finished())
    std::visit([&](const auto& stage) { to(stage.name, stage); }, list_[at_]);
}

void Group::restore(RestoreFields& from) {
  std::size_t left = 0;
  GuideState guide;
  from("left", left);
  from("spent", spent_);
  from("guide", guide);
  from("state", state_);
  must_fit(left <= list_.size());
  at_ = list_.size() - left;
  if (!finished())
    std::visit([&](auto& stage) { from(stage.name, stage); }, list_[at_]);
  check();
  guide_->forget_scout();
  guide_->resume(guide, spent_[index_of<Certify>].rows.visits > 0);
}

void Group::check() const {
  const Context with = context();
  const std::size_t all = settings_.particles, dim = guide_->dim();
  const bool scouts = !finished() && std::holds_alternative<Scout>(list_[at_]);
  if (scouts)
    return;
  if (state_.cloud.count() != all && state_.cloud.count() != with.crew())
    throw std::invalid_argument("state: made for " + std::to_string(state_.cloud.count()) +
                                " particles, not " + std::to_string(all));
  must_fit(state_.cloud, dim, state_.cloud.count(), false);
  must_fit(state_.frame.dim() == dim);
  must_fit(state_.walkers, dim, state_.walkers.count(), true);
  must_fit(state_.walkers.count() <= all &&
           (state_.walkers.count() == 0 || state_.walkers.count() >= 4));
  must_fit(state_.recent.cloud, dim, state_.recent.cloud.count(), true);
  must_fit(state_.pool.means.empty() || state_.pool.means.size() == with.width());
  if (const auto& certificate = state_.certificate) {
    const auto known = [&](std::size_t column) { must_fit(column < with.width()); };
    if (certificate->worst.of == judge::TraitOf::column)
      known(certificate->worst.parameter);
    for (const judge::Displacement& one : certificate->all)
      known(one.parameter);
    for (const std::size_t column : certificate->heavy)
      known(column);
  }
  if (!finished())
    std::visit([&](const auto& stage) { stage.check(with, state_); }, list_[at_]);
}

} // namespace starling::stages
