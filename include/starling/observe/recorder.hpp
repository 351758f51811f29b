// Keeps copies of the cloud as it moves.
#pragma once

#include <starling/concepts.hpp>

#include <vector>

namespace starling {

/// A snapshot per look: combine with Every to keep one in so many steps.
template <typename Real>
class Recorder {
public:
  struct Snapshot {
    Step step; ///< steps done: 1 after step 0
    std::vector<Real> position;
  };

  template <HostParticles<Real> P>
  Signal operator()(Step k, const P& particles, const Batches&) {
    const Rows<const Real> x = plain_rows<Real>(particles.position(), room_);
    snapshots_.push_back({k + 1, {x.begin(), x.end()}});
    return Signal::go_on;
  }

  const std::vector<Snapshot>& snapshots() const { return snapshots_; }

private:
  std::vector<Snapshot> snapshots_;
  Column<Real> room_;
};

} // namespace starling
