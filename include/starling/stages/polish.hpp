// A polish: a cloud made of draws of exact moves, then spread evenly by a few steps of SVGD.
#pragma once

#include <starling/stages/svgd.hpp>
#include <starling/stages/trial.hpp>

namespace starling::stages {

/// A cloud that a polish may spoil. Its scores are not kept, which would be half of its memory: the
/// density is asked again where it is taken back.
struct Unpolished {
  Frame::Matrix x;
  std::vector<double> log_density;
  bool identities_hold = true;

  Unpolished() = default;
  Unpolished(const Context& context, const Cloud& cloud)
      : x(cloud.x), log_density(cloud.log_density),
        identities_hold(context.identities_hold(cloud)) {}
  Cloud back(const Context& context) const { return cloud_at(x, context.guide.density()); }

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("x", self.x);
    visit("log_density", self.log_density);
    visit("identities_hold", self.identities_hold);
  }
  void check(const Context& context, bool may_be_empty) const;
};

/// Of the draws that a trial kept, those that together have the pool's moments become the cloud.
/// Then it takes SVGD steps, and keeps the last cloud, or the best on the way. A large cloud is
/// polished in blocks of rows, one after the other: the memory of a step is then that of a block.
class Polish {
public:
  Polish() = default;
  /// Makes the cloud of the state of such draws. `keeps_best`: of the clouds on the way it keeps
  /// the last whose means and sds are near enough to the pool's, and its shares below deciles to
  /// those of the draws; or else the nearest, by the worst column. A polish may go too far where
  /// tails are heavy, and into clumps that have the right mean and sd.
  Polish(const Context& context, State& state, const Trial& trial, bool keeps_best);

  /// One step of the block under way. True after the last of all, when the cloud has arrived.
  bool step(const Context& context, State& state);
  /// Into which a cloud is divided; each takes the steps of the settings.
  static std::size_t blocks(const Context& context);

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("svgd", self.svgd_);
    visit("aim", self.aim_);
    visit("cuts", self.cuts_);
    visit("shares", self.shares_);
    visit("keeps_best", self.keeps_best_);
    visit("best", self.best_);
    visit("distance", self.distance_);
    visit("done", self.done_);
    visit("block", self.block_);
    visit("begin", self.begin_);
  }
  void check(const Context& context, bool under_way) const;

private:
  void begin_block(const Context& context, const State& state);
  void keep_if_better(const Context& context, const Cloud& cloud);

  Svgd svgd_;
  Pool aim_;
  Frame::Matrix cuts_;   // deciles of each column of the block's draws
  Frame::Matrix shares_; // of these draws, up to each
  bool keeps_best_ = false;
  Cloud best_;          // of the block
  double distance_ = 0; // of the best from the aim
  std::uint64_t done_ = 0;
  Cloud block_;           // under way
  std::size_t begin_ = 0; // its first row
};

} // namespace starling::stages
