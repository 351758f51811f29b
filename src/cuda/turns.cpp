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
        find_fault();
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
