// A journey over many rows of data: what differs from one over a density that is asked as a whole.
#include <starling/run/journey.hpp>

#include "run/wings.hpp"

#include <starling/error.hpp>
#include <starling/scout/few_rows.hpp>
#include <starling/scout/many_rows.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace starling::run {

namespace {

constexpr double well_below = 4; // what the guide may lack, against what is expected of it
constexpr std::size_t looked_at =
    32; // walkers whose log density is asked of all rows: its sd is known to an eighth
constexpr Step guide_step = Step{1} << 40; // the guide's rows: an address that no flight reaches

} // namespace

Journey::Journey(RowDensity rows, const JourneySettings& settings, Threads& threads,
                 ReadColumns read)
    : Journey(rows.all, rows.dim, settings, threads, std::move(read)) {
  rows_ = std::move(rows);
  settings_.flight_moves = 0;
  settings_.rows_a_step = std::clamp<std::size_t>(settings.rows_a_step, 1, rows_->rows);
  settings_.guide_rows = std::clamp<std::size_t>(settings.guide_rows, 1, rows_->rows);
  settings_.moved_particles = std::min(settings.moved_particles, settings.particles);
  settings_.settle_rounds =
      std::min<std::size_t>(settings.settle_rounds, 2); // a round of 40 moves is 40 passes for each
  report_ = RowsReport{rows_->rows, settings_.rows_a_step};
}

void Journey::scout_rows() {
  scout::Settings settings;
  settings.starts = settings_.starts;
  const scout::Report report = scout::scout(*rows_, settings_.seed, counts_, settings);
  frame_ = home_ = report.frame;
  scouted_ = {report.modes, false, report.elbo, report.found};
  set_out_over_rows();
}

void Journey::begin_at(const Frame& home) {
  if (!rows_ || home.dim() != dim_)
    throw std::invalid_argument("home: must be the frame of a mode of a density over rows");
  const RowCounts before = counts_;
  frame_ = home_ = home;
  set_out_over_rows();
  report_->read[std::size_t(Stage::scout)] = {counts_.reads - before.reads,
                                              counts_.visits - before.visits};
}

/// A cloud around the mode, in the frame there.
void Journey::set_out_over_rows() {
  meet_rows();
  cloud_ = exact::Walkers{};
  cloud_.x = next_ = scout::draws(home_, settings_.particles, settings_.seed);
  cloud_.score = Frame::Matrix::Zero(next_.rows(), next_.cols());
  cloud_.log_density.assign(settings_.particles, 0.0);
  for (std::size_t i = 0; i < settings_.particles; ++i)
    cloud_.id.push_back(i);
  if (settings_.metric != Metric::dense)
    reframe(cloud_.position());
  if (settings_.steps > 0)
    return go(Stage::fly);
  arrive(true);
  settings_.certify_moves > 0 ? go(Stage::certify) : go(Stage::finished);
}

/// What few rows need to know of all of them, from the mode and the frame there.
void Journey::meet_rows() {
  few_ = std::make_unique<scout::FewRows>(*rows_, home_.mean(), home_, settings_.seed, counts_);
  guide_.emplace([this](Rows<const double> x, Rows<double> score, std::span<double> log_density) {
    (*few_)(guide_step, guide_rows(), x, score, log_density);
  });
}

/// Fewer where the flight showed that few say enough: a step's noise is that of the score along
/// each of dim directions, and what the log density lacks about sqrt(dim) times that; both fall as
/// the root of the rows.
std::size_t Journey::guide_rows() const {
  if (!(report_->noise > 0) || !(settings_.guide_lack > 0))
    return settings_.guide_rows;
  const double expected =
      report_->noise * std::sqrt(double(dim_)) / (settings_.guide_lack / well_below);
  const double needed = double(settings_.rows_a_step) * expected * expected;
  if (needed >= double(settings_.guide_rows)) // also if it is not finite
    return settings_.guide_rows;
  return std::min(settings_.guide_rows, std::max(settings_.rows_a_step, std::size_t(needed)));
}

void Journey::estimate(Rows<const double> x, Rows<double> score, std::span<double> log_density) {
  (*few_)(guide_step, settings_.guide_rows, x, score, log_density);
}

/// What decides on those who ended a move, if not what guided them.
exact::LogDensities Journey::ends() {
  return few_ && !report_->by_guide ? all_rows() : exact::LogDensities();
}

/// Log densities of all rows.
exact::LogDensities Journey::all_rows() {
  return [this](Rows<const double> x, std::span<double> log_density) {
    if (rows_->values) {
      rows_->values(x, log_density);
    } else {
      Frame::Matrix unused(Eigen::Index(x.count), Eigen::Index(x.dim));
      rows_->all(x, rows_of(unused), log_density);
    }
    counts_.reads += rows_->rows;
    counts_.visits += rows_->rows * x.count;
  };
}

/// Some of the cloud, evenly among them, with what the guide says there.
void Journey::choose_walkers() {
  const std::size_t count = settings_.moved_particles;
  Frame::Matrix x = Frame::Matrix::Zero(Eigen::Index(count), Eigen::Index(dim_));
  for (std::size_t i = 0; i < count; ++i)
    x.row(Eigen::Index(i)) = cloud_.x.row(Eigen::Index(i * cloud_.count() / count));
  walkers_ = exact::walkers_at(rows_of(x), *guide_);
}

