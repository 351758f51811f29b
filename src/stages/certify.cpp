// The certificate of a cloud: exact moves, what they say, and the polish of a cloud that was right.
#include <starling/stages/stages.hpp>

#include <algorithm>

namespace starling::stages {

namespace {

constexpr double acceptance = 0.9;
constexpr std::uint64_t to_tell = 2, for_draws = 4; // times as many moves, at most
constexpr double perhaps_by_chance = 1.5; // times the error: twice the moves may find it within

/// A cloud that is clearly wrong shows it in half of the moves. Over rows to ask costs as much.
std::uint64_t first_moves(const Context& context) {
  const std::uint64_t all = context.settings.certify_moves;
  return context.guide.rows() > 0 ? all : (all + 1) / 2;
}

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
                    .moves = first_moves(context),
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
    if (polish_.step(context, state) && after_polish(context, state))
      return true;
    break;
  case Part::compare:
    if (!trial_.over())
      trial_.move(context, state);
    if (trial_.over() && after_polish(context, state))
      return true;
    break;
  }
  ++done_;
  return false;
}

/// So many moves more: the second half of them, some to tell where they mix, or to have enough
/// draws.
std::uint64_t Certify::moves_more(const Context& context, judge::Finding finding,
                                  bool for_cloud) const {
  const std::uint64_t planned = context.settings.certify_moves, made = trial_.moves();
  if (finding == judge::Finding::moved)
    return 0;
  if (made < planned)
    return planned - made;
  if (context.settings.settle_always)
    return 0;
  const bool right = finding == judge::Finding::confirmed;
  const bool tells = right ? for_cloud : trial_.mixes() && context.guide.rows() == 0;
  return tells && made < (right ? for_draws : to_tell) * planned ? planned : 0;
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
  if (const std::uint64_t moves = moves_more(context, certificate.finding, more && !enough)) {
    trial_.go_on(moves);
    return false;
  }
  const bool goes_on = right && !context.settings.settle_always &&
                       (more ? enough : polishes(context) && state.scouted.modes == 1);
  if (goes_on) {
    if (!more)
      flown_ = Unpolished(context, state.cloud);
    polish_ = Polish(context, state, trial_, false);
    if (more) {
      flown_ = Unpolished(context, state.cloud);
      certificate = trial_.judge_other(context, flown_.x, flown_.log_density, bounds);
    }
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
/// right by them, and in no trait farther off than the cloud that it was made from. But that cloud
/// has the moments of these moves, and so their errors of chance: where a polish is worse by little
/// more than these, as many moves again decide. Nor may a polish break an identity: particles
/// pushed off a thin ring change none of its traits. True when there is nothing more to do.
bool Certify::after_polish(const Context& context, State& state) {
  if (part_ == Part::compare)
    state.certificate = trial_.judge_other(context, flown_.x, flown_.log_density);
  judge::Certificate polished = trial_.judge_other(context, state.cloud.x, state.cloud.log_density);
  const bool right = polished.finding == judge::Finding::confirmed &&
                     (context.identities_hold(state.cloud) || !flown_.identities_hold);
  const bool compared = state.certificate->finding == judge::Finding::confirmed;
  const bool worse = compared && judge::any_worse(polished, *state.certificate);
  if (right && worse && part_ == Part::polish &&
      !judge::any_worse(polished, *state.certificate, {}, perhaps_by_chance)) {
    trial_.go_on(trial_.moves());
    part_ = Part::compare;
    return false;
  }
  if (right && !worse) {
    state.certificate = std::move(polished);
    state.polished = true;
  } else {
    state.cloud = flown_.back(context);
  }
  if (state.certificate->finding != judge::Finding::confirmed)
    state.walkers = trial_.take_walkers();
  return true;
}

Progress Certify::progress(const Context& context) const {
  const Settings& s = context.settings;
  return {done_, std::max<std::uint64_t>(s.certify_moves, trial_.moves()) + 1 +
                     (polishes(context) ? s.polish_steps * Polish::blocks(context) : 0)};
}

void Certify::check(const Context& context, const State&) const {
  trial_.check(context, part_ != Part::begin);
  polish_.check(context, part_ == Part::polish);
  flown_.check(context, part_ != Part::polish);
}

} // namespace starling::stages
