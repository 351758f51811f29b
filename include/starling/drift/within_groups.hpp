// A drift within groups of particles, each of which is a cloud of its own.
#pragma once

#include <starling/batches.hpp>
#include <starling/ensemble.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace starling {

/// The particles of a group are neighbours. `ends` has one past the last row of each group, in
/// order. The batches of the step are not used: within a group all particles meet.
template <typename Real, typename Drift>
class WithinGroups {
public:
  WithinGroups(std::vector<std::size_t> ends, Drift drift)
      : ends_(std::move(ends)), drift_(std::move(drift)) {}

  void operator()(Step k, Ensemble<Real>& particles, const Batches& batches) {
    const std::size_t d = particles.dim();
    if (ends_.empty() || ends_.back() != particles.count() || ends_.front() == 0 ||
        std::ranges::adjacent_find(ends_, std::ranges::greater_equal{}) != ends_.end())
      throw std::invalid_argument("groups: must end one after another, at " +
                                  std::to_string(particles.count()));
    all_.time = batches.time;
    std::size_t first = 0;
    for (const std::size_t end : ends_) {
      auto group = Ensemble<Real>::bare(end - first, d,
                                        {.position = particles.position().data + first * d,
                                         .score = particles.score().data + first * d,
                                         .drift = particles.drift().data + first * d});
      drift_(k, group, all_of(group.count()));
      first = end;
    }
  }

private:
  const Batches& all_of(std::size_t count) {
    if (all_.here != count)
      all_.lay_out(count, 1);
    all_.population = all_.here = count;
    return all_;
  }

  std::vector<std::size_t> ends_;
  Drift drift_;
  Batches all_; // of a group, in one batch
};

} // namespace starling
