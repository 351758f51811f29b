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
  return fmt::format("{} of {} parameters (worst: {}, spread identity {:.3g}, should be 1)",
                     one.count, one.of, one.worst, one.identity);
}

/// What would help a cloud on its way: `usual`, unless it is the scales that hold it up.
std::string advice(const evidence::MaybeUnlikeWidths& unlike, const char* usual) {
  if (!unlike)
    return usual;
  return fmt::format("the scales of {} and {} differ by a factor of about {:.1g}, too much for one "
                     "step size: use --method auto",
                     unlike->widest, unlike->narrowest, unlike->factor);
}

std::string in_words(const Displacement& by, const std::string& name) {
  if (by.trait == Trait::square)
    return fmt::format("the variance of {} is {:.0f} % too {}: HMC moves make it {}", name,
                       100 * std::abs(by.error) / std::max(0.05, 1 + by.error),
                       by.error > 0 ? "small" : "large", by.error > 0 ? "wider" : "narrower");
  return fmt::format("HMC moves shift the mean of {} {} by {:.2f} sd", name,
                     by.error > 0 ? "up" : "down", std::abs(by.error));
}

/// The sentence that each kind of evidence makes.
struct Sentence {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(const evidence::NotNumbers&) const {
    return "positions became NaN or infinite: lower --step-size";
  }
  std::string operator()(const evidence::OneParticle& e) const {
    return fmt::format(
        "one particle climbs to the mode; its largest gradient is {:.2g}, 0 at the mode",
        e.largest_score);
  }
  std::string operator()(const evidence::GrowsWithoutEnd& e) const {
    return fmt::format("the cloud keeps growing, and so do its gradients; it is too wide in {}: {}",
                       in_words(e.wide), advice(e.unlike, "lower --step-size"));
  }
  std::string operator()(const evidence::OffCentre& e) const {
    return fmt::format("the mean of {} is about {:.2g} sd off, by its gradients: {}", e.name, e.sds,
                       advice(e.unlike, "take more --steps, or give a nearer --start"));
  }
  std::string operator()(const evidence::CentreMoves& e) const {
    return fmt::format("the cloud moved by {:.2g} sd over the last quarter of the run: {}", e.sds,
                       advice(e.unlike, "take more --steps"));
  }
  std::string operator()(const evidence::SpreadChanges& e) const {
    return fmt::format("the cloud {} by {:.0f} % over the last quarter of the run: {}",
                       e.log_change > 0 ? "grew" : "shrank",
                       100 * std::abs(std::expm1(e.log_change)),
                       advice(e.unlike, "take more --steps"));
  }
  std::string operator()(const evidence::TooNarrow& e) const {
    return fmt::format(
        "the cloud is too narrow in {}, and its means may be wrong too: use --method auto, or "
        "--kernel gaussian+bilinear",
        in_words(e.narrow));
  }
  std::string operator()(const evidence::TooWide& e) const {
    return fmt::format("the cloud is too wide in {}: {}lower --step-size", in_words(e.wide),
                       e.in_batches ? "raise --batch, or " : "");
  }
  std::string operator()(const evidence::TooFewParticles& e) const {
    return fmt::format(
        "no clear fault, but {} particles are too few to be sure (the {} of {} is {:.2f} "
        "+- {:.2f}): use --particles {:.0f} or more",
        e.particles, e.of_spread ? "spread identity" : "shift", e.name, e.value, e.se, e.needed);
  }
  std::string operator()(const evidence::Balanced& e) const {
    if (e.periodic)
      return "means fit the gradients (spreads are not judged on a torus)";
    const std::string balanced = "means and spreads fit the gradients";
    if (!e.least_known)
      return balanced;
    return balanced +
           fmt::format(
               ", as far as this number of particles can show (the spread identity of {} is "
               "{:.2f} +- {:.2f})",
               e.least_known->name, e.least_known->identity, e.least_known->se);
  }
  std::string operator()(const evidence::Failed& e) const { return e.why; }

