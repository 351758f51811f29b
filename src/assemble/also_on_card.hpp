// How a card scores a target, carried with the host's score from who makes the target to who sends
// it to a card.
#pragma once

#include "cuda/outside.hpp"

#include <starling/run/roles.hpp>

#include <memory>
#include <utility>

namespace starling::assemble {

/// From now on it can be scored on a card too; nothing happens where `there` is empty.
template <typename Real>
void also_on_card(run::AnyTarget<Real>& target, std::shared_ptr<const cuda::Outside<Real>> there) {
  if (there)
    target.score = cuda::ScoreOnBoth<Real>{std::move(target.score), std::move(there)};
}

/// Empty where a card cannot score it so.
template <typename Real>
std::shared_ptr<const cuda::Outside<Real>> on_card(const run::AnyTarget<Real>& target) {
  const auto* both = target.score.template target<cuda::ScoreOnBoth<Real>>();
  return both ? both->on_card : nullptr;
}

} // namespace starling::assemble
