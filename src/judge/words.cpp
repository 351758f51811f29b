// The words of verdicts: all of them, and nothing else. What decides is elsewhere.
#include <starling/judge/certified.hpp>
#include <starling/judge/verdict.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace starling::judge {

namespace {

constexpr std::array verdict_words = {"diverged", "still moving", "collapsed",
                                      "noisy",    "cannot tell",  "converged"}; // as in the enum

std::string in_words(const evidence::WrongSpread& one) {
  return fmt::format("{} of {} parameters ({}: identity {:.3g} instead of 1)", one.count, one.of,
                     one.worst, one.identity);
}

/// What would help a cloud on its way: `usual`, unless it is the scales that hold it up.
std::string advice(const evidence::MaybeUnlikeWidths& unlike, const char* usual) {
  if (!unlike)
    return usual;
  return fmt::format("one step size cannot serve widths that differ by a factor of about {:.1g} "
                     "({} against {}): use "
                     "--method auto, which gives each parameter its own scale",
                     unlike->factor, unlike->widest, unlike->narrowest);
}

std::string in_words(const Displacement& by, const std::string& name) {
  if (by.trait == Trait::square)
    return fmt::format("exact moves make {} {} than it is here: its variance is {:.0f} % too {}",
                       name, by.error > 0 ? "wider" : "narrower",
                       100 * std::abs(by.error) / std::max(0.05, 1 + by.error),
                       by.error > 0 ? "small" : "large");
  return fmt::format("exact moves carry {} {} by {:.2f} of its sd", name,
                     by.error > 0 ? "up" : "down", std::abs(by.error));
}

/// The sentence that each kind of evidence makes.
struct Sentence {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(const evidence::NotNumbers&) const {
    return "a particle has grown beyond what a number can hold: lower --step-size";
  }
  std::string operator()(const evidence::OneParticle& e) const {
    return fmt::format("one particle seeks the mode; the largest score left is {:.2g}",
                       e.largest_score);
  }
  std::string operator()(const evidence::GrowsWithoutEnd& e) const {
    return fmt::format("the cloud grows and its scores with it; it is too wide in {}: {}",
                       in_words(e.wide), advice(e.unlike, "lower --step-size"));
  }
  std::string operator()(const evidence::OffCentre& e) const {
    return fmt::format("{} is {:.2g} sd from where its scores balance: {}", e.name, e.sds,
                       advice(e.unlike, "take more steps, or start nearer"));
  }
  std::string operator()(const evidence::CentreMoves& e) const {
    return fmt::format("the cloud moved by {:.2g} sd over the last quarter of the run: {}", e.sds,
                       advice(e.unlike, "take more steps"));
  }
  std::string operator()(const evidence::SpreadChanges& e) const {
    return fmt::format("the cloud {} by {:.0f} % over the last quarter of the run: {}",
                       e.log_change > 0 ? "grew" : "shrank",
                       100 * std::abs(std::expm1(e.log_change)),
                       advice(e.unlike, "take more steps"));
  }
  std::string operator()(const evidence::TooNarrow& e) const {
    return fmt::format(
        "the spread is too small in {}, and its means may be off too: local kernels collapse "
        "in many "
        "dimensions; add an exact part with --kernel gaussian+bilinear, or use --method auto",
        in_words(e.narrow));
  }
  std::string operator()(const evidence::TooWide& e) const {
    return fmt::format("the spread is too large in {}: {}lower --step-size", in_words(e.wide),
                       e.in_batches ? "raise --batch or " : "");
  }
  std::string operator()(const evidence::TooFewParticles& e) const {
    return fmt::format("nothing speaks clearly against this cloud, but {} particles are too few to "
                       "confirm it (the {} of {} is "
                       "{:.2f} +- {:.2f}): take {:.0f} or more with --particles",
                       e.particles, e.of_spread ? "identity" : "shift", e.name, e.value, e.se,
                       e.needed);
  }
  std::string operator()(const evidence::Balanced& e) const {
    if (e.periodic)
      return "the scores balance (spread is not judged on a torus)";
    const std::string balanced = "the scores balance and the spread is right";
    if (!e.least_known)
      return balanced;
    return balanced +
           fmt::format(", as far as this cloud can tell (the identity of {} is {:.2f} +- {:.2f})",
                       e.least_known->name, e.least_known->identity, e.least_known->se);
  }
  std::string operator()(const evidence::Failed& e) const { return e.why; }