  std::string operator()(const evidence::MovesConfirm& e) const {
    const std::string who =
        e.particles > 0 ? fmt::format("{} particles", e.particles) : std::string("every particle");
    std::string text =
        fmt::format("{} HMC moves of {} left all means within {:.2f} sd and all variances within "
                    "{:.0f} % (95 % bounds)",
                    e.moves, who, e.mean_error, 100 * e.variance_error);
    if (!e.heavy.empty())
      text +=
          fmt::format("; read the quantiles of {}{}: the tail is too heavy for a mean and an sd",
                      e.heavy.front(),
                      e.heavy.size() > 1 ? fmt::format(" and {} more", e.heavy.size() - 1) : "");
    return text;
  }
  std::string operator()(const evidence::MovesCarryAway& e) const {
    return in_words(e.by, e.name) +
           (e.raw ? ". Do not use this result: take more --steps, or use --method auto"
                  : ". Do not use this result: take more --particles, or write the model in other "
                    "parameters");
  }
  std::string operator()(const evidence::HardlyMoves& e) const {
    return fmt::format(
        "HMC moves hardly change {}, so they cannot show whether it is right (perhaps a narrow or "
        "bent shape): raise --certify, or write the model in other parameters",
        e.name);
  }
  std::string operator()(const evidence::RoomForError& e) const {
    return fmt::format(
        "HMC moves do not shift {}, but its error may be up to {:.2f} {}: take more --particles",
        e.name, e.error, e.of_variance ? "of its variance" : "sd");
  }
  std::string operator()(const evidence::IdentityOff& e) const {
    return fmt::format(
        "HMC moves did not move the cloud, but the spread identity of {} is {:.2f} +- "
        "{:.2f} instead of 1. The gradient may be wrong (starling check), or the moves may not "
        "reach a part of the target: take more --particles, or write the model in other parameters",
        e.name, e.identity, e.se);
  }
  std::string operator()(const evidence::DensityFails& e) const {
    return fmt::format("the {} at {} of {} places that HMC moves visited, so these places may be "
                       "missing: fix the target (starling check)",
                       e.scores ? "gradient is not finite" : "log density is NaN", e.failed, e.of);
  }
  std::string operator()(const evidence::HighElsewhere& e) const {
    return fmt::format(
        "HMC moves did not move the cloud, but {} of {} places around it are as likely "
        "as the cloud and far from every particle. A part may be missing: write the "
        "model in other parameters, or compare several --runs",
        e.hits, e.looks);
  }
  std::string operator()(const evidence::LightModeMissing& e) const {
    const std::string change =
        e.variance_error > e.mean_error
            ? fmt::format("makes its variance {:.0f} % larger", 100 * e.variance_error)
            : fmt::format("moves its mean by {:.2f} sd", e.mean_error);
    return fmt::format(
        "a mode at {} = {:.3g} has {:.1g} of the mass and no particle, but {}: use --particles "
        "{:.0f} or more",
        e.name, e.place, e.share, change, std::ceil(2 / e.share));
  }
  std::string operator()(const evidence::ModesNotWeighed& e) const {
    return fmt::format(
        "{} separate modes were found, and their shares are not known: compare several "
        "--runs, or use a sampler made for several modes",
        e.modes);
  }
  std::string operator()(const evidence::DensityAgainstScores& e) const {
    return fmt::format(
        "the log density rises {:.2g} times as fast as its gradient says, so HMC moves "
        "prove nothing: fix the target (starling check)",
        e.rise);
  }
  std::string operator()(const evidence::GroupsNotWeighed& e) const {
    return fmt::format("{} ({}) were found, and their shares are not known: use --method auto",
                       groups_counted(e.groups), group_places(e.groups, e.names));
  }
  std::string operator()(const evidence::GroupsNotAllCounted&) const {
    return "there are more modes than were counted: write the model in other parameters, or use a "
           "sampler made for many modes";
  }
  std::string operator()(const evidence::GrowsAlong& e) const {
    return fmt::format("the log density {} along {}: check {}that the posterior is proper",
                       e.grows ? "grows without bound" : "does not fall", e.name,
                       e.grows ? "its sign and " : "");
  }
  std::string operator()(const evidence::SharesNotKnown& e) const {
    return e.why.empty() ? "their shares are not known well enough: write the model in other "
                           "parameters, or use a sampler made for several modes"
                         : e.why;
  }
  std::string operator()(const evidence::RunsDisagree& e) const {
    return fmt::format("the runs disagree (R-hat of {} is {:.2f}, should be 1): there are several "
                       "modes, or more --steps are needed",
                       e.name, e.r_hat);
  }
};

/// The sentence so far with a remark before or behind it.
struct WithRemark {
  const std::string& said;

  std::string operator()(const evidence::LostParticles& e) const {
    return fmt::format("the density fails at {} of {} particles; {}", e.lost, e.of,
                       e.too_many ? "do not use this result" : "for the others, " + said);
  }
  std::string operator()(const evidence::InGroups& e) const {
    return fmt::format("{} ({}): {}", groups_counted(e.groups), group_places(e.groups, e.names),
                       said);
  }
  std::string operator()(const evidence::NotCertified& e) const {
    constexpr std::array whys = {
        "",
        ": the target gives no log density",
        ": HMC needs all of R^d",
        ": --certify 20 does it, and adds more than an eighth of the gradients",
        ": HMC needs double precision",
        ": the log density is not finite for every particle"}; // as in NotCertified::Why
    return fmt::format("{} (not checked by HMC{})", said, whys.at(static_cast<std::size_t>(e.why)));
  }
  std::string operator()(const evidence::NotConfirmed&) const {
    return said + ", but HMC did not check it: use --certify 20";
  }
  std::string operator()(const evidence::Interrupted& e) const {
    return fmt::format("the run was interrupted after {} steps and is not confirmed; so far {}",
                       e.steps, said);
  }
  std::string operator()(const evidence::BeforeMoves& e) const {
    return fmt::format("the run stopped in its stage {}, before HMC could check it; so far {}",
                       e.stage, said);
  }
  std::string operator()(const evidence::SomeRowsDecided& e) const {
    return said + fmt::format(
                      "; a subset of the rows stood for all; its error of the log density, {:.2g}, "
                      "is part of the bounds",
                      e.error);
  }
  std::string operator()(const evidence::GroupsNotCounted& e) const {
    return said + (e.over_rows
                       ? " (other modes were not searched: that needs many passes over all rows)"
                       : " (other modes were not searched: too costly for so short a run)");
  }
  std::string operator()(const evidence::WhatWasSearched& e) const {
    return said + fmt::format("; a search ({} climbs, {} places) found {} mode{}", e.climbs,
                              e.looks, e.modes, e.modes == 1 ? "" : "s");
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
