// The log evidence as users read it, and what speaks against it.
#include "run/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace starling::run {

namespace {

constexpr double too_far = 4; // standard errors between two ways to weigh a group

bool has_no_integral(const judge::Judgement& judgement) {
  return std::holds_alternative<judge::evidence::GrowsAlong>(judgement.evidence);
}

} // namespace

std::optional<EvidenceReport> report_evidence(const stages::Journey& journey,
                                              const AnyTarget<double>& target,
                                              const Outcome& outcome) {
  EvidenceReport report;
  judge::LogEvidence& found = report.found;
  const auto none = [&](const char* why) {
    found.value = found.se = std::numeric_limits<double>::quiet_NaN();
    report.doubt = why;
    return report;
  };
  const judge::Judgement& judgement = outcome.diagnosis.judgement;
  const std::optional<judge::LogEvidence> made = journey.evidence();
  if (!made)
    return none("the target gives no log density");
  found = *made;
  if (has_no_integral(judgement))
    return none("the density has no integral: in some direction it does not fall");
  if (std::isnan(target.log_constant))
    return none("the target omits constants that are not known here");
  found.value += target.log_constant;
  report.tempered = journey.tempered_evidence();
  if (report.tempered)
    report.tempered->value += target.log_constant;
  if (std::isinf(found.se))
    report.doubt = "few rows are too poor a guide for the density";
  else if (!(found.worth() >= judge::least_worth) || !std::isfinite(found.se))
    report.doubt = fmt::format("the fit and the density overlap by {:.2g}, which is too little",
                               found.overlap);
  else if (journey.tempering_given_up())
    report.doubt = "tempering was stopped before it came to the density";
  else if (report.tempered && std::abs(found.value - report.tempered->value) >
                                  too_far * std::hypot(found.se, report.tempered->se))
    report.doubt = fmt::format(
        "tempering gives {:.3f} +- {:.2g}, which differs by more than {} standard errors",
        report.tempered->value, report.tempered->se, too_far);
  else if (journey.evidence_against_shares() > too_far)
    report.doubt =
        "the shares of the groups by their evidence differ from the shares that the run found";
  else if (!judgement.converged())
    report.doubt = fmt::format("the verdict on the draws is \"{}\"", judge::word(judgement));
  return report;
}

std::optional<EvidenceReport> pool_evidence(std::span<const Outcome> runs) {
  EvidenceReport all;
  const double count = double(runs.size());
  double squares = 0;
  for (const Outcome& one : runs) {
    if (!one.stages || !one.stages->evidence)
      return std::nullopt;
    const judge::LogEvidence& found = one.stages->evidence->found;
    all.found.value += found.value / count;
    all.found.overlap += found.overlap / count;
    all.found.draws += found.draws;
    squares += found.se * found.se;
    if (all.doubt.empty())
      all.doubt = one.stages->evidence->doubt;
  }
  double apart = 0;
  for (const Outcome& one : runs)
    apart += std::pow(one.stages->evidence->found.value - all.found.value, 2);
  // Where runs are farther apart than their errors say, it is they who are right.
  all.found.se = std::sqrt(std::max(squares, count / std::max(1.0, count - 1) * apart)) / count;
  return all;
}

} // namespace starling::run
