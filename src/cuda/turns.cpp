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
      forget_from(turn);
      if (is_bad()) // in a step before, which is told instead
        find_fault(true);
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
    outside_(k, particles_.position().address, particles_.score().address, particles_.count(),
             particles_.dim());
}

/// These turns are not taken.
template <typename Real>
void Cloud<Real>::forget_from(std::size_t turn) {
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
    put_turns();
    sweeps().flow(work(), 0, pending_.front());
  } catch (...) {
    drop();
    throw;
  }
  drop();
}

/// Whether the steps that are to be taken leave the columns of scores and drifts alone.
template <typename Real>
bool Cloud<Real>::spares_columns() const {
  return particles_.memories() < 2 && charge_.target.kind == Scoring<Real>::Kind::normal &&
         std::ranges::all_of(pending_, [&](const Turn<Real>& turn) {
           return is_fused(static_cast<std::uint32_t>(charge_.dim), charge_.pairs, turn.order);
         });
}

/// Whether rows of two columns side by side are worth the way there and back.
template <typename Real>
bool Cloud<Real>::wants_side_by_side() const {
  const auto dim = static_cast<std::uint32_t>(charge_.dim);
  if (dim <= 2 && particles_.count() <= layout::one_block)
    return false;
  return particles_.memories() == 1 && pending_.size() >= layout::side_by_side_turns &&
         spares_columns() && std::ranges::all_of(pending_, [&](const Turn<Real>& turn) {
           return turn.move.memories == 1 && cuda::wants_side_by_side(dim, turn.order);
         });
}

template <typename Real>
void Cloud<Real>::keep(bool in_columns) {
  const std::size_t columns = 1 + particles_.memories();
  kept_at_ = {particles_.score().address, particles_.drift().address};
  while (!in_columns && kept_.size() < columns)
    kept_.emplace_back(*machine_, particles_.count() * particles_.dim());
  for (std::size_t c = 0; !in_columns && c < columns; ++c)
    kept_at_[c] = kept_[c].data();
  for (std::size_t c = 0; c < columns; ++c)
    machine_->copy(kept_at_[c], outlives(c), particles_.count() * particles_.dim() * sizeof(Real));
}

template <typename Real>
void Cloud<Real>::take_back() {
  for (std::size_t c = 0; c < 1 + particles_.memories(); ++c)
    machine_->copy(outlives(c), kept_at_[c], particles_.count() * particles_.dim() * sizeof(Real));
}

template void Cloud<double>::keep(bool);
template void Cloud<float>::keep(bool);
template void Cloud<double>::take_back();
template void Cloud<float>::take_back();
template bool Cloud<double>::wants_side_by_side() const;
template bool Cloud<float>::wants_side_by_side() const;
template bool Cloud<double>::spares_columns() const;
template bool Cloud<float>::spares_columns() const;
template void Cloud<double>::take_turns();
template void Cloud<float>::take_turns();
template void Cloud<double>::flow_again();
template void Cloud<float>::flow_again();
template void Cloud<double>::score(Step);
template void Cloud<float>::score(Step);
template void Cloud<double>::forget_from(std::size_t);
template void Cloud<float>::forget_from(std::size_t);

} // namespace starling::cuda
