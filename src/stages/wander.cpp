// Walkers from ways up that have no top: do they end where the cloud is?
#include <starling/stages/journey.hpp>

#include <starling/exact/hmc.hpp>

#include <algorithm>
#include <vector>

namespace starling::stages {

namespace {

constexpr std::size_t wander_moves = 40, wander_leaps = 15;
constexpr Step wander_address = Step{1} << 40;      // no other move of a run has it
constexpr std::uint64_t wander_tuning = 900;        // nor a tuning
constexpr std::size_t tuned_on = 16, framed = 1024; // particles
constexpr double wander_acceptance = 0.8;
constexpr double least_travel = 0.005; // squared, of a move and a coordinate, in the frame

} // namespace

/// A mode of a hierarchical model may have no top: its density rises without end where a scale goes
/// to zero, and no climb arrives. So exact moves go from where the scout's other ways up were. They
/// should end in the cloud. Answers how many end as high and away from all of it: where a factor
/// has the other sign, for instance. Walkers that stand still, or are higher than the whole cloud,
/// are in some narrow place, as in the neck of a funnel, and tell nothing. The frame is that of the
/// cloud's covariance: one that bends serves the place that it was made for, and no other.
std::size_t Journey::wander() {
  const Frame::Matrix& from = scouted_.on_ways;
  if (from.rows() == 0 || split() || settings_.certify_moves == 0)
    return 0;
  const Frame home =
      scout::frame_of(evenly(cloud(), framed).position(), scout::ModeSearch().dense_up_to);
  exact::Stride stride{.most_leaps = wander_leaps};
  stride.step = exact::tune(evenly(cloud(), tuned_on), home, stride, wander_acceptance, counted_,
                            settings_.seed, wander_tuning);
  Cloud walkers = cloud_at(rows_of(from), counted_);
  Eigen::VectorXd travel = Eigen::VectorXd::Zero(from.rows());
  for (std::size_t move = 0; move < wander_moves; ++move) {
    const Frame::Matrix before = home.inverse(walkers.position());
    exact::move(walkers, home, stride, counted_, settings_.seed, wander_address + move);
    if (2 * move >= wander_moves)
      travel += (home.inverse(walkers.position()) - before).rowwise().squaredNorm();
  }
  const double least = least_travel * double(wander_moves / 2) * double(density_.dim),
               most = *std::ranges::max_element(cloud().log_density);
  std::vector<std::size_t> arrived;
  for (std::size_t i = 0; i < walkers.count(); ++i)
    if (travel[Eigen::Index(i)] >= least && walkers.log_density[i] <= most)
      arrived.push_back(i);
  return arrived.empty() ? 0 : scout::unmet(some_of(walkers, arrived), cloud(), home);
}

} // namespace starling::stages
