// Scores that come from outside, for tests on the host and on a card.
#pragma once

#include "cuda/cloud.hpp"

#include <memory>
#include <vector>

namespace starling {

/// The scores of a spec's target, made by someone else on the host.
template <typename Real>
std::shared_ptr<const cuda::Outside<Real>> from_outside(const cuda::RunSpec<Real>& asked) {
  auto outside = std::make_shared<cuda::Outside<Real>>();
  outside->on = [target = asked.target,
                 mean = asked.numbers](const std::shared_ptr<cuda::Machine>& machine) {
    return [=](Step, const Real* x, Real* s, Real*, std::size_t count, std::size_t dim) {
      std::vector<Real> here(count * dim), scores(count * dim), room(dim);
      machine->download(here.data(), x, here.size() * sizeof(Real));
      cuda::Scoring<Real> score = target;
      score.mean = mean.data();
      for (std::size_t i = 0; i < count; ++i)
        score(here.data() + i * dim, scores.data() + i * dim, dim, room.data());
      machine->upload(s, scores.data(), scores.size() * sizeof(Real));
    };
  };
  return outside;
}

} // namespace starling
