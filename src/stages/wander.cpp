// Walkers from ways up that have no top: do they end where the cloud is?
#include <starling/stages/journey.hpp>

#include <starling/exact/hmc.hpp>

namespace starling::stages {

namespace {

constexpr std::size_t wander_moves = 40, wander_leaps = 15;
constexpr Step wander_address = Step{1} << 40; // no other move of a run has it
constexpr std::uint64_t wander_tuning = 900;   // nor a tuning
constexpr std::size_t tuned_on = 16;
constexpr double wander_acceptance = 0.8;

} // namespace

/// A mode of a hierarchical model may have no top: its density rises without end where a scale goes
/// to zero, and no climb arrives. So exact moves go from where the scout's other ways up were. They
/// should end in the cloud. Answers how many end as high and away from all of it: where a factor
/// has the other sign, for instance.
std::size_t Journey::wander() {
  const Frame::Matrix& from = scouted_.on_ways;
  if (from.rows() == 0 || split() || settings_.certify_moves == 0)
    return 0;
  const Frame& home = frame(0);
  exact::Stride stride{.most_leaps = wander_leaps};
  stride.step = exact::tune(evenly(cloud(), tuned_on), home, stride, wander_acceptance, counted_,
                            settings_.seed, wander_tuning);
  Cloud walkers = cloud_at(rows_of(from), counted_);
  for (std::size_t move = 0; move < wander_moves; ++move)
    exact::move(walkers, home, stride, counted_, settings_.seed, wander_address + move);
  return scout::unmet(walkers, cloud(), home);
}

} // namespace starling::stages
