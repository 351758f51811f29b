// The verdict on a cloud: which it is, and the evidence that it rests on. All its words are made in
// src/judge/words.cpp.
#pragma once

#include <starling/judge/group.hpp>
#include <starling/judge/move_test.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace starling::judge {

/// Worse verdicts come first.
enum class Verdict { diverged, still_moving, collapsed, noisy, cannot_tell, converged };

/// The verdict in a word or two, as files and Python have it: "still moving".
std::string word(Verdict verdict);
/// Empty if there is no verdict of that word.
std::optional<Verdict> verdict_from(std::string_view word);

/// What verdicts rest on: one type for each reason, with its figures and the names of parameters.
namespace evidence {

/// Parameters whose spread is wrong: how many of all, the worst and its identity.
struct WrongSpread {
  std::size_t count = 0, of = 0;
  std::string worst;
  double identity = 0;
};
/// Parameters whose widths differ by more than one step size can serve.
struct UnlikeWidths {
  double factor = 0;
  std::string widest, narrowest;
};
using MaybeUnlikeWidths = std::optional<UnlikeWidths>;

// By the balance of scores, and trends of the trace.
struct NotNumbers {};
struct OneParticle {
  double largest_score = 0;
};
struct GrowsWithoutEnd {
  WrongSpread wide;
  MaybeUnlikeWidths unlike;
};
struct OffCentre {
  std::string name;
  double sds = 0;
  MaybeUnlikeWidths unlike;
};
struct CentreMoves {
  double sds = 0;
  MaybeUnlikeWidths unlike;
};
struct SpreadChanges {
  double log_change = 0;
  MaybeUnlikeWidths unlike;
};
struct TooNarrow {
  WrongSpread narrow;
};
struct TooWide {
  WrongSpread wide;
  bool in_batches = true;
};
struct TooFewParticles {
  std::size_t particles = 0;
  bool of_spread = true; ///< else of the shift
  std::string name;
  double value = 0, se = 0, needed = 0;
};
struct LeastKnown {
  std::string name;
  double identity = 0, se = 0;
};
struct Balanced {
  bool periodic = false;
  std::optional<LeastKnown> least_known; ///< where it is not known well
};
/// The run ended with an error, whose words these are.
struct Failed {
  std::string why;
};

// By exact moves.
struct MovesConfirm {
  std::size_t moves = 0, particles = 0; ///< 0: every particle
  double mean_error = 0, variance_error = 0;
  std::vector<std::string> heavy; ///< parameters whose tails are too heavy for mean and sd
};
struct MovesCarryAway {
  std::string name;
  Displacement by;
  bool raw = false; ///< the raw method's cloud, whose options can be mended
};
struct HardlyMoves {
  std::string name;
};
struct RoomForError {
  std::string name;
  double error = 0;
  bool of_variance = false;
};
struct IdentityOff { ///< the moves confirm the cloud, the scores do not
  std::string name;
  double identity = 0, se = 0;
};
struct DensityFails { ///< on exact moves, more often than can be passed over
  std::uint64_t failed = 0, of = 0;
  bool scores = false; ///< where the log density was finite
};
struct HighElsewhere { ///< looks as high as the cloud and away from all of it
  std::size_t hits = 0, looks = 0;
};
struct LightModeMissing { ///< too light for a particle, and far enough to matter
  std::string name;
  double place = 0, share = 0;
  double mean_error = 0, variance_error = 0; ///< that it makes: in sds, as a share
};
struct ModesNotWeighed {
  std::size_t modes = 0;
};
struct GrowsAlong { ///< a way out along which the log density never falls
  std::string name;
  bool grows = true; ///< else it stays the same
};
struct DensityAgainstScores {
  double rise = 1; ///< of the log density, against what its gradient says
};

// By groups, and by several runs.
struct GroupsNotWeighed {
  std::vector<Group> groups;
  std::vector<std::string> names;
};
struct SharesNotKnown {
  std::string why; ///< empty: their errors are too large
};
struct GroupsNotAllCounted {};
struct RunsDisagree {
  std::string name;
  double r_hat = 1;
};

// What is said besides.
struct LostParticles { ///< they stand where the density fails
  std::size_t lost = 0, of = 0;
  bool too_many = false;
};
struct InGroups {
  std::vector<Group> groups;
  std::vector<std::string> names;
};
struct NotCertified {
  enum class Why { not_asked, no_density, periodic, expensive, single_precision, not_finite } why;
};
struct NotConfirmed {};
struct Interrupted { ///< before its end
  std::size_t steps = 0;
};
struct BeforeMoves { ///< that could confirm it
  std::string stage;
};
struct SomeRowsDecided {
  double error = 0; ///< of the log density
};
struct GroupsNotCounted {
  bool over_rows = false; ///< that would take passes over all of them; else the run was short
};
struct WhatWasSearched {
  std::size_t climbs = 0, looks = 0, modes = 1;
};
struct OfRun {
  std::size_t number = 1;
};
struct OfAllRuns {
  std::size_t count = 1;
};

} // namespace evidence

using Evidence =
    std::variant<std::monostate, evidence::NotNumbers, evidence::OneParticle,
                 evidence::GrowsWithoutEnd, evidence::OffCentre, evidence::CentreMoves,
                 evidence::SpreadChanges, evidence::TooNarrow, evidence::TooWide,
                 evidence::TooFewParticles, evidence::Balanced, evidence::Failed,
                 evidence::MovesConfirm, evidence::MovesCarryAway, evidence::HardlyMoves,
                 evidence::RoomForError, evidence::ModesNotWeighed, evidence::DensityAgainstScores,
                 evidence::GroupsNotWeighed, evidence::SharesNotKnown, evidence::RunsDisagree,
                 evidence::GroupsNotAllCounted, evidence::GrowsAlong, evidence::IdentityOff,
                 evidence::DensityFails, evidence::HighElsewhere, evidence::LightModeMissing>;
using Remark = std::variant<evidence::LostParticles, evidence::InGroups, evidence::NotCertified,
                            evidence::NotConfirmed, evidence::Interrupted, evidence::BeforeMoves,
                            evidence::SomeRowsDecided, evidence::GroupsNotCounted,
                            evidence::WhatWasSearched, evidence::OfRun, evidence::OfAllRuns>;

/// A verdict, why, and what is to be said besides, in that order.
struct Judgement {
  Verdict verdict = Verdict::cannot_tell;
  Evidence evidence; ///< none: nothing was judged
  std::vector<Remark> remarks = {};

  bool judged() const { return !std::holds_alternative<std::monostate>(evidence); }
  bool converged() const { return verdict == Verdict::converged; }
  void remark(Remark one) { remarks.push_back(std::move(one)); }
};

/// Its verdict in a word; empty where nothing was judged.
std::string word(const Judgement& judgement);
/// Names the parameter that decided, and what to do.
std::string sentence(const Judgement& judgement);

} // namespace starling::judge
