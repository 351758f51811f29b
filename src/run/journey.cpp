// A journey's stages: what a unit of each does, and what follows it.
#include <starling/run/journey.hpp>

#include "run/wings.hpp"

#include <starling/error.hpp>
#include <starling/scout/few_rows.hpp>
#include <starling/scout/scout.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace starling::run {

namespace {

constexpr double flight_acceptance = 0.7;

} // namespace

const char* name(Stage stage) {
  constexpr const char* names[] = {"scout", "fly", "certify", "settle", "finished"};
  return names[static_cast<std::size_t>(stage)];
}

Journey::Journey(DensityOfRows density, std::size_t dim, const JourneySettings& settings,
                 Threads& threads, ReadColumns read)
    : density_(std::move(density)), dim_(dim), settings_(settings), threads_(&threads),
      read_(std::move(read)) {
  if (dim == 0)
    reject("dim", "at least 1", "0");
  if (settings.particles < 8)
    reject("particles", "at least 8", std::to_string(settings.particles));
  if (settings.batch_size < 2 || settings.batch_size > settings.particles)
    reject("batch_size", "between 2 and the number of particles",
           std::to_string(settings.batch_size));
  if (settings.metric == Metric::by_size)
    settings_.metric = dim <= scout::Settings{}.dense_up_to ? Metric::dense : Metric::low_rank;
  wings_ = std::make_unique<Wings>(settings, dim, threads);
}

Journey::~Journey() = default;

void Journey::take(std::uint64_t units) {
  for (; units > 0 && !finished(); --units)
    do
      take_part();
    while (scouting());
}

void Journey::take_part() {
  const auto stage = static_cast<std::size_t>(stage_);
  const std::uint64_t before = density_.gradients();
  const RowCounts so_far = counts_;
  unit();
  gradients_[stage] += density_.gradients() - before;
  if (!rows_)
    return;
  RowCounts& read = report_->read[stage];
  read.reads += counts_.reads - so_far.reads;
  read.visits += counts_.visits - so_far.visits;
  gradients_[stage] = (read.visits + rows_->rows - 1) / rows_->rows;
}

void Journey::unit() {
  switch (stage_) {
  case Stage::scout:
    return scout_it();
  case Stage::fly:
    return fly_on();
  case Stage::certify:
    return certify_on();
  case Stage::settle:
    return settle_on();
  case Stage::finished:
    return;
  }
}

void Journey::go(Stage stage, Part part) {
  if (stage != stage_)
    done_ = 0;
  stage_ = stage;
  part_ = part;
  in_part_ = 0;
}

Frame::Matrix Journey::columns(const Frame::Matrix& x) const {
  Frame::Matrix all(x.rows(), x.cols() + Eigen::Index(read_.count));
  all.leftCols(x.cols()) = x;
  if (read_.count > 0) {
    const std::vector<double> read = read_.of(rows_of(x));
    all.rightCols(Eigen::Index(read_.count)) =
        Frame::map({read.data(), std::size_t(x.rows()), read_.count});
  }
  return all;
}

/// The frame that the cloud at x suggests, as far as the metric allows.
void Journey::reframe(Rows<const double> x) {
  switch (settings_.metric) {
  case Metric::none:
    frame_ = Frame(dim_);
    return;
  case Metric::diagonal:
    frame_ = Frame(dim_).refreshed(x);
    return;
  case Metric::low_rank:
    if (frame_.form() != Frame::Form::low_rank)
      frame_ = Frame(dim_).refreshed(x).with_few();
    frame_ = frame_.refreshed(x);
    return;
  case Metric::dense:
  case Metric::by_size:
    frame_ = frame_.refreshed(x);
    return;
  }
}

void Journey::scout_it() {
  if (rows_)
    return scout_rows();
  if (scouting_)
    return scouting_->step() ? void() : set_out();
  scout::Settings settings;
  settings.starts = settings_.starts;
  if (settings_.metric == Metric::low_rank)
    settings.form = Frame::Form::low_rank;
  else if (settings_.metric == Metric::dense)
    settings.form = Frame::Form::dense;
  else if (dim_ > settings.dense_up_to)
    settings.form = Frame::Form::diagonal;
  scouting_ = std::make_unique<scout::Scouting>(density_, dim_, settings_.seed, settings);
}

/// The scout is back: its cloud, in its frame.
void Journey::set_out() {
  const scout::Report report = scouting_->report();
  scouting_.reset();
  const Frame::Matrix x = scout::start(report.frame, density_, settings_.particles, settings_.seed);
  cloud_ = exact::walkers_at(rows_of(x), density_);
  next_ = x;
  frame_ = report.frame;
  if (settings_.metric == Metric::none || settings_.metric == Metric::diagonal)
    reframe(cloud_.position());
  scouted_ = {report.modes, report.by_pathfinder, report.elbo, report.found};
  const bool flies = settings_.steps + settings_.flight_moves > 0;
  go(flies ? Stage::fly : settings_.certify_moves > 0 ? Stage::certify : Stage::finished);
}

