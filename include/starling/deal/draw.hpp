// Batches with replacement (Algorithm 2): each step draws one set of p particles and moves only it.
#pragma once

#include <starling/batches.hpp>
#include <starling/error.hpp>
#include <starling/particles.hpp>
#include <starling/random/philox.hpp>

#include <string>
#include <vector>

namespace starling {

/// Every set of p is equally likely. One step here is one draw, of pseudo-time p/N of a sweep:
/// N_T sweeps take `draws(N_T, N)` steps, and only p scores each.
class Draw {
public:
  Draw(std::uint64_t seed, std::size_t batch_size) : philox_(seed), batch_size_(batch_size) {
    if (batch_size < 2)
      reject("batch_size", "at least 2", std::to_string(batch_size));
  }

  /// N_T N/p, rounded up.
  Step draws(Step sweeps, std::size_t population) const {
    return (sweeps * population + batch_size_ - 1) / batch_size_;
  }

  template <Particles P>
  const Batches& operator()(Step k, const P& particles) {
    return deal(k, particles.count(), particles.population());
  }

  /// Of n rows that are here; `population` of them in all, 0: no others.
  const Batches& deal(Step k, std::size_t n, std::size_t population = 0) {
    if (n < batch_size_)
      reject("batch_size", "at most the number of particles, " + std::to_string(n),
             std::to_string(batch_size_));
    taken_.resize(n, false);
    batches_.population = population == 0 ? n : population;
    batches_.here = n;
    batches_.time =
        static_cast<double>(k) * static_cast<double>(batch_size_) / static_cast<double>(n);
    auto chosen = batches_.lay_out(batch_size_, 1);
    // Floyd: p draws for a uniform set of p out of n, whatever n is.
    for (std::size_t m = 0; m < batch_size_; ++m) {
      const auto last = static_cast<std::uint32_t>(n - batch_size_ + m);
      std::uint32_t pick = philox_.below(last + 1, Stream::draw, k, m);
      if (taken_[pick])
        pick = last;
      taken_[pick] = true;
      chosen[m] = pick;
    }
    for (const std::uint32_t i : chosen)
      taken_[i] = false;
    return batches_;
  }

private:
  Philox philox_;
  std::size_t batch_size_;
  Batches batches_;
  std::vector<bool> taken_;
};

} // namespace starling
