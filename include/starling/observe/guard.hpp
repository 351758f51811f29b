// Stops at the first particle that is no longer a number, and says which.
#pragma once

#include <starling/concepts.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace starling {

/// Throws Diverged with the step, the particle and the parameter. Costs one pass over those that moved.
class Guard {
public:
  explicit Guard(std::vector<std::string> names = {}) : names_(std::move(names)) {}

  template <typename Real>
  Signal operator()(Step k, const Ensemble<Real>& particles, const Batches& batches) const {
    const Rows<const Real> x = particles.position();
    Real sum = 0; // x * 0 is 0 for numbers, NaN for the rest: one branch for the whole cloud
    if (batches.whole())
      for (const Real value : x)
        sum += value * 0;
    else // only they have moved
      for (const std::uint32_t i : batches.order())
        for (const Real value : x[i])
          sum += value * 0;
    if (sum == 0)
      return Signal::go_on;
    const auto bad = static_cast<std::size_t>(
        std::find_if(x.begin(), x.end(), [](Real value) { return !std::isfinite(value); }) -
        x.begin());
    const std::size_t i = bad / x.dim, a = bad % x.dim;
    throw Diverged(k, static_cast<std::size_t>(particles.id()[i]),
                   a < names_.size() ? names_[a] : std::to_string(a));
  }

private:
  std::vector<std::string> names_;
};

} // namespace starling
