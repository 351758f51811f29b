// A trial: particles on exact moves in a frame, what is followed of them, and draws that are kept.
#pragma once

#include <starling/stages/state.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace starling::stages {

/// How a trial is made. The certificate, a round of settling and the last test are three uses.
struct TrialPlan {
  std::size_t most_leaps = 7;
  double length = 0; ///< of a move at most, in sds of the frame, in no more leaps; 0: all of them
  double acceptance = 0.9;
  std::uint64_t moves = 0;
  double discards = 0.5; ///< share of the moves, from the first on, that does not count
  bool adapts = false;   ///< frame and step on the way, while moves do not count
  bool keeps = false;    ///< draws, to make a cloud of
  /// The cloud is on trial; else those are who are moved, from where the others led them.
  bool of_cloud = true;
};

/// Moves some or all particles of a cloud by HMC. The later of the planned moves count.
class Trial {
public:
  Trial() = default;
  /// Takes the frame from who is on trial, and tunes the step unless it adapts; both are handed on
  /// in the state.
  Trial(const Context& context, State& state, Cloud walkers, const TrialPlan& plan);

  /// One move of every walker, in the state's frame.
  void move(const Context& context, State& state);
  bool over() const { return done_ == plan_.moves; }
  std::uint64_t moves() const { return plan_.moves; }
  /// So many moves more, which all count.
  void go_on(std::uint64_t moves) { plan_.moves += moves; }

  /// What the moves say of those on trial.
  judge::Certificate judge(const judge::Bounds& bounds) const;
  /// And of another cloud of the same density.
  judge::Certificate judge_other(const Context& context, const Frame::Matrix& x,
                                 std::span<const double> log_density,
                                 const judge::Bounds& bounds = {}) const;
  /// Of positions and the columns that users read.
  Pool pool() const;
  /// The same with sds of 0 where a column has no moments that mean something.
  Pool aim() const;
  /// The pool is worth at least this many independent draws in every column, and the walkers began
  /// where they were led: nothing more to wait for.
  bool settled(double draws) const;
  double least_effective() const;
  /// The walkers began where they were led, and each of them has been in more than one place: the
  /// pool only has to grow, by so many moves to be worth these draws.
  bool mixes() const;
  std::uint64_t moves_to(double draws) const;

  /// How a move with this step is made.
  exact::Stride stride(double leap) const;

  const Cloud& walkers() const { return walkers_; }
  Cloud take_walkers() { return std::move(walkers_); }
  /// Rows of positions, one cloud after another.
  const std::vector<double>& kept() const { return kept_; }
  /// Nor are draws of later moves kept.
  void forget_kept() {
    kept_ = {};
    plan_.keeps = false;
  }

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("walkers", self.walkers_);
    visit("most_leaps", self.plan_.most_leaps);
    visit("length", self.plan_.length);
    visit("acceptance", self.plan_.acceptance);
    visit("moves", self.plan_.moves);
    visit("adapts", self.plan_.adapts);
    visit("keeps", self.plan_.keeps);
    visit("of_cloud", self.plan_.of_cloud);
    visit("done", self.done_);
    visit("counts_from", self.counts_from_);
    visit("accepted", self.accepted_);
    visit("diverged", self.diverged_);
    visit("log_densities", self.log_densities_);
    visit("directions", self.directions_);
    visit("seen_in", self.seen_in_);
    visit("straight", self.straight_);
    visit("on_trial", self.on_trial_);
    visit("began", self.began_);
    visit("kept", self.kept_);
    if constexpr (!std::is_const_v<Self>)
      self.make_test(); // from its columns; then its sums
    if (self.test_)
      visit("test", *self.test_);
  }
  /// Throws where a saved one is not of such a run.
  void check(const Context& context, bool under_way) const;

private:
  void make_test();
  /// From here on some of the moves are made in a frame without a bend.
  void begin_straight(const Context& context, State& state);
  /// The certificate with what is known of the moves; `of_some`: not every particle made them.
  judge::Certificate with_moves(judge::Certificate certificate, bool of_some) const;
  judge::Joint joint() const { return {log_densities_, std::size_t(directions_.rows())}; }
  /// Positions, what users read, and the joint: the log density and values along directions.
  Frame::Matrix followed(const Context& context, const Frame::Matrix& x,
                         std::span<const double> log_density) const;
  void keep(const Frame::Matrix& x, std::size_t particles);
  const Frame::Matrix& on_trial() const { return on_trial_.size() > 0 ? on_trial_ : began_; }

  Cloud walkers_;
  TrialPlan plan_;
  std::uint64_t done_ = 0, counts_from_ = 0;
  double accepted_ = 0;        // sum over the moves
  double diverged_ = 0;        // the same; see exact::Moved
  bool log_densities_ = false; // are followed
  Frame::Matrix directions_;   // rows in a frame: values along them are followed
  Frame seen_in_;              // that frame
  Frame straight_;             // for some of the moves, where they diverge; else empty
  Frame::Matrix on_trial_;     // columns of the cloud; empty: those who are moved are all of it
  Frame::Matrix began_;        // columns of the walkers, before the moves that are tested
  std::optional<judge::MoveTest> test_;
  std::vector<double> kept_;
};

} // namespace starling::stages
