// Climbing a log density by L-BFGS from several starts at once.
#pragma once

#include <starling/density.hpp>

#include <Eigen/Core>

#include <deque>
#include <vector>

namespace starling::scout {

/// A place on the way up: position, score, log density.
struct Place {
  Eigen::VectorXd x, score;
  double log_density = 0;
};

/// One way up by L-BFGS (memory 10). It asks for one evaluation at a time, so that many of them go
/// up in lock-step, one call of the density a round. A place where the density fails counts as
/// infinitely low: the line search comes back from it.
class Climb {
public:
  explicit Climb(Place start, std::size_t most_iterations = 400);

  bool ended() const { return ended_; }
  /// Where the density is wanted next.
  const Eigen::VectorXd& wanted() const { return trial_; }
  /// What it is there.
  void answer(const Eigen::VectorXd& score, double log_density);

  /// The places that were accepted, first to last.
  const std::vector<Place>& path() const { return path_; }
  const Place& top() const { return path_.back(); }

private:
  void set_out();
  void steepest();
  void accept(Place next);
  void line_search_failed();

  struct Pair {
    Eigen::VectorXd s, y;
    double sy;
  };
  std::vector<Place> path_;
  std::deque<Pair> memory_;
  Eigen::VectorXd direction_, trial_;
  Place best_trial_; // higher than where we stand, though not what the search wants
  double slope_ = 0; // along the direction
  double step_ = 1, low_ = 0, high_ = 0; // of the line search; high 0: none yet
  std::size_t most_, searched_ = 0, small_gains_ = 0;
  bool ended_ = false;
};

/// One evaluation for each that has not ended, in one call. False when all have.
bool climb_once(std::vector<Climb>& climbs, CountedDensity& density);

/// Takes all climbs to their ends.
void climb_all(std::vector<Climb>& climbs, CountedDensity& density);

} // namespace starling::scout
