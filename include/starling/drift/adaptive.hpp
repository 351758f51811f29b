// A drift whose kernel gets its bandwidth afresh in every sweep.
#pragma once

#include <starling/batches.hpp>
#include <starling/ensemble.hpp>
#include <starling/kernel/bandwidth.hpp>

#include <utility>

namespace starling {

/// Asks rule(k, positions) for h, hands it to the kernel, then drifts.
template <typename Real, typename Drift, typename Rule>
class AdaptiveDrift {
public:
  AdaptiveDrift(Drift drift, Rule rule) : drift_(std::move(drift)), rule_(std::move(rule)) {}

  template <HostParticles<Real> P>
  void operator()(Step k, P& particles, const Batches& batches) {
    bandwidth_ = rule_(k, plain_rows<Real>(std::as_const(particles).position(), room_));
    drift_.kernel().set_bandwidth(bandwidth_);
    drift_(k, particles, batches);
  }
  /// h of the last sweep.
  Real bandwidth() const { return bandwidth_; }

private:
  Drift drift_;
  Rule rule_;
  Real bandwidth_ = 1;
  Column<Real> room_; // for positions that do not lie row after row
};

} // namespace starling
