// The certificate of a flight: exact moves of a copy, what they say, and the polish of a cloud that
// was right.
#include <starling/run/journey.hpp>

#include <starling/scout/few_rows.hpp>

#include <utility>

namespace starling::run {

namespace {

// Exact moves of the first certificate are short and cheap. Those that settle, and the test after
// them, are for densities that bend: in a banana moves of at most 7 leaps accepted at .7 stay in
// one arm, and confirm it.
constexpr exact::Stride cheap{};
constexpr exact::Stride far{.most_leaps = 15}, furthest{.most_leaps = 31};
constexpr double certify_acceptance = 0.9;

} // namespace

exact::Stride Journey::stride() const {
  exact::Stride stride = stage_ != Stage::settle ? cheap : settled_ || round_ > 0 ? furthest : far;
  if (stride_ > 0)
    stride.step = stride_;
  return stride;
}

/// Exact moves of the walkers from where they are, in the walkers' own metric, tuned.
void Journey::begin_test(double acceptance) {
  const bool goes_on = stage_ == Stage::settle && !settled_; // from where earlier moves led
  if (few_ && !goes_on)
    choose_walkers();
  reframe(few_ && !goes_on ? cloud_.position() : walkers_.position());
  stride_ =
      exact::tune(walkers_, frame_, stride(), acceptance, leaps(), settings_.seed, tunings_++);
  if (few_ && (!goes_on || report_->by_guide))
    choose_who_decides();
  before_ = columns(few_ && !goes_on ? cloud_.x : walkers_.x);
  began_ = few_ ? columns(walkers_.x) : Frame::Matrix();
  test_.emplace(rows_of(std::as_const(before_)), rows_of(std::as_const(few_ ? began_ : before_)),
                dim_);
  accepted_ = 0;
  kept_.clear();
  part_ = Part::move;
  in_part_ = 0;
}

/// One of so many; the second half counts. True after the last.
bool Journey::test_move(std::uint64_t moves) {
  accepted_ +=
      exact::move(walkers_, frame_, stride(), leaps(), settings_.seed, moves_++, ends(), *threads_);
  if (++in_part_ > moves / 2) {
    const Frame::Matrix now = columns(walkers_.x);
    test_->add(rows_of(now));
    const bool sifts = stage_ == Stage::settle ? !settled_ : polishes_flights();
    if (sifts)
      keep_for_sifting(moves);
  }
  return in_part_ == moves;
}

void Journey::certify_on() {
  ++done_;
  if (part_ == Part::polish) {
    if (polish_step())
      after_flight_polish();
    return;
  }
  if (part_ == Part::tune) {
    walkers_ = cloud_;
    return begin_test(certify_acceptance);
  }
  if (test_move(settings_.certify_moves))
    after_flight_test();
}

void Journey::after_flight_test() {
  first_ = certificate_ = test_->judge(bounds());
  certificate_->moves = first_->moves = settings_.certify_moves;
  certificate_->acceptance = first_->acceptance = accepted_ / double(settings_.certify_moves);
  if (few_)
    certificate_->particles = first_->particles = walkers_.count();
  pooled_means_ = test_->pooled_means();
  pooled_sds_ = test_->pooled_sds();
  const bool right = certificate_->finding == judge::Finding::confirmed;
  if (right && !settings_.settle_always && polishes_flights() && scouted_.modes == 1) {
    exact::Walkers flown = cloud_;
    sift();
    walkers_ = std::move(flown); // in case the polish spoils it
    return go(Stage::certify, Part::polish);
  }
  if ((right && !settings_.settle_always) || settings_.settle_rounds == 0)
    return finish();
  kept_.clear();
  go(Stage::settle); // the walkers go on from where the test brought them
}

/// A polished cloud is judged by the moves that there were: they say where the truth is, for any
/// cloud.
void Journey::after_flight_polish() {
  const Frame::Matrix all = columns(cloud_.x);
  judge::Certificate polished = test_->judge_other(rows_of(all));
  if (polished.finding == judge::Finding::confirmed) {
    polished.moves = certificate_->moves;
    polished.acceptance = certificate_->acceptance;
    certificate_ = std::move(polished);
    polished_ = true;
  } else {
    cloud_ = walkers_;
  }
  finish();
}

} // namespace starling::run