void Journey::begin_from(Rows<const double> x, Stage stage) {
  if (stage != Stage::fly && stage != Stage::certify)
    reject("stage", "fly or certify", name(stage));
  if (x.count != settings_.particles || x.dim != dim_)
    reject("start", std::to_string(settings_.particles) + " x " + std::to_string(dim_),
           std::to_string(x.count) + " x " + std::to_string(x.dim));
  const std::uint64_t before = density_.gradients();
  cloud_ = exact::walkers_at(x, density_);
  for (std::size_t i = 0; i < x.count; ++i)
    if (!std::isfinite(cloud_.log_density[i]))
      throw TargetError(0, i, "the log density is not finite where the particle starts");
  next_ = cloud_.x;
  frame_ = Frame(dim_).refreshed(x); // widths first: else few particles would blur the scales
  if (settings_.metric == Metric::dense)
    frame_ = frame_.densely();
  reframe(x);
  gradients_[std::size_t(stage)] += density_.gradients() - before;
  if (stage == Stage::certify && settings_.certify_moves == 0)
    return finish(); // nothing was asked for
  go(stage);
}

void Journey::fly_on() {
  if (done_ < settings_.flight_moves) {
    exact_flight_move();
  } else {
    const std::uint64_t t = done_ - settings_.flight_moves, all = settings_.steps;
    for (const std::uint64_t part : {8u, 4u, 2u, 1u}) // of the first half
      if (t > 0 && t == all / 2 / part)
        reframe(cloud_.position());
    const double share = static_cast<double>(t) / static_cast<double>(all);
    svgd_step(settings_.step_size / (1 + settings_.decay * share));
  }
  if (++done_ == settings_.flight_moves + settings_.steps) {
    arrive(true);
    look_at_rows();
    settings_.certify_moves > 0 ? go(Stage::certify) : finish();
  }
}

/// Exact moves of the flight itself, before its steps; the frame follows the cloud.
void Journey::exact_flight_move() {
  for (const std::uint64_t at : {2u, 6u, 14u})
    if (done_ == at)
      reframe(cloud_.position());
  if (done_ == 0 || done_ == 6)
    stride_ =
        exact::tune(cloud_, frame_, {}, flight_acceptance, density_, settings_.seed, tunings_++);
  exact::move(cloud_, frame_, {.step = stride_}, density_, settings_.seed, moves_++, {}, *threads_);
  next_ = cloud_.x;
  if (done_ + 1 == settings_.flight_moves)
    reframe(cloud_.position());
}

/// The density where the flight has gone. Where it fails the particle goes back to its last place.
void Journey::arrive(bool at_end) {
  Frame::Matrix score(next_.rows(), next_.cols());
  std::vector<double> log_density(cloud_.count());
  if (few_ && !at_end) { // densities are nobody's business on the way
    (*few_)(steps_, settings_.rows_a_step, rows_of(std::as_const(next_)), rows_of(score), {});
    for (std::size_t i = 0; i < log_density.size(); ++i)
      log_density[i] = score.row(Eigen::Index(i)).sum() * 0; // not finite where the score is not
  } else {
    leaps()(rows_of(std::as_const(next_)), rows_of(score), log_density);
  }
  for (std::size_t i = 0; i < cloud_.count(); ++i) {
    const auto row = Eigen::Index(i);
    if (!std::isfinite(log_density[i]))
      continue;
    cloud_.x.row(row) = next_.row(row);
    cloud_.score.row(row) = score.row(row);
    cloud_.log_density[i] = log_density[i];
  }
}

/// One step of RBM-SVGD in the frame.
void Journey::svgd_step(double step_size) {
  if (next_ != cloud_.x || few_) // few rows are others in each step
    arrive();
  next_ = wings_->step(cloud_, frame_, steps_++, step_size);
}

void Journey::finish() {
  // Moves do not cross between modes, so they cannot confirm how much each of them weighs.
  if (certificate_ && scouted_.modes > 1 && certificate_->finding == judge::Finding::confirmed)
    certificate_->finding = judge::Finding::undecided;
  test_.reset();
  go(Stage::finished);
}

Progress Journey::progress() const {
  Progress progress{stage_, done_, 1};
  switch (stage_) {
  case Stage::fly:
    progress.total = settings_.flight_moves + settings_.steps;
    break;
  case Stage::certify:
    progress.total =
        settings_.certify_moves + 1 + (polishes_flights() ? settings_.polish_steps : 0);
    break;
  case Stage::settle: {
    progress.total = settings_.polish_steps + settings_.certify_moves + 1;
    for (std::uint64_t r = 0; r <= std::min<std::uint64_t>(round_, settings_.settle_rounds - 1);
         ++r)
      progress.total += (settings_.first_round << r) + 1;
    break;
  }
  default:
    break;
  }
  return progress;
}

} // namespace starling::run