/// The sd over some walkers, evenly among them, of log pi less what the guide says of it. Moves
/// that the guide decides on lead to exp(guide) instead of pi, and so E f to E f + Cov(f, guide -
/// log pi), to first order: for any f at most this in sds of f.
double Journey::guide_lacks() {
  const std::size_t count = std::min(looked_at, walkers_.count());
  Frame::Matrix x = Frame::Matrix::Zero(Eigen::Index(count), Eigen::Index(dim_)), unused = x;
  for (std::size_t i = 0; i < count; ++i)
    x.row(Eigen::Index(i)) = walkers_.x.row(Eigen::Index(i * walkers_.count() / count));
  Eigen::VectorXd guide(x.rows()), all(x.rows());
  (*guide_)(rows_of(std::as_const(x)), rows_of(unused), {guide.data(), count});
  all_rows()(rows_of(std::as_const(x)), {all.data(), count});
  const Eigen::VectorXd lack = all - guide;
  return std::sqrt((lack.array() - lack.mean()).square().sum() / double(count - 1));
}

/// Before exact moves of walkers whose log densities are the guide's.
void Journey::choose_who_decides() {
  report_->lack = settings_.guide_lack > 0 ? guide_lacks() : 0;
  report_->by_guide = settings_.guide_lack > 0 && report_->lack <= settings_.guide_lack;
  if (!report_->by_guide)
    all_rows()(walkers_.position(), walkers_.log_density);
}

/// After them: what the guide may have lacked, before or now, widens what is not known.
judge::Bounds Journey::bounds() {
  judge::Bounds bounds;
  if (few_ && report_->by_guide) {
    const double now =
        guide_lacks(); // not finite where the guide led to places that all rows exclude
    report_->lack = std::isfinite(now) ? std::max(report_->lack, now) : now;
    bounds.moves_error = std::isfinite(report_->lack) ? 2 * report_->lack : 1;
  }
  return bounds;
}

/// Whether few rows could speak for all, at the end of the flight.
void Journey::look_at_rows() {
  if (!rows_)
    return;
  const RowCounts before = counts_;
  const std::size_t some = std::min<std::size_t>(cloud_.count(), 32);
  report_->noise = few_->noise(settings_.rows_a_step, cloud_.position().slice(0, some), frame_);
  const Eigen::RowVectorXd mean = cloud_.x.colwise().mean();
  const Eigen::RowVectorXd variance =
      (cloud_.x.rowwise() - mean).colwise().squaredNorm() / double(cloud_.count());
  report_->away =
      ((mean - home_.mean().transpose()).array().abs() / variance.array().sqrt().max(1e-300))
          .maxCoeff();
  counts_ = before; // a look, and no part of the work
}

void Journey::save_rows(JourneyState& state) const {
  const Eigen::VectorXd& mode = home_.mean();
  state.columns["home.mean"].assign(mode.data(), mode.data() + mode.size());
  state.columns["home.factor"] = home_.numbers();
  state.columns["began"].assign(began_.data(), began_.data() + began_.size());
  state.columns["rows.numbers"] = {report_->noise, report_->away, report_->lack,
                                   double(report_->by_guide)};
  state.counts["home.form"] = std::uint64_t(home_.form());
  for (std::size_t s = 0; s < stages; ++s) {
    state.counts[std::string("reads.") + name(Stage(s))] = report_->read[s].reads;
    state.counts[std::string("visits.") + name(Stage(s))] = report_->read[s].visits;
  }
}

void Journey::restore_rows(const JourneyState& state) {
  const auto column = [&](const char* name) -> const std::vector<double>& {
    const auto found = state.columns.find(name);
    if (found == state.columns.end())
      throw std::invalid_argument(std::string("state: column ") + name + " is missing");
    return found->second;
  };
  const auto count = [&](const std::string& name) {
    const auto found = state.counts.find(name);
    if (found == state.counts.end())
      throw std::invalid_argument("state: " + name + " is missing");
    return found->second;
  };
  for (std::size_t s = 0; s < stages; ++s)
    report_->read[s] = {count(std::string("reads.") + name(Stage(s))),
                        count(std::string("visits.") + name(Stage(s)))};
  if (column("home.mean").empty()) // before the scout
    return;
  if (column("home.mean").size() != dim_ ||
      count("home.form") > std::uint64_t(Frame::Form::low_rank))
    throw std::invalid_argument("state: the frame of the mode does not fit the journey");
  home_ = Frame::from_numbers(column("home.mean"), column("home.factor"),
                              Frame::Form(count("home.form")));
  const std::vector<double>& began = column("began");
  if (const std::size_t width = dim_ + read_.count; !began.empty())
    began_ = Frame::map({began.data(), began.size() / width, width});
  if (const std::vector<double>& kept = column("rows.numbers"); kept.size() == 4) {
    report_->noise = kept[0];
    report_->away = kept[1];
    report_->lack = kept[2];
    report_->by_guide = kept[3] != 0;
  } else {
    throw std::invalid_argument("state: rows.numbers does not fit the journey");
  }
  const RowCounts before = counts_;
  meet_rows(); // again, from the same mode and frame
  if (report_->read[std::size_t(Stage::certify)].visits >
      0) { // and the guide, which was met by then
    const Frame::Matrix at = home_.mean().transpose();
    Frame::Matrix score(1, at.cols());
    double log_density = 0;
    (*guide_)(rows_of(at), rows_of(score), {&log_density, 1});
  }
  counts_ = before;
}

} // namespace starling::run
