// A guide by few rows of data: some rows lead, all rows decide, unless the few stand for all.
#include <starling/stages/guide.hpp>

#include <starling/scout/few_rows.hpp>
#include <starling/scout/many_rows.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace starling::stages {

namespace {

constexpr double well_below = 4; // the error that is aimed at, against the one that is allowed
constexpr std::size_t looked_at =
    32; // walkers whose log density is asked of all rows: its sd is known to an eighth
constexpr std::size_t asked_of_all = 128; // walkers, for the evidence
// Errors of the guide with which there is no evidence: where it decides, and where all rows do.
constexpr double poor_guide = 0.5, useless_guide = 3;
constexpr Step guide_step = Step{1} << 40; // the guide's rows: an address that no flight reaches

double sd_of(const Eigen::VectorXd& values) {
  return std::sqrt((values.array() - values.mean()).square().sum() / double(values.size() - 1));
}

class ByRows final : public Guide {
public:
  ByRows(RowDensity rows, const Settings& settings)
      : rows_(std::move(rows)), settings_(settings),
        guide_([this](Rows<const double> x, Rows<double> score, std::span<double> log_density) {
          (*few_)(guide_step, guide_rows(), x, score, log_density);
        }) {}

  std::size_t dim() const override { return rows_.dim; }
  std::size_t rows() const override { return rows_.rows; }

  bool scout(const Settings& asked, scout::Report& report) override {
    scout::Settings settings;
    settings.starts = asked.starts;
    report = scout::scout(rows_, asked.seed, counts_, settings);
    report.by_pathfinder = false;
    return true;
  }

  Cloud start(const Frame& frame, const Settings& settings, std::size_t particles,
              bool flies) override {
    meet(frame);
    Cloud cloud;
    cloud.x = scout::draws(frame, particles, settings.seed);
    if (!flies)
      return cloud_at(cloud.position(), guide_);
    cloud.score = Frame::Matrix::Zero(cloud.x.rows(), cloud.x.cols());
    cloud.log_density.assign(particles, 0.0);
    for (std::size_t i = 0; i < particles; ++i)
      cloud.id.push_back(i);
    return cloud;
  }
  bool reframes(Metric metric) const override { return metric != Metric::dense; }

  CountedDensity& density() override { return guide_; }
  void score(Step k, Rows<const double> x, Rows<double> score,
             std::span<double> log_density) override {
    (*few_)(k, settings_.rows_a_step, x, score, {}); // a step needs no log densities
    for (std::size_t i = 0; i < x.count; ++i) {
      const auto row = Frame::map(Rows<const double>(score)).row(Eigen::Index(i));
      log_density[i] = row.sum() * 0; // not finite where the score is not
    }
  }
  bool scores_stay() const override { return false; }

  Cloud walkers(const Cloud& cloud, std::size_t most) override {
    return cloud_at(evenly(cloud, most).position(), guide_);
  }

  void before_moves(Cloud& walkers, bool fresh) override {
    if (!fresh && !state_.decides)
      return; // all rows decided so far, and go on
    const bool may = settings_.guide_error > 0;
    state_.error = may ? error_of_guide(walkers) : 0;
    state_.decides = may && state_.error <= settings_.guide_error;
    if (!state_.decides)
      by_all_rows(walkers.position(), walkers.log_density);
  }
  exact::LogDensities decider() override {
    if (state_.decides)
      return {};
    return [this](Rows<const double> x, std::span<double> log_density) {
      by_all_rows(x, log_density);
    };
  }
  /// The error of the guide, before or now, widens what is not known.
  judge::Bounds bounds(const Cloud& walkers) override {
    judge::Bounds bounds;
    if (state_.decides) {
      const double now =
          error_of_guide(walkers); // not finite where it led to places that all rows exclude
      state_.error = std::isfinite(now) ? std::max(state_.error, now) : now;
      bounds.moves_error = std::isfinite(state_.error) ? 2 * state_.error : 1;
    }
    return bounds;
  }

  judge::LogEvidence evidence_beside_decider(const Cloud& walkers) override {
    judge::LogEvidence ratio;
    if (!state_.decides && !(state_.error <= useless_guide)) // it leads to hardly any move
      ratio.se = std::numeric_limits<double>::infinity();
    if (!state_.decides)
      return ratio;
    const Eigen::VectorXd error = all_less_guide(walkers, asked_of_all);
    const double count = double(error.size()), top = error.maxCoeff();
    if (!(sd_of(error) <= poor_guide)) { // few of the walkers would weigh as much as all others
      ratio.se = std::numeric_limits<double>::infinity();
      return ratio;
    }
    ratio.value = top + std::log((error.array() - top).exp().mean());
    ratio.se =
        std::sqrt(((error.array() - ratio.value).exp() - 1).square().sum() / (count * (count - 1)));
    return ratio;
  }