  std::string operator()(const evidence::MovesConfirm& e) const {
    const std::string who = e.particles > 0 ? fmt::format("{} of the particles", e.particles)
                                            : std::string("every particle");
    std::string text =
        fmt::format("{} exact moves of {} leave the cloud where it is: no mean is off by more "
                    "than {:.2f} sd, no variance by more than {:.0f} %",
                    e.moves, who, e.mean_error, 100 * e.variance_error);
    if (!e.heavy.empty())
      text +=
          fmt::format("; of {}{} read the quantiles: the tail is too heavy for a mean and an sd",
                      e.heavy.front(),
                      e.heavy.size() > 1 ? fmt::format(" and {} more", e.heavy.size() - 1) : "");
    return text;
  }
  std::string operator()(const evidence::MovesCarryAway& e) const {
    return in_words(e.by, e.name) +
           (e.raw ? ": do not trust its figures; take more --steps, or leave the options of the "
                    "method out, so that --method auto corrects the cloud"
                  : ": do not trust its figures; take more --particles, or look at its shape");
  }
  std::string operator()(const evidence::HardlyMoves& e) const {
    return fmt::format(
        "{} hardly moves under exact moves, so they cannot show whether it is right: a narrow or "
        "strongly bent shape, perhaps; raise --certify, or write the model in other parameters",
        e.name);
  }
  std::string operator()(const evidence::RoomForError& e) const {
    return fmt::format(
        "exact moves do not carry {} away, but leave room for an error of {:.2f} {}: "
        "take more --particles",
        e.name, e.error, e.of_variance ? "of its variance" : "sd");
  }
  std::string operator()(const evidence::IdentityOff& e) const {
    return fmt::format("exact moves leave the cloud where it is, but its scores do not fit: the "
                       "spread identity of {} is {:.2f} +- {:.2f} instead of 1; the moves do not "
                       "lead to what is missing: take more --particles, or write the model in "
                       "other parameters",
                       e.name, e.identity, e.se);
  }
  std::string operator()(const evidence::DensityFails& e) const {
    return fmt::format("the {} in {} of the {} places that exact moves asked for, and what lies "
                       "there is missing from the cloud: correct the target; starling check looks "
                       "at it",
                       e.scores ? "gradient is not finite" : "log density is no number", e.failed,
                       e.of);
  }
  std::string operator()(const evidence::HighElsewhere& e) const {
    return fmt::format("exact moves leave the cloud where it is, but {} of {} looks around it met "
                       "places as high as its own and away from every particle: a part of the "
                       "shape that moves do not reach; write the model in other parameters, or "
                       "compare several --runs",
                       e.hits, e.looks);
  }
  std::string operator()(const evidence::LightModeMissing& e) const {
    const std::string change =
        e.variance_error > e.mean_error
            ? fmt::format("makes its variance {:.0f} % larger", 100 * e.variance_error)
            : fmt::format("moves its mean by {:.2f} sd", e.mean_error);
    return fmt::format(
        "a mode at {} = {:.3g} is too light for a particle, with {:.1g} of the mass, "
        "but {}: take {:.0f} or more with --particles",
        e.name, e.place, e.share, change, std::ceil(2 / e.share));
  }
  std::string operator()(const evidence::ModesNotWeighed& e) const {
    return fmt::format("the scout found {} separate modes: nothing here tells how much each of "
                       "them weighs; compare several --runs, or use a method made for separate "
                       "modes",
                       e.modes);
  }
  std::string operator()(const evidence::DensityAgainstScores& e) const {
    return fmt::format("the log density rises by {:.2g} times what its gradient says, so that "
                       "exact moves prove nothing: correct the target",
                       e.rise);
  }
  std::string operator()(const evidence::GroupsNotWeighed& e) const {
    return fmt::format("{} ({}) were found, and nothing here tells how much each of them weighs; "
                       "--method auto weighs groups",
                       groups_counted(e.groups), group_places(e.groups, e.names));
  }
  std::string operator()(const evidence::GroupsNotAllCounted&) const {
    return "of what was not counted nothing is known; take other parameters, or a method made for "
           "so many modes";
  }
  std::string operator()(const evidence::GrowsAlong& e) const {
    return fmt::format("the log density {} along {}: {}is it proper?",
                       e.grows ? "grows without bound" : "does not fall", e.name,
                       e.grows ? "is its sign right, " : "");
  }
  std::string operator()(const evidence::SharesNotKnown& e) const {
    return e.why.empty() ? "their shares are not known well enough; take other parameters, or a "
                           "method made for separate modes"
                         : e.why;
  }
  std::string operator()(const evidence::RunsDisagree& e) const {
    return fmt::format("the runs disagree ({}: R-hat {:.2f} instead of 1): there is more than one "
                       "mode, or they need more steps",
                       e.name, e.r_hat);
  }
};

/// The sentence so far with a remark before or behind it.
struct WithRemark {
  const std::string& said;

