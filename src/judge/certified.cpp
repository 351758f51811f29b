// The verdict by a certificate: what decided, in which direction and by how much.
#include <starling/judge/certified.hpp>

#include <starling/observe/balance.hpp>

#include <algorithm>
#include <cmath>

namespace starling::judge {

namespace {

// What an identity may be off by, and the standard errors that must lie between it and that: the
// products that it is the mean of have heavy tails.
constexpr double least_identity = 0.8, most_identity = 1.25, identity_errors = 4;

constexpr double tolerated_failures = 0.003; // of the gradients of exact moves

/// The largest that the error of any mean, or of any variance, can well be: a bound that holds for
/// all of them together in 95 % of tests.
double largest(const Certificate& certificate, bool of_squares) {
  const double se_times = moving_errors(certificate.all.size());
  double most = 0;
  for (const Displacement& one : certificate.all)
    if ((one.trait == Trait::square) == of_squares)
      most = std::max(most, std::abs(one.error) + se_times * one.se);
  return most;
}

std::vector<std::string> heavy(const Certificate& certificate,
                               const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const std::size_t column : certificate.heavy)
    if (!names.empty())
      found.push_back(names[std::min(column, names.size() - 1)]);
  return found;
}

} // namespace

Judgement judge_by_moves(const Certificate& certificate, const std::vector<std::string>& names,
                         std::size_t modes, bool raw) {
  const Displacement& by = certificate.worst;
  const std::string name = name_of(by, names);
  switch (certificate.finding) {
  case Finding::confirmed:
    return {Verdict::converged,
            evidence::MovesConfirm{certificate.moves, certificate.particles,
                                   largest(certificate, false), largest(certificate, true),
                                   heavy(certificate, names)}};
  case Finding::moved:
    return {Verdict::still_moving, evidence::MovesCarryAway{name, by, raw}};
  case Finding::undecided:
    break;
  }
  if (modes > 1)
    return {Verdict::cannot_tell, evidence::ModesNotWeighed{modes}};
  if (by.memory >= Bounds().most_memory)
    return {Verdict::cannot_tell, evidence::HardlyMoves{name}};
  return {Verdict::cannot_tell,
          evidence::RoomForError{name, std::abs(by.error) + confirming_errors * by.se,
                                 by.trait == Trait::square}};
}

namespace {

/// By how many standard errors an identity is out of its bounds; 0 where that may be chance.
double identity_fault(double value, double se) {
  const double off = std::max(least_identity - value, value - most_identity);
  return std::isfinite(se) && off > identity_errors * se ? off / (se + 1e-300) : 0;
}

} // namespace

bool identities_hold(Rows<const double> x, Rows<const double> score, Threads& threads) {
  return std::ranges::none_of(balance(x, score, threads), [](const Balance& one) {
    return identity_fault(one.spread, one.spread_se) > 0;
  });
}

Judgement with_identities(const Judgement& judgement,
                          const std::vector<ParameterSummary>& positions,
                          const std::function<bool(std::size_t)>& ends_at_a_step) {
  if (!judgement.converged())
    return judgement;
  const ParameterSummary* worst = nullptr;
  double fault = 0; // in standard errors
  for (std::size_t a = 0; a < positions.size(); ++a) {
    const ParameterSummary& one = positions[a];
    const double own = identity_fault(one.spread_identity, one.identity_se);
    if (own > fault && !(ends_at_a_step && ends_at_a_step(a))) {
      worst = &one;
      fault = own;
    }
  }
  if (!worst)
    return judgement;
  Judgement doubtful = judgement;
  doubtful.verdict = Verdict::cannot_tell;
  doubtful.evidence =
      evidence::IdentityOff{worst->name, worst->spread_identity, worst->identity_se};
  return doubtful;
}

Judgement with_failures(const Judgement& judgement, const Failures& failures,
                        std::uint64_t gradients) {
  const std::uint64_t failed = failures.log_density + failures.score;
  if (!judgement.converged() || !(double(failed) > tolerated_failures * double(gradients)))
    return judgement;
  Judgement doubtful = judgement;
  doubtful.verdict = Verdict::cannot_tell;
  doubtful.evidence = evidence::DensityFails{failed, gradients, failures.score > 0};
  return doubtful;
}

Judgement with_search(const Judgement& judgement, const Searched& searched,
                      const std::vector<std::string>& positions) {
  if (!judgement.converged() || searched.searches == 0)
    return judgement;
  Judgement found = judgement;
  if (const LightMode& light = searched.light; light.share > 0)
    found.evidence = evidence::LightModeMissing{positions.at(light.parameter), light.place,
                                                light.share, light.share * std::abs(light.off),
                                                light.share * light.off * light.off};
  else if (searched.hits > 0)
    found.evidence = evidence::HighElsewhere{searched.hits, searched.looks};
  else {
    found.remark(evidence::WhatWasSearched{searched.climbs, searched.looks, searched.modes});
    return found;
  }
  found.verdict = Verdict::cannot_tell;
  return found;
}

} // namespace starling::judge
