// Settling: rounds of exact moves, a polish, and the last test.
#include <starling/run/journey.hpp>

#include <algorithm>
#include <cmath>

namespace starling::run {

namespace {

constexpr double settle_acceptance = 0.9, last_acceptance = 0.95;
constexpr double pools_apart_mean = 0.05, pools_apart_sd = 0.07; // at most, to have settled
constexpr double polish_fall = 0.1; // of the step size, from the polish's first step to its last

} // namespace

std::uint64_t Journey::round_moves() const { return settings_.first_round << round_; }

void Journey::settle_on() {
  ++done_;
  switch (part_) {
  case Part::tune:
    return begin_test(settled_ ? last_acceptance : settle_acceptance);
  case Part::move:
    if (settled_) {
      if (test_move(settings_.certify_moves))
        after_last_test();
    } else if (test_move(round_moves())) {
      after_round();
    }
    return;
  case Part::polish:
    if (!polish_step())
      return;
    keep_if_better();
    cloud_ = walkers_ = best_;
    polished_ = true;
    return go(Stage::settle);
  }
}

/// True after the last, when the cloud has arrived where it led.
bool Journey::polish_step() {
  const double share =
      double(in_part_) / double(std::max<std::size_t>(2, settings_.polish_steps) - 1);
  svgd_step(settings_.step_size * std::pow(polish_fall, share));
  if (settled_)
    keep_if_better();
  if (++in_part_ < settings_.polish_steps)
    return false;
  arrive(true);
  return true;
}

/// Quiet, and with pools that agree: settled. Else another round, twice as long, while there are
/// any.
void Journey::after_round() {
  const judge::Certificate round = test_->judge();
  const std::vector<double> means = test_->pooled_means(), sds = test_->pooled_sds();
  bool agree = true;
  for (std::size_t a = 0; a < means.size(); ++a) {
    if (!(sds[a] > 0) || !(pooled_sds_[a] > 0) || !test_->has_moments(a))
      continue;
    agree = agree && std::abs(means[a] - pooled_means_[a]) < pools_apart_mean * sds[a];
    agree = agree && std::abs(pooled_sds_[a] / sds[a] - 1) < pools_apart_sd;
  }
  certificate_ = round;
  certificate_->moves = round_moves();
  certificate_->acceptance = accepted_ / double(round_moves());
  pooled_means_ = means;
  pooled_sds_ = sds;
  ++round_;
  const bool quiet = round.finding != judge::Finding::moved && agree;
  if (!quiet && round_ < settings_.settle_rounds)
    return go(Stage::settle);
  settled_ = true;
  best_ = exact::Walkers{};
  sift();
  walkers_ = cloud_;
  go(Stage::settle, settings_.polish_steps > 0 ? Part::polish : Part::tune);
}

/// The polish is kept when the test confirms it. Otherwise the sifted cloud is tested as well: if
/// that is not confirmed either, the moves of the rounds were too short for this density, and
/// another round goes on from where the test's longer ones led, while there are any.
void Journey::after_last_test() {
  certificate_ = test_->judge(bounds());
  certificate_->moves = settings_.certify_moves;
  certificate_->acceptance = accepted_ / double(settings_.certify_moves);
  if (few_)
    certificate_->particles = walkers_.count();
  if (certificate_->finding == judge::Finding::confirmed)
    return finish();
  if (polished_) {
    polished_ = false;
    cloud_ = walkers_ = exact_;
    return go(Stage::settle);
  }
  if (round_ == settings_.settle_rounds)
    return finish();
  settled_ = false;
  go(Stage::settle);
}

} // namespace starling::run