  /// Whether few rows could speak for all.
  void look(const Cloud& cloud, const Frame& frame) override {
    const RowCounts before = counts_;
    const std::size_t some = std::min<std::size_t>(cloud.count(), 32);
    state_.noise = few_->noise(settings_.rows_a_step, cloud.position().slice(0, some), frame);
    const Eigen::RowVectorXd mean = cloud.x.colwise().mean();
    const Eigen::RowVectorXd variance =
        (cloud.x.rowwise() - mean).colwise().squaredNorm() / double(cloud.count());
    state_.away = ((mean - state_.home.mean().transpose()).array().abs() /
                   variance.array().sqrt().max(1e-300))
                      .maxCoeff();
    counts_ = before; // a look, and no part of the work
  }

  void estimate(Rows<const double> x, Rows<double> score, std::span<double> log_density) override {
    (*few_)(guide_step, settings_.guide_rows, x, score, log_density);
  }

  Spent spent() const override { return {0, counts_, guide_.failures()}; }

  void resume(const GuideState& state, bool met) override {
    state_ = state;
    if (state_.home.dim() == 0) // before the scout
      return;
    if (state_.home.dim() != rows_.dim)
      throw std::invalid_argument("state: the frame of the mode does not fit the density");
    const RowCounts before = counts_;
    meet(Frame(state_.home));
    if (met) {
      const Frame::Matrix at = state_.home.mean().transpose();
      Frame::Matrix score(1, at.cols());
      double log_density = 0;
      guide_(rows_of(at), rows_of(score), {&log_density, 1});
    }
    counts_ = before;
  }

private:
  /// What few rows need to know of all of them, from the mode and the frame there.
  void meet(const Frame& home) {
    state_.home = home;
    few_.emplace(rows_, state_.home.mean(), state_.home, settings_.seed, counts_);
  }

  /// Fewer where the flight showed that few say enough: a step's noise is that of the score along
  /// each of dim directions, and the error of the log density about sqrt(dim) times that; both fall
  /// as the root of the rows.
  std::size_t guide_rows() const {
    if (!(state_.noise > 0) || !(settings_.guide_error > 0))
      return settings_.guide_rows;
    const double expected =
        state_.noise * std::sqrt(double(rows_.dim)) / (settings_.guide_error / well_below);
    const double needed = double(settings_.rows_a_step) * expected * expected;
    if (needed >= double(settings_.guide_rows)) // also if it is not finite
      return settings_.guide_rows;
    return std::min(settings_.guide_rows, std::max(settings_.rows_a_step, std::size_t(needed)));
  }

  /// Log densities of all rows.
  void by_all_rows(Rows<const double> x, std::span<double> log_density) {
    if (rows_.values) {
      rows_.values(x, log_density);
    } else {
      Frame::Matrix unused(Eigen::Index(x.count), Eigen::Index(x.dim));
      rows_.all(x, rows_of(unused), log_density);
    }
    counts_.reads += rows_.rows;
    counts_.visits += rows_.rows * x.count;
  }

  /// The sd over some walkers, evenly among them, of log pi less what the guide says of it. Moves
  /// that the guide decides on lead to exp(guide) instead of pi, and so E f to
  /// E f + Cov(f, guide - log pi), to first order: for any f at most this in sds of f.
  double error_of_guide(const Cloud& walkers) { return sd_of(all_less_guide(walkers, looked_at)); }

  /// Log densities of all rows less the guide's, at so many of the walkers.
  Eigen::VectorXd all_less_guide(const Cloud& walkers, std::size_t most) {
    const Frame::Matrix x = evenly(walkers, most).x;
    const auto count = std::size_t(x.rows());
    Frame::Matrix unused = x;
    Eigen::VectorXd guide(x.rows()), all(x.rows());
    guide_(rows_of(x), rows_of(unused), {guide.data(), count});
    by_all_rows(rows_of(x), {all.data(), count});
    return all - guide;
  }

  RowDensity rows_;
  Settings settings_;
  RowCounts counts_;
  std::optional<scout::FewRows> few_; // made from `home`
  CountedDensity guide_;
};

} // namespace

std::unique_ptr<Guide> guide_by(RowDensity rows, const Settings& settings) {
  Settings own = settings;
  own.rows_a_step = std::clamp<std::size_t>(settings.rows_a_step, 1, rows.rows);
  own.guide_rows = std::clamp<std::size_t>(settings.guide_rows, 1, rows.rows);
  return std::make_unique<ByRows>(std::move(rows), own);
}

} // namespace starling::stages
