// The certificate of a cloud: exact moves, what they say, and the polish of a cloud that was right.
#include <starling/stages/stages.hpp>

#include <algorithm>

namespace starling::stages {

namespace {

constexpr double acceptance = 0.9;
constexpr std::uint64_t most_times = 4; // as many moves, at most

/// Whether a cloud that was right is polished, from the draws of the moves that showed it.
bool polishes(const Context& context) {
  const Settings& s = context.settings;
  return s.polish_confirmed && s.polish_steps > 0 && s.settle_rounds > 0 &&
         context.guide.rows() == 0;
}

/// More particles than have flown.
bool wants_more(const Context& context, const State& state) {
  return state.cloud.count() < context.settings.particles;
}

} // namespace

bool Certify::unit(const Context& context, State& state) {
  switch (part_) {
  case Part::begin: // moves are short and cheap
    trial_ = Trial(context, state, context.guide.walkers(state.cloud, context.settings.walkers),
                   {.acceptance = acceptance,
                    .moves = context.settings.certify_moves,
                    .keeps = polishes(context) || wants_more(context, state)});
    part_ = Part::move;
    break;
  case Part::move:
    if (!trial_.over())
      trial_.move(context, state);
    if (trial_.over() && after_test(context, state))
      return true;
    break;
  case Part::polish:
    if (polish_.step(context, state)) {
      after_polish(context, state);
      return true;
    }
    break;
  }
  ++done_;
  return false;
}

/// True when there is nothing more to do. A test that cannot tell goes on where its moves mix: most
/// of its errors are then soon small enough. A cloud of more particles than have flown is made of
/// the moves' draws where they are worth enough, and is the one that is judged.
bool Certify::after_test(const Context& context, State& state) {
  const judge::Bounds bounds = context.guide.bounds(trial_.walkers());
  judge::Certificate certificate = trial_.judge(bounds);
  const bool right = certificate.finding == judge::Finding::confirmed;
  const bool more = wants_more(context, state);
  const bool enough = trial_.least_effective() >= context.settings.enough_draws;
  const bool needs_more = right ? more && !enough
                                : certificate.finding == judge::Finding::undecided &&
                                      trial_.mixes() && context.guide.rows() == 0;
  if (needs_more && !context.settings.settle_always &&
      trial_.moves() < most_times * context.settings.certify_moves) {
    trial_.go_on(context.settings.certify_moves);
    return false;
  }
  const bool goes_on = right && !context.settings.settle_always &&
                       (more ? enough : polishes(context) && state.scouted.modes == 1);
  if (goes_on) {
    Cloud flown = state.cloud;
    polish_ = Polish(context, state, trial_, false);
    flown_ = more ? state.cloud : std::move(flown);
    if (more)
      certificate = trial_.judge_other(context, flown_, bounds);
    part_ = Part::polish;
  }
  state.certificate = std::move(certificate);
  state.pool = trial_.pool();
  trial_.forget_kept();
  if (!goes_on)
    state.walkers = trial_.take_walkers(); // whoever settles goes on from where they were brought
  return !goes_on;
}

/// The moves that there were say where the truth is, for any cloud. A polish is kept when it is
/// right by them, and in no trait farther off than the cloud that it was made from.
void Certify::after_polish(const Context& context, State& state) {
  judge::Certificate polished = trial_.judge_other(context, state.cloud);
  if (polished.finding == judge::Finding::confirmed &&
      !judge::any_worse(polished, *state.certificate)) {
    state.certificate = std::move(polished);
    state.polished = true;
  } else {
    state.cloud = flown_;
  }
  if (state.certificate->finding != judge::Finding::confirmed)
    state.walkers = trial_.take_walkers();
}

Progress Certify::progress(const Context& context) const {
  const Settings& s = context.settings;
  return {done_, std::max<std::uint64_t>(s.certify_moves, trial_.moves()) + 1 +
                     (polishes(context) ? s.polish_steps : 0)};
}

void Certify::check(const Context& context, const State&) const {
  trial_.check(context, part_ != Part::begin);
  polish_.check(context, part_ == Part::polish);
  must_fit(flown_, context.dim(), context.settings.particles, part_ != Part::polish);
}

} // namespace starling::stages