  std::string operator()(const evidence::LostParticles& e) const {
    return fmt::format("{} of {} particles stand where the density fails; {}", e.lost, e.of,
                       e.too_many ? "no figure can be trusted" : "for the rest, " + said);
  }
  std::string operator()(const evidence::InGroups& e) const {
    return fmt::format("{} ({}): {}", groups_counted(e.groups), group_places(e.groups, e.names),
                       said);
  }
  std::string operator()(const evidence::NotCertified& e) const {
    constexpr std::array whys = {
        "",
        ": the target gives scores and no log density",
        ": exact moves live in all of R^d",
        ": --certify 20 does, for more than an eighth of this run's gradients",
        ": that needs double precision",
        ": the log density is not finite for every particle"}; // as in NotCertified::Why
    return fmt::format("{} (not certified{})", said, whys.at(static_cast<std::size_t>(e.why)));
  }
  std::string operator()(const evidence::NotConfirmed&) const {
    return said + ", but no exact moves were made that could confirm it: --certify 20 makes them";
  }
  std::string operator()(const evidence::Interrupted& e) const {
    return fmt::format("the run was interrupted after {} steps, before its end: so far {}, which "
                       "confirms nothing",
                       e.steps, said);
  }
  std::string operator()(const evidence::BeforeMoves& e) const {
    return fmt::format("the run is in its stage {}, before exact moves could confirm it: so far {}",
                       e.stage, said);
  }
  std::string operator()(const evidence::SomeRowsDecided& e) const {
    return said + fmt::format("; some of the rows decided on the moves, in place of all: their log "
                              "density is {:.2g} off, which the errors allow for",
                              e.error);
  }
  std::string operator()(const evidence::GroupsNotCounted& e) const {
    return said + (e.over_rows ? " (what lies around the cloud was not searched: that takes many "
                                 "passes over all rows)"
                               : " (separate groups were not looked for: in so short a run that "
                                 "costs too many gradients)");
  }
  std::string operator()(const evidence::WhatWasSearched& e) const {
    return said + fmt::format("; {} climbs and {} looks met {} mode{}", e.climbs, e.looks, e.modes,
                              e.modes == 1 ? "" : "s");
  }
  std::string operator()(const evidence::OfRun& e) const {
    return fmt::format("run {}: {}", e.number, said);
  }
  std::string operator()(const evidence::OfAllRuns& e) const {
    return fmt::format("all {} runs: {}", e.count, said);
  }
};

} // namespace

std::string word(Verdict verdict) { return verdict_words.at(static_cast<std::size_t>(verdict)); }

std::optional<Verdict> verdict_from(std::string_view word) {
  const auto found = std::find(verdict_words.begin(), verdict_words.end(), word);
  if (found == verdict_words.end())
    return std::nullopt;
  return static_cast<Verdict>(found - verdict_words.begin());
}

const char* word(Finding finding) {
  constexpr const char* words[] = {"moved", "confirmed", "undecided"};
  return words[static_cast<std::size_t>(finding)];
}

std::string name_of(const Displacement& one, const std::vector<std::string>& columns) {
  switch (one.of) {
  case TraitOf::log_density:
    return "the log density";
  case TraitOf::direction:
    return "a direction of several parameters";
  case TraitOf::column:
    break;
  }
  return columns.empty() ? std::string() : columns[std::min(one.parameter, columns.size() - 1)];
}

std::string word(const Judgement& judgement) {
  return judgement.judged() ? word(judgement.verdict) : "";
}

std::string sentence(const Judgement& judgement) {
  std::string text = std::visit(Sentence{}, judgement.evidence);
  for (const Remark& remark : judgement.remarks)
    text = std::visit(WithRemark{text}, remark);
  return text;
}

} // namespace starling::judge
