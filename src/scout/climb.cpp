// Climbing a log density by L-BFGS, a question and an answer at a time.
#include <starling/scout/climb.hpp>

#include <starling/frame.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace starling::scout {

namespace {

constexpr std::size_t memory = 10;
constexpr std::size_t most_searches = 40; // evaluations of one line search
constexpr double rise = 1e-4, bend = 0.9; // of the Wolfe conditions
constexpr double enough = 1e-8;           // what a Newton step would still gain in log density
constexpr double rounding = 1e-12;        // gains below it, relative to the log density, are none

} // namespace

Climb::Climb(Place start, std::size_t most_iterations) : most_(most_iterations) {
  path_.push_back(std::move(start));
  steepest();
}

/// Forgets the memory and goes along the score, at first no further than 1.
void Climb::steepest() {
  memory_.clear();
  direction_ = top().score;
  set_out();
  const double norm = direction_.norm();
  if (!(norm > 0)) {
    ended_ = true;
    return;
  }
  step_ = std::min(1.0, 1 / norm);
  trial_ = top().x + step_ * direction_;
}

void Climb::set_out() {
  slope_ = direction_.dot(top().score);
  step_ = 1;
  low_ = high_ = 0;
  searched_ = 0;
  best_trial_ = Place{};
  trial_ = top().x + direction_;
}

void Climb::answer(const Eigen::VectorXd& score, double log_density) {
  const double here = top().log_density, gain = log_density - here;
  ++searched_;
  if (!(gain >= rise * step_ * slope_)) { // also where the density failed
    high_ = step_;
  } else if (const double steep = direction_.dot(score); steep > bend * slope_) {
    low_ = step_; // still going up almost as steeply: further
    if (best_trial_.x.size() == 0 || log_density > best_trial_.log_density)
      best_trial_ = {trial_, score, log_density};
  } else {
    return accept({trial_, score, log_density});
  }
  if (searched_ >= most_searches)
    return line_search_failed();
  step_ = high_ > 0 ? (low_ > 0 ? 0.5 * (low_ + high_) : (searched_ < 4 ? 0.3 : 0.1) * high_)
                    : 3 * low_;
  trial_ = top().x + step_ * direction_;
}

void Climb::line_search_failed() {
  if (best_trial_.x.size() > 0)
    accept(std::move(best_trial_));
  else if (!memory_.empty())
    steepest();
  else
    ended_ = true;
}

void Climb::accept(Place next) {
  Pair pair{next.x - top().x, top().score - next.score, 0};
  pair.sy = pair.s.dot(pair.y);
  const double gain = next.log_density - top().log_density;
  path_.push_back(std::move(next));
  if (pair.sy > 1e-12 * pair.s.norm() * pair.y.norm()) {
    memory_.push_back(std::move(pair));
    if (memory_.size() > memory)
      memory_.pop_front();
  }
  small_gains_ =
      gain <= rounding * std::max(1.0, std::abs(top().log_density)) ? small_gains_ + 1 : 0;
  if (path_.size() > most_ || small_gains_ >= 2) {
    ended_ = true;
    return;
  }
  if (memory_.empty())
    return steepest();

  // The two loops of L-BFGS: direction = H score.
  direction_ = top().score;
  std::vector<double> a(memory_.size());
  for (std::size_t j = memory_.size(); j-- > 0;) {
    a[j] = memory_[j].s.dot(direction_) / memory_[j].sy;
    direction_ -= a[j] * memory_[j].y;
  }
  direction_ *= memory_.back().sy / memory_.back().y.squaredNorm();
  for (std::size_t j = 0; j < memory_.size(); ++j)
    direction_ += (a[j] - memory_[j].y.dot(direction_) / memory_[j].sy) * memory_[j].s;
  set_out();
  if (!direction_.allFinite() || !(slope_ > 0))
    return steepest();
  if (slope_ < enough) // score . H score: twice what is left to gain
    ended_ = true;
}

bool climb_once(std::vector<Climb>& climbs, CountedDensity& density) {
  std::vector<Climb*> going;
  for (Climb& climb : climbs)
    if (!climb.ended())
      going.push_back(&climb);
  if (going.empty())
    return false;
  Frame::Matrix x(Eigen::Index(going.size()), going.front()->wanted().size()),
      score(x.rows(), x.cols());
  std::vector<double> log_density(going.size());
  for (std::size_t i = 0; i < going.size(); ++i)
    x.row(Eigen::Index(i)) = going[i]->wanted();
  density(rows_of(std::as_const(x)), rows_of(score), log_density);
  for (std::size_t i = 0; i < going.size(); ++i)
    going[i]->answer(score.row(Eigen::Index(i)), log_density[i]);
  return true;
}

void climb_all(std::vector<Climb>& climbs, CountedDensity& density) {
  while (climb_once(climbs, density)) {
  }
}

} // namespace starling::scout
