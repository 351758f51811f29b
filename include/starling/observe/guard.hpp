// Stops at the first particle that is no longer a number, and says which.
#pragma once

#include <starling/concepts.hpp>
#include <starling/finite.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace starling {

/// Throws Diverged with the step, the particle and the parameter. Costs one pass over those that
/// moved, or, for those who let it trust the steps, nothing where the step has seen to it
/// (Ensemble::known_finite): where nobody writes positions between the step and the guard, not even
/// by rows asked for before.
class Guard {
public:
  explicit Guard(std::vector<std::string> names = {}, Threads& threads = Threads::alone(),
                 bool trusts_steps = false)
      : names_(std::move(names)), threads_(&threads), trusts_steps_(trusts_steps) {}

  template <HostParticles P>
  Signal operator()(Step k, const P& particles, const Batches& batches) const {
    using Real = typename P::Real;
    if constexpr (requires { particles.known_finite(); })
      if (trusts_steps_ && particles.known_finite())
        return Signal::go_on;
    const auto x = particles.position();
    if constexpr (PlainColumn<decltype(x), Real>)
      if (batches.whole() && all_finite(std::span<const Real>(x.data, x.count * x.dim), *threads_))
        return Signal::go_on;
    Real sum = 0; // x * 0 is 0 for numbers, NaN for the rest
    const auto add = [&](std::size_t i) {
      for (std::size_t a = 0; a < x.dim; ++a)
        sum += x[i][a] * 0;
    };
    if (!batches.whole()) // only they have moved
      std::ranges::for_each(batches.order(), add);
    else
      for (std::size_t i = 0; i < x.count; ++i)
        add(i);
    if (sum == 0)
      return Signal::go_on;
    for (std::size_t i = 0; i < x.count; ++i)
      for (std::size_t a = 0; a < x.dim; ++a)
        if (!std::isfinite(x[i][a]))
          throw Diverged(k, static_cast<std::size_t>(particles.id()[i]),
                         a < names_.size() ? names_[a] : std::to_string(a));
    return Signal::go_on;
  }

private:
  std::vector<std::string> names_;
  Threads* threads_;
  bool trusts_steps_;
};

} // namespace starling
