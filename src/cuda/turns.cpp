// Turns taken one after another, around scores that others may make and fail to make.
#include "cuda/cloud.hpp"

#include "cuda/sizes.hpp"

#include <algorithm>

namespace starling::cuda {

template <typename Real>
void Cloud<Real>::take_turns() {
  const Work<Real> now = work();
  const auto last = static_cast<std::uint32_t>(pending_.size());
  if (sweeps().many_steps(now, 0, last, pending_.front()))
    return;
  for (std::uint32_t turn = 0; turn < last; ++turn) {
    try {
      score(pending_[turn].step);
    } catch (...) {
      drop_turns_from(turn);
      if (lost_a_number()) // in a step before: that is reported instead
        locate_failure(true);
      pending_.clear();
      pending_lists_.clear();
      throw;
    }
    sweeps().step(now, turn, pending_[turn]);
  }
}

/// Where others score.
template <typename Real>
void Cloud<Real>::score(Step k) {
  if (outside_)
    outside_(k, particles_.position().address, particles_.score().address, nullptr,
             particles_.count(), particles_.dim());
}

/// These turns are not taken.
template <typename Real>
void Cloud<Real>::drop_turns_from(std::size_t turn) {
  next_ = pending_[turn].step;
  particles_.moved -= static_cast<std::uint32_t>(pending_.size() - turn);
  pending_.resize(turn);
}

template <typename Real>
void Cloud<Real>::flow_again() {
  flush();
  score(next_);
  draw(next_);
  const auto drop = [&] {
    pending_.clear();
    pending_lists_.clear();
  };
  try {
    upload_turns();
    sweeps().flow(work(), 0, pending_.front());
  } catch (...) {
    drop();
    throw;
  }
  drop();
}

template <typename Real>
void Cloud<Real>::make_room_for_products() {
  std::uint32_t shares = 0;
  const auto dim = static_cast<std::uint32_t>(spec_.dim);
  for (const Turn<Real>& turn : pending_)
    shares = std::max(shares, product_shares(dim, spec_.pairs, turn.order));
  if (shares == 0)
    return;
  const std::size_t places = spec_.particles + layout::product_places,
                    numbers = spec_.particles * spec_.dim;
  Products to;
  to.width = product_width(dim);
  if (!norms_.size()) {
    shorts_ = DeviceBuffer<std::uint32_t>(*machine_, 2 * places * to.words());
    longs_ = DeviceBuffer<float>(*machine_, places * to.width);
    norms_ = DeviceBuffer<float>(*machine_, places + layout::product_dim + 1);
  }
  if (parts_.size() < shares * numbers)
    parts_ = DeviceBuffer<float>(*machine_, shares * numbers);
}

/// Whether the steps that are to be taken leave the columns of scores and drifts alone.
template <typename Real>
bool Cloud<Real>::leaves_scores_and_drifts() const {
  return particles_.memories() < 2 && spec_.target.kind == Scoring<Real>::Kind::normal &&
         std::ranges::all_of(pending_, [&](const Turn<Real>& turn) {
           return is_fused(static_cast<std::uint32_t>(spec_.dim), spec_.pairs, turn.order);
         });
}

/// Whether rows of two columns side by side are worth the way there and back.
template <typename Real>
bool Cloud<Real>::wants_side_by_side() const {
  const auto dim = static_cast<std::uint32_t>(spec_.dim);
  if (dim <= 2 && particles_.count() <= layout::one_block)
    return false;
  return particles_.memories() == 1 && pending_.size() >= layout::side_by_side_turns &&
         leaves_scores_and_drifts() && std::ranges::all_of(pending_, [&](const Turn<Real>& turn) {
           return turn.move.memories == 1 && cuda::wants_side_by_side(dim, turn.order);
         });
}

template <typename Real>
void Cloud<Real>::keep_columns(bool in_columns) {
  const std::size_t columns = 1 + particles_.memories();
  kept_at_ = {particles_.score().address, particles_.drift().address};
  while (!in_columns && kept_.size() < columns)
    kept_.emplace_back(*machine_, particles_.count() * particles_.dim());
  for (std::size_t c = 0; !in_columns && c < columns; ++c)
    kept_at_[c] = kept_[c].data();
  for (std::size_t c = 0; c < columns; ++c)
    machine_->copy(kept_at_[c], lasting_column(c),
                   particles_.count() * particles_.dim() * sizeof(Real));
}

template <typename Real>
void Cloud<Real>::restore_kept() {
  for (std::size_t c = 0; c < 1 + particles_.memories(); ++c)
    machine_->copy(lasting_column(c), kept_at_[c],
                   particles_.count() * particles_.dim() * sizeof(Real));
}

template void Cloud<double>::keep_columns(bool);
template void Cloud<float>::keep_columns(bool);
template void Cloud<double>::restore_kept();
template void Cloud<float>::restore_kept();
template bool Cloud<double>::wants_side_by_side() const;
template bool Cloud<float>::wants_side_by_side() const;
template bool Cloud<double>::leaves_scores_and_drifts() const;
template bool Cloud<float>::leaves_scores_and_drifts() const;
template void Cloud<double>::make_room_for_products();
template void Cloud<float>::make_room_for_products();
template void Cloud<double>::take_turns();
template void Cloud<float>::take_turns();
template void Cloud<double>::flow_again();
template void Cloud<float>::flow_again();
template void Cloud<double>::score(Step);
template void Cloud<float>::score(Step);
template void Cloud<double>::drop_turns_from(std::size_t);
template void Cloud<float>::drop_turns_from(std::size_t);

} // namespace starling::cuda
