// Settling: rounds of exact moves, a cloud of their draws, and the last test.
#include <starling/stages/stages.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace starling::stages {

namespace {

constexpr double settle_acceptance = 0.8;
// Moves are about as long as the density is wide, however many leaps that takes: in a banana short
// ones stay in one arm, and confirm it.
constexpr double length = 4;                   // of a move at most, in sds of the frame
constexpr std::size_t furthest = 31;           // leaps, at most
constexpr std::size_t travellers = 128;        // who go through the rounds
constexpr std::uint64_t last_test_times = 4;   // certify_moves at most, while it is undecided
constexpr std::size_t most_rounds_by_rows = 2; // each of its moves is a pass over all rows
// The first round comes from a cloud that is wrong; later ones go on from where it led.
constexpr std::uint64_t discards_of_first = 2, discards_later = 4; // one move in so many, at first
constexpr double nearly_enough = 0.75; // how many draws a pool is worth is known to about a tenth

/// Walkers whose log density is far below that of the others would be on their way for longer than
/// any round, and force its step on everyone: they go on from where others are.
Cloud without_strays(Cloud walkers) {
  std::vector<double> sorted = walkers.log_density;
  const auto middle = sorted.begin() + std::ptrdiff_t(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  const double least = *middle - 50 - 2 * double(walkers.dim());
  std::size_t good = 0;
  for (std::size_t i = 0; i < walkers.count(); ++i) {
    if (walkers.log_density[i] >= least)
      continue;
    do
      good = (good + 1) % walkers.count();
    while (walkers.log_density[good] < least);
    walkers.x.row(Eigen::Index(i)) = walkers.x.row(Eigen::Index(good));
    walkers.score.row(Eigen::Index(i)) = walkers.score.row(Eigen::Index(good));
    walkers.log_density[i] = walkers.log_density[good];
  }
  return walkers;
}

/// The cloud as it was before the polish is better: confirmed, and the polish is not or is worse in
/// some trait; or not moved, and the polish is.
bool better_before(const judge::Certificate& polished, const judge::Certificate& before) {
  if (before.finding == judge::Finding::confirmed)
    return polished.finding != judge::Finding::confirmed || judge::any_worse(polished, before);
  return polished.finding == judge::Finding::moved && before.finding != judge::Finding::moved;
}

/// Of the last test: its moves are longer than those of the first test, and fewer are enough. Over
/// rows it cannot go on.
std::uint64_t last_moves(const Context& context) {
  const std::uint64_t all = context.settings.certify_moves;
  return context.guide.rows() > 0 ? all : (3 * all + 4) / 5;
}

std::uint64_t moves_of_rounds(const Context& context) {
  std::size_t rounds = context.settings.settle_rounds;
  if (context.guide.rows() > 0)
    rounds = std::min(rounds, most_rounds_by_rows);
  return context.settings.first_round * ((std::uint64_t(1) << rounds) - 1);
}

} // namespace

/// Moves that rounds may still make.
std::uint64_t Settle::moves_left(const Context& context) const {
  const std::uint64_t all = moves_of_rounds(context);
  return all - std::min(all, spent_);
}

/// Moves of the next round; 0: there are too few left. Each has twice as many that count.
std::uint64_t Settle::next_round(const Context& context) const {
  const std::uint64_t first = context.settings.first_round, left = moves_left(context);
  const std::uint64_t count = first / discards_of_first << round_;
  const std::uint64_t wanted = round_ == 0 ? first : count + count / (discards_later - 1);
  return 2 * left < wanted ? 0 : std::min(left, wanted);
}

bool Settle::needed(const Context& context, const State& state) const {
  // A heavy tail may be that of the density, or a particle that the flight left far out: the moves
  // of one test cannot tell, and the draws of a round have the one and not the other.
  const bool right = state.certificate && state.certificate->finding == judge::Finding::confirmed &&
                     state.certificate->heavy.empty();
  const Settings& s = context.settings;
  const bool wants_more = state.cloud.count() < s.particles;
  return s.settle_rounds > 0 && s.certify_moves > 0 && (!right || s.settle_always || wants_more);
}

bool Settle::unit(const Context& context, State& state) {
  bool over = false;
  switch (part_) {
  case Part::begin:
    begin(context, state);
    break;
  case Part::move:
    if (!trial_.over())
      trial_.move(context, state);
    if (trial_.over() && state.settled)
      over = after_last_test(context, state);
    else if (trial_.over())
      after_round(context, state);
    break;
  case Part::polish:
    if (polish_.step(context, state)) {
      state.polished = true;
      part_ = Part::begin;
    }
    break;
  }
  ++done_;
  return over;
}

/// The next trial: of the settled cloud, or a round that goes on from where earlier moves led.
void Settle::begin(const Context& context, State& state) {
  TrialPlan plan{
      .most_leaps = furthest, .length = length, .acceptance = settle_acceptance, .adapts = true};
  if (state.settled) {
    plan.moves = last_moves(context);
  } else {
    plan.moves = next_round(context);
    plan.discards = 1.0 / double(round_ == 0 ? discards_of_first : discards_later);
    spent_ += plan.moves;
    went_on_ = false;
    plan.keeps = true;
    plan.of_cloud = state.walkers.count() == 0;
  }
  trial_ = Trial(context, state,
                 plan.of_cloud ? context.guide.walkers(state.cloud, context.settings.walkers)
                               : evenly(without_strays(state.walkers), travellers),
                 plan);
  part_ = Part::move;
}

/// Settled when the walkers began the round where it led them, and the pool is worth enough draws.
/// Else the round goes on where it only needs more of them, or another begins, while there are any.
void Settle::after_round(const Context& context, State& state) {
  const double draws = context.settings.enough_draws;
  const bool settled = trial_.settled(went_on_ ? nearly_enough * draws : draws);
  const std::uint64_t left = moves_left(context);
  if (!settled && left > 0 && trial_.mixes()) {
    const std::uint64_t as_many = 2 * context.settings.first_round << round_;
    const std::uint64_t more = std::min({trial_.moves_to(draws), as_many, left});
    trial_.go_on(more);
    spent_ += more;
    went_on_ = true;
    return;
  }
  ++round_;
  const bool last = settled || next_round(context) == 0;
  if (last) {
    polish_ = Polish(context, state, trial_, true);
    sifted_ = Unpolished(context, state.cloud);
    state.settled = true;
  }
  state.certificate = trial_.judge({});
  state.pool = trial_.pool();
  trial_.forget_kept();
  state.walkers = trial_.take_walkers();
  part_ = last && context.settings.polish_steps > 0 ? Part::polish : Part::begin;
}

/// A test that cannot tell goes on for a while: most of its errors are then small enough. A polish
/// is kept unless the cloud before it is better. Where neither is confirmed, the moves of the
/// rounds were too few or too short for this density, and another round goes on from where the
/// test's led, while there are any.
bool Settle::after_last_test(const Context& context, State& state) {
  const judge::Bounds bounds = context.guide.bounds(trial_.walkers());
  state.certificate = trial_.judge(bounds);
  if (state.certificate->finding == judge::Finding::undecided && context.guide.rows() == 0 &&
      trial_.moves() < last_test_times * context.settings.certify_moves) {
    trial_.go_on(last_moves(context));
    return false;
  }
  if (state.polished) {
    judge::Certificate before = trial_.judge_other(context, sifted_.x, sifted_.log_density, bounds);
    if (better_before(*state.certificate, before) ||
        (before.finding == judge::Finding::confirmed && sifted_.identities_hold &&
         !context.identities_hold(state.cloud))) {
      state.polished = false;
      state.cloud = sifted_.back(context);
      state.certificate = std::move(before);
    }
  }
  if (state.certificate->finding == judge::Finding::confirmed || next_round(context) == 0)
    return true;
  part_ = Part::begin;
  state.settled = state.polished = false;
  state.walkers = trial_.take_walkers();
  return false;
}

Progress Settle::progress(const Context& context) const {
  const Settings& s = context.settings;
  const std::uint64_t rounds = std::max<std::uint64_t>(spent_, s.first_round);
  const std::uint64_t polish = s.polish_steps * Polish::blocks(context);
  const std::uint64_t total = rounds + polish + last_moves(context);
  return {done_, std::max(total, done_ + 1)}; // a last test may go on
}

void Settle::check(const Context& context, const State& state) const {
  trial_.check(context, part_ == Part::move);
  polish_.check(context, part_ == Part::polish);
  must_fit(round_ < 40 && spent_ <= moves_of_rounds(context));
  must_fit(part_ != Part::begin || state.settled || next_round(context) > 0);
  sifted_.check(context, !state.polished);
  must_fit(state.pool.means.size() == context.width() || round_ == 0);
}

} // namespace starling::stages
