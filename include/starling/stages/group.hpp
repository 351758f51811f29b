// A group of particles on its way through a list of stages.
#pragma once

#include <starling/fields.hpp>
#include <starling/stages/stages.hpp>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace starling::stages {

/// How a run over many rows of data went.
struct RowsReport {
  std::size_t rows = 0, a_step = 0;
  std::array<RowCounts, kinds> read{};   ///< by each stage
  double noise = 0, away = 0, error = 0; ///< as in GuideState
  bool guide_decides = false;
};

/// Takes a density from nothing, or from a given cloud, to a cloud with a certificate. Stages come
/// in the order of the list; one that is not needed is passed over.
class Group {
public:
  Group(std::unique_ptr<Guide> guide, const Settings& settings, Threads& threads = Threads::alone(),
        ReadColumns read = {}, std::vector<Stage> list = all_stages());
  Group(DensityOfRows density, std::size_t dim, const Settings& settings,
        Threads& threads = Threads::alone(), ReadColumns read = {},
        std::vector<Stage> list = all_stages());

  /// Begins with this cloud, of all particles or of the crew, instead of a scout's: the scout of
  /// the list is passed over, and so is the flight where `flies` is false. The frame is the
  /// cloud's. Throws TargetError where the density fails for any row.
  void begin_from(Rows<const double> x, bool flies = true);
  /// Begins around a mode, in the frame there, instead of a scout's.
  void begin_at(const Frame& home);

  bool finished() const { return at_ == list_.size(); }
  /// That many units, or to the end; the whole scout counts as one. Throws what the density throws,
  /// and TargetError when the scout finds nowhere to start; then the unit can be tried again.
  void take(std::uint64_t units);
  /// One unit; of the scout, a part.
  void unit();
  /// Whether the scout is half way. A group that is saved there scouts again, which comes to the
  /// same.
  bool scouting() const;
  /// The stage under way: its place among `names`, and its progress. Not asked when finished.
  std::size_t stage() const { return list_[at_].index(); }
  const Stage& current() const { return list_[at_]; }
  Progress progress() const;

  /// Of the cloud at the end, and of those who fly.
  std::size_t particles() const { return settings_.particles; }
  std::size_t crew() const { return context().crew(); }

  const State& state() const { return state_; }
  Rows<const double> positions() const { return state_.cloud.position(); }
  /// Positions, then the columns that users read.
  Frame::Matrix columns(const Frame::Matrix& x) const { return context().columns(x); }
  const std::optional<judge::Certificate>& certificate() const { return state_.certificate; }
  const std::array<Spent, kinds>& spent() const { return spent_; }
  /// Of each kind of stage, in the order of `names`. Over rows of data: of all rows, rounded up.
  std::array<std::uint64_t, kinds> gradients() const;

  /// Only over rows of data, after the scout: from the rows of the guide.
  void estimate(Rows<const double> x, Rows<double> score, std::span<double> log_density) {
    guide_->estimate(x, score, log_density);
  }
  bool over_rows() const { return guide_->rows() > 0; }
  Guide& guide() { return *guide_; }
  RowsReport rows_report() const;

  /// All of it; a group that is restored from it, of the same density and settings, goes on bit for
  /// bit.
  void save(SaveFields& to) const;
  /// Throws invalid_argument.
  void restore(RestoreFields& from);

private:
  Context context() const { return {*guide_, settings_, read_, *threads_}; }
  void go_on();
  void pass_over_unneeded();
  void check() const;

  std::unique_ptr<Guide> guide_;
  Settings settings_;
  Threads* threads_;
  ReadColumns read_;
  std::vector<Stage> list_;
  std::size_t at_ = 0; // in the list
  State state_;
  std::array<Spent, kinds> spent_{};
};

} // namespace starling::stages
