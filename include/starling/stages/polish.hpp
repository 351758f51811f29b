// A polish: a cloud made of draws of exact moves, then spread evenly by a few steps of SVGD.
#pragma once

#include <starling/stages/svgd.hpp>
#include <starling/stages/trial.hpp>

namespace starling::stages {

/// Of the draws that a trial kept, those that together have the pool's moments become the cloud.
/// Then it takes SVGD steps, and keeps the last cloud, or the best on the way.
class Polish {
public:
  Polish() = default;
  /// Makes the cloud of the state of such draws. `keeps_best`: of the clouds on the way it keeps
  /// the last whose means and sds are near enough to the pool's, or else the nearest, by the worst
  /// column. A polish may go too far where tails are heavy.
  Polish(const Context& context, State& state, const Trial& trial, bool keeps_best);

  /// One step. True after the last, when the cloud has arrived where it led.
  bool step(const Context& context, State& state);

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("svgd", self.svgd_);
    visit("aim", self.aim_);
    visit("keeps_best", self.keeps_best_);
    visit("best", self.best_);
    visit("distance", self.distance_);
    visit("done", self.done_);
  }
  void check(const Context& context, bool under_way) const;

private:
  void keep_if_better(const Context& context, const Cloud& cloud);

  Svgd svgd_;
  Pool aim_;
  bool keeps_best_ = false;
  Cloud best_;
  double distance_ = 0; // of the best from the aim
  std::uint64_t done_ = 0;
};

} // namespace starling::stages
