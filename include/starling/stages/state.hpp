// What one stage hands on to the next, and what a stage works with.
#pragma once

#include <starling/cloud.hpp>
#include <starling/judge/bridge.hpp>
#include <starling/judge/move_test.hpp>
#include <starling/scout/modes.hpp>
#include <starling/stages/guide.hpp>
#include <starling/stages/settings.hpp>
#include <starling/threads.hpp>

#include <optional>
#include <vector>

namespace starling::stages {

/// What the scout found, in numbers that outlive it.
struct Scouted {
  std::size_t modes = 1;
  bool by_pathfinder = false;
  double elbo = 0;
  std::vector<scout::Mode> found = {}; ///< where there are several; not kept in the state
  Frame::Matrix on_ways = {};          ///< as in the scout's report

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("modes", self.modes);
    visit("by_pathfinder", self.by_pathfinder);
    visit("elbo", self.elbo);
    visit("on_ways", self.on_ways);
  }
};

/// Mean and sd of each column, pooled over exact moves.
struct Pool {
  std::vector<double> means, sds;

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("means", self.means);
    visit("sds", self.sds);
  }
  void restored() const {
    if (means.size() != sds.size())
      throw std::invalid_argument("state: pooled means and sds differ in number");
  }
};

/// Where walkers that settle have been of late: some clouds of the latter half of their moves. In
/// many dimensions frames are taken from these, because the walkers of one move are few.
struct Recent {
  Cloud cloud; ///< one move's walkers after another's
  std::uint64_t moves = 0;

  void add(const Cloud& walkers);
  /// What shows the shape of the density best: the clouds, or the walkers where there is only one.
  const Cloud& or_alone(const Cloud& walkers) const;

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("cloud", self.cloud);
    visit("moves", self.moves);
  }
};

/// The next address of each kind of random number: never used twice.
struct Addresses {
  std::uint64_t steps = 0, moves = 0, tunings = 0;

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("steps", self.steps);
    visit("moves", self.moves);
    visit("tunings", self.tunings);
  }
};

/// All that outlives a stage. Columns are those of the positions, then those that users read.
struct State {
  Cloud cloud;              ///< the result so far
  Cloud walkers;            ///< where exact moves have led; empty before any
  Recent recent;            ///< where those of rounds have been
  Frame frame;              ///< of the cloud
  double leap = 0;          ///< the step of exact moves, as tuned last; 0 before any
  double straight_leap = 0; ///< the same in a straight frame, beside one that bends
  Addresses next;
  Scouted scouted;
  Pool pool; ///< over the last exact moves that count; empty before any
  std::optional<judge::Certificate> certificate; ///< of the cloud
  std::uint64_t turned_back = 0;                 ///< how often the flight had to
  bool settled = false;                          ///< the cloud comes from rounds of exact moves
  bool polished = false; ///< it was polished, after those rounds or after the test's moves
  std::optional<judge::LogEvidence> evidence; ///< where it was asked for

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("cloud", self.cloud);
    visit("walkers", self.walkers);
    visit("recent", self.recent);
    visit("frame", self.frame);
    visit("leap", self.leap);
    visit("straight_leap", self.straight_leap);
    visit("next", self.next);
    visit("scouted", self.scouted);
    visit("pool", self.pool);
    visit("certificate", self.certificate);
    visit("turned_back", self.turned_back);
    visit("settled", self.settled);
    visit("polished", self.polished);
    visit("evidence", self.evidence);
  }
};

/// What a stage works with. None of it changes on the way.
struct Context {
  Guide& guide;
  const Settings& settings;
  const ReadColumns& read;
  Threads& threads;

  std::size_t dim() const { return guide.dim(); }
  std::size_t width() const { return dim() + read.count; }
  /// Those who fly: all particles where nothing else makes the cloud, else few.
  std::size_t crew() const;
  /// Positions, then the columns that users read.
  Frame::Matrix columns(const Frame::Matrix& x) const;
  /// The frame that a cloud suggests, seen from this one, as far as the metric allows.
  Frame reframed(const Frame& frame, const Cloud& cloud) const;
  /// The same without a bend.
  Frame straightened(const Cloud& cloud) const;
  /// Whether no spread identity speaks against this cloud. Over rows scores are estimates, and
  /// nothing does.
  bool identities_hold(const Cloud& cloud) const;
};

/// Throws invalid_argument: numbers of a saved state that no run saves.
void must_fit(bool fits);
/// A cloud in these dimensions, of `count` particles, or of none if `may_be_empty`.
void must_fit(const Cloud& cloud, std::size_t dim, std::size_t count, bool may_be_empty);

} // namespace starling::stages
