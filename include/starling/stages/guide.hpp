// Who leads and who decides: the density as the stages ask for it, whole or by rows of data.
#pragma once

#include <starling/cloud.hpp>
#include <starling/exact/hmc.hpp>
#include <starling/judge/bridge.hpp>
#include <starling/judge/move_test.hpp>
#include <starling/row_density.hpp>
#include <starling/scout/scout.hpp>
#include <starling/stages/settings.hpp>

#include <memory>

namespace starling::stages {

/// What was asked of a density: gradients, and rows of data where it is made of them; and how often
/// it failed.
struct Spent {
  std::uint64_t gradients = 0;
  RowCounts rows;
  Failures failures;

  void add_since(const Spent& before, const Spent& now) {
    gradients += now.gradients - before.gradients;
    rows.reads += now.rows.reads - before.rows.reads;
    rows.visits += now.rows.visits - before.rows.visits;
    failures.add_since(before.failures, now.failures);
  }
  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("gradients", self.gradients);
    visit("reads", self.rows.reads);
    visit("visits", self.rows.visits);
    visit("failures", self.failures);
  }
};

/// What a guide by few rows knows of itself. Of a guide by the whole density it stays as it is.
struct GuideState {
  Frame home;       ///< the mode, and the frame there
  double noise = 0; ///< of a step's scores against their size: root mean square in the frame
  double away = 0;  ///< from the mode to the cloud's mean, in the cloud's sd, where it is largest
  /// Of the guide's log density: sd over the particles that were looked at, the larger of the last
  /// two looks.
  double error = 0;
  bool decides = false; ///< the guide decided on the last exact moves, and not all rows

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("home", self.home);
    visit("noise", self.noise);
    visit("away", self.away);
    visit("error", self.error);
    visit("decides", self.decides);
  }
};

/// A call is a sweep over all particles, so it may be dynamic.
class Guide {
public:
  virtual ~Guide() = default;

  virtual std::size_t dim() const = 0;
  /// Rows of data; 0: the density is asked as a whole.
  virtual std::size_t rows() const { return 0; }

  /// One part of the scout's work. True when the report is ready.
  virtual bool scout(const Settings& settings, scout::Report& report) = 0;
  /// Forgets a scout that is half way.
  virtual void forget_scout() {}
  /// A cloud to start from in the frame of a mode. `flies`: a flight comes next, which asks for the
  /// scores itself.
  virtual Cloud start(const Frame& frame, const Settings& settings, std::size_t particles,
                      bool flies) = 0;
  /// Whether the frame of the start is taken from the cloud instead of from the scout.
  virtual bool reframes(Metric metric) const = 0;

  /// Scores and log densities that lead exact moves, and those of a cloud at the end of a flight.
  virtual CountedDensity& density() = 0;
  /// Scores at step k of a flight. A log density that is not finite says where it fails.
  virtual void score(Step k, Rows<const double> x, Rows<double> score,
                     std::span<double> log_density) = 0;
  /// Whether the same place has the same score in every step.
  virtual bool scores_stay() const { return true; }

  /// Those of a cloud that exact moves carry, at most so many, with log densities of `density`.
  virtual Cloud walkers(const Cloud& cloud, std::size_t most) { return evenly(cloud, most); }
  /// Before exact moves. `fresh`: the walkers' log densities are those of `density`.
  virtual void before_moves(Cloud& /*walkers*/, bool /*fresh*/) {}
  /// What decides whether a move is accepted; empty: `density` does.
  virtual exact::LogDensities decider() { return {}; }
  /// After exact moves: what their test allows for.
  virtual judge::Bounds bounds(const Cloud& /*walkers*/) { return {}; }
  /// The logarithm of the density's integral over that of what decides, from draws of the latter,
  /// with its error: 0 where the density itself decides, infinite where the guide is too poor.
  virtual judge::LogEvidence evidence_beside_decider(const Cloud& /*walkers*/) { return {}; }
  /// A look at the end of a flight.
  virtual void look(const Cloud& /*cloud*/, const Frame& /*frame*/) {}

  /// Estimates for all rows, where there are rows.
  virtual void estimate(Rows<const double> x, Rows<double> score,
                        std::span<double> log_density) = 0;

  virtual Spent spent() const = 0;
  const GuideState& state() const { return state_; }
  /// Goes on from a saved state. `met`: exact moves had begun.
  virtual void resume(const GuideState& state, bool /*met*/) { state_ = state; }

protected:
  GuideState state_;
};

std::unique_ptr<Guide> guide_by(DensityOfRows density, std::size_t dim);

/// By few rows of data: the scout climbs on some and ends on all; a step reads few rows; exact
/// moves are led by more and decided by all, for some of the particles.
std::unique_ptr<Guide> guide_by(RowDensity rows, const Settings& settings);

} // namespace starling::stages
