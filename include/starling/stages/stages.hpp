// The stages: scout, fly, certify, settle, evidence. Each is a value; a run is a list of them.
#pragma once

#include <starling/scout/student.hpp>
#include <starling/stages/polish.hpp>
#include <starling/stages/svgd.hpp>
#include <starling/stages/trial.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <variant>
#include <vector>

namespace starling::stages {

/// A stage works in units of about the same cost: a step of the flight, an exact move. It has
///     bool unit(const Context&, State&)               one unit; true after the last
///     bool needed(const Context&, const State&)       asked before its first unit
///     Progress progress(const Context&)               units done and in all; the total may grow
///     void check(const Context&, const State&)        throws where a saved stage does not fit
/// Where the density throws, the unit can be asked for again: what counts is changed only after the
/// last call of the density, or so that to do it twice comes to the same.
struct Progress {
  std::uint64_t done = 0, total = 1;
};

/// Where the density is and how wide, how many modes it has, and a cloud to start from. A part of
/// its work is a unit; what it does is not saved before it is done.
class Scout {
public:
  static constexpr const char* name = "scout";
  bool unit(const Context& context, State& state);
  bool needed(const Context&, const State&) const { return true; }
  Progress progress(const Context&) const { return {}; }
  bool under_way() const { return under_way_; }

  template <typename Self, typename Visit>
  static void for_each_field(Self&, Visit&&) {}
  void check(const Context&, const State&) const {}

private:
  bool under_way_ = false;
};

/// SVGD in the frame of the cloud, which is taken anew at doubling times up to half way. A flight
/// that leads away, by its scores in the frame or by its log densities, turns back to the last good
/// cloud and goes on with half the step; after three times it ends there.
class Fly {
public:
  static constexpr const char* name = "fly";
  static constexpr std::uint64_t most_turns = 3; ///< back: then it is given up
  bool unit(const Context& context, State& state);
  bool needed(const Context& context, const State&) const { return context.settings.steps > 0; }
  Progress progress(const Context& context) const { return {done_, context.settings.steps}; }
  /// Where the next unit leads; empty before the first.
  const Frame::Matrix& next() const { return svgd_.next(); }

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("svgd", self.svgd_);
    visit("done", self.done_);
    visit("good", self.good_);
  }
  void check(const Context& context, const State& state) const;

private:
  bool turns_back(const Context& context, State& state);

  Svgd svgd_;
  std::uint64_t done_ = 0;
  Cloud good_; // where the flight can turn back to
};

/// The move test: exact moves of a copy, and what they would change. A cloud that they confirm is
/// polished, from the draws of these moves, and judged by the same moves again.
class Certify {
public:
  static constexpr const char* name = "certify";
  bool unit(const Context& context, State& state);
  bool needed(const Context& context, const State&) const {
    return context.settings.certify_moves > 0;
  }
  Progress progress(const Context& context) const;

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("part", self.part_, Part::compare);
    visit("done", self.done_);
    visit("trial", self.trial_);
    visit("polish", self.polish_);
    visit("flown", self.flown_);
  }
  void check(const Context& context, const State& state) const;

private:
  enum class Part { begin, move, polish, compare };
  std::uint64_t moves_more(const Context& context, judge::Finding finding, bool for_cloud) const;
  bool after_test(const Context& context, State& state);
  bool after_polish(const Context& context, State& state);

  Part part_ = Part::begin;
  std::uint64_t done_ = 0;
  Trial trial_;
  Polish polish_;
  Unpolished flown_; // in case the polish spoils it
};

/// Rounds of exact moves, each twice as long as the last, until they are quiet and their pools are
/// large. Then a cloud of their draws, a polish, and a last test.
class Settle {
public:
  static constexpr const char* name = "settle";
  bool unit(const Context& context, State& state);
  /// Where the certificate does not confirm the cloud, or there is none, or it is always wanted.
  bool needed(const Context& context, const State& state) const;
  Progress progress(const Context& context) const;

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("part", self.part_, Part::polish);
    visit("done", self.done_);
    visit("round", self.round_);
    visit("spent", self.spent_);
    visit("went_on", self.went_on_);
    visit("trial", self.trial_);
    visit("polish", self.polish_);
    visit("sifted", self.sifted_);
  }
  void check(const Context& context, const State& state) const;

private:
  enum class Part { begin, move, polish };
  void begin(const Context& context, State& state);
  void after_round(const Context& context, State& state);
  bool after_last_test(const Context& context, State& state);
  std::uint64_t moves_left(const Context& context) const;
  std::uint64_t next_round(const Context& context) const;

  Part part_ = Part::begin;
  std::uint64_t done_ = 0, round_ = 0;
  std::uint64_t spent_ = 0; // moves of the rounds
  bool went_on_ = false;    // the round, for more draws
  Trial trial_;
  Polish polish_;
  Unpolished sifted_; // in case the polish spoils it
};

/// The log evidence, where it is asked for, by bridge sampling: exact moves from the cloud; two
/// fits to what the earlier ones met, each of half the walkers; then as many draws of each fit as
/// the other half makes. A fit of the same walkers would lie too near to them, and the evidence
/// would be too small.
class Evidence {
public:
  static constexpr const char* name = "evidence";
  bool unit(const Context& context, State& state);
  bool needed(const Context& context, const State&) const { return context.settings.evidence; }
  Progress progress(const Context& context) const { return {done_, moves(context) + 1}; }

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("done", self.done_);
    visit("trial", self.trial_);
    visit("met", self.met_);
    visit("fits", self.fits_);
    visit("at_draws", self.at_draws_);
    visit("at_fit", self.at_fit_);
  }
  void check(const Context& context, const State& state) const;

private:
  /// A fit in many dimensions takes more draws.
  static std::uint64_t moves(const Context& context) {
    return 30 + std::min<std::uint64_t>(context.dim(), 100);
  }
  void begin(const Context& context, State& state);
  void keep_met(const Context& context);
  void make_fits(const Context& context, const State& state);
  std::vector<double> ratios_at_fit(const Context& context, std::size_t half) const;
  void add_draws(std::size_t half);

  std::uint64_t done_ = 0; // the trial begun, then its moves
  Trial trial_;
  Cloud met_;                          // one cloud after another, until there are fits
  std::array<scout::Student, 2> fits_; // of every other walker
  std::array<std::vector<double>, 2> at_draws_, at_fit_; // log density less that of the fit
};

using Stage = std::variant<Scout, Fly, Certify, Settle, Evidence>;
constexpr std::size_t kinds = std::variant_size_v<Stage>;
template <typename One, typename... Kind>
constexpr std::size_t place_among(const std::variant<Kind...>* /*all*/) {
  constexpr std::array same{std::is_same_v<One, Kind>...};
  std::size_t index = 0;
  while (!same[index])
    ++index;
  return index;
}
/// The place of a kind of stage among all of them.
template <typename One>
inline constexpr std::size_t index_of = place_among<One>(static_cast<const Stage*>(nullptr));
inline constexpr std::array<const char*, kinds> names = {Scout::name, Fly::name, Certify::name,
                                                         Settle::name, Evidence::name};

/// Of the default run.
inline std::vector<Stage> all_stages() {
  std::vector<Stage> list;
  list.emplace_back(Scout());
  list.emplace_back(Fly());
  list.emplace_back(Certify());
  list.emplace_back(Settle());
  list.emplace_back(Evidence());
  return list;
}

} // namespace starling::stages
