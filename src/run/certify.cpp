// A certificate for the end of a raw run, and the verdict that rests on one.
#include "run/followed_columns.hpp"
#include "run/measure.hpp"

#include <starling/error.hpp>
#include <starling/judge/certified.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace starling::run {

namespace {

constexpr std::size_t usual_moves = 20, least_particles = 8;
constexpr double most_unasked = 0.125; // of the run's own gradients

/// About what the certificate takes: a move is 4 leaps in the mean, its tuning 10 moves of 128
/// particles.
double gradients_of(std::size_t moves, std::size_t particles) {
  return 4.0 * double(moves) * double(particles) +
         40.0 * double(std::min<std::size_t>(128, particles)) + double(particles);
}

} // namespace

void judge_by(const judge::Certificate& certificate, const AnyTarget<double>& target, bool raw,
              Outcome& o, const std::string& doubt) {
  judge::Judgement& judgement = o.diagnosis.judgement;
  if (judgement.verdict == judge::Verdict::diverged) // densities that fail outweigh moves
    return;
  judgement = o.groups.empty()
                  ? judge::judge_by_moves(certificate, o.stages->columns, o.stages->modes, raw)
                  : judge::judge_weighed_groups(certificate, o.stages->columns, o.groups,
                                                o.draw_names(), doubt);
  const Rows<const double> x{o.positions.data(), o.settings.particles, target.dim};
  judgement = judge::with_identities(judgement, o.diagnosis.parameters, [&](std::size_t a) {
    return ends_at_a_step(target, x, o.log_density, a);
  });
  std::uint64_t gradients = 0;
  for (const auto& [stage, count] : o.stages->gradients)
    gradients += stage == "certify" || stage == "settle" ? count : 0;
  judgement = judge::with_failures(judgement, o.stages->failures_of_moves, gradients);
  if (o.stages->guide_decides)
    judgement.remark(judge::evidence::SomeRowsDecided{o.stages->guide_error});
  if (const double rise = judgement.converged() ? rise_by_scores(target, x) : 1; rise != 1)
    judgement = {judge::Verdict::cannot_tell, judge::evidence::DensityAgainstScores{rise}};
}

void certify_at(const AnyTarget<double>& target, Threads& threads, double sweeps, Outcome& o) {
  const Settings& s = o.settings;
  const std::size_t moves = s.certify.value_or(usual_moves);
  using Why = judge::evidence::NotCertified::Why;
  const bool says_converged = o.diagnosis.judgement.converged();
  const bool has_density = !target.has_density || target.has_density();
  o.stages.emplace();
  o.stages->raw = true;
  o.stages->columns = o.names;
  o.stages->gradients = {{"fly", std::uint64_t(sweeps * double(s.particles))}, {"certify", 0}};
  const auto not_certified = [&](Why why) {
    if (says_converged)
      o.diagnosis.judgement.remark(judge::evidence::NotCertified{why});
  };
  if (!has_density)
    return not_certified(Why::no_density);
  if (s.periodic)
    return not_certified(Why::periodic);
  if (moves == 0 || s.particles < least_particles)
    return not_certified(Why::not_asked);
  if (!s.certify && !says_converged) // the identities have said why not, at no cost
    return;
  if (!s.certify && gradients_of(moves, s.particles) >
                        most_unasked * sweeps * target.step_share * double(s.particles))
    return not_certified(Why::expensive);
  const FollowedColumns followed(target);
  stages::Settings settings;
  settings.particles = s.particles;
  settings.batch_size = std::min(settings.batch_size, s.particles);
  settings.seed = s.seed;
  settings.certify_moves = moves;
  settings.settle_rounds = 0;
  const auto density = [&target](Rows<const double> x, Rows<double> score,
                                 std::span<double> log_density) {
    target.evaluate(x, score, log_density);
  };
  std::vector<stages::Stage> only_certify;
  only_certify.emplace_back(stages::Certify());
  stages::Group group(density, target.dim, settings, threads, followed.read(),
                      std::move(only_certify));
  const Rows<const double> x{o.positions.data(), s.particles, target.dim};
  try {
    group.begin_from(x, false);
  } catch (const TargetError&) {
    return not_certified(Why::not_finite);
  }
  while (!group.finished())
    group.unit();
  o.stages->columns = followed.names(x.slice(0, 1));
  o.stages->gradients[1].second = group.gradients()[stages::index_of<stages::Certify>];
  o.stages->failures = group.spent()[stages::index_of<stages::Certify>].failures;
  o.stages->failures_of_moves = o.stages->failures;
  o.stages->certificate = group.certificate();
  judge_by(*group.certificate(), target, true, o);
}

} // namespace starling::run
