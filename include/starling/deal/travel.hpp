// Rows that travel: now and then into a new order, because a dealer moves neighbours together.
#pragma once

#include <starling/particles.hpp>
#include <starling/random/permute.hpp>
#include <starling/random/scramble.hpp>
#include <starling/threads.hpp>

#include <numeric>
#include <vector>

namespace starling {

/// Every so many steps, and never at the first: all rows into a new order, on all threads.
class Travel {
public:
  static constexpr Step usually = 64;

  Travel(std::uint64_t seed, Step every, Threads& threads)
      : philox_(seed), every_(every), threads_(&threads) {
    if (every == 0)
      reject("reshuffle", "at least 1 step", "0");
  }

  template <Particles P>
  void operator()(Step k, P& particles) {
    if (!due(k, particles))
      return;
    const Scramble order(static_cast<std::uint32_t>(rows_.size()), philox_, Stream::reshuffle, k);
    threads_->for_pieces(rows_.size(), 16384, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        rows_[i] = order(static_cast<std::uint32_t>(i));
    });
    reorder(particles);
  }

  /// The same in an order that a shuffle makes, each equally likely, drawn by one thread.
  template <Particles P>
  void shuffled(Step k, P& particles) {
    if (!due(k, particles))
      return;
    std::iota(rows_.begin(), rows_.end(), std::uint32_t{0});
    permute(rows_, philox_, Stream::reshuffle, k);
    reorder(particles);
  }

private:
  template <Particles P>
  bool due(Step k, P& particles) {
    particles.make_room_to_travel();
    rows_.resize(particles.count()); // in the first step, so that no later one allocates
    return k > 0 && k % every_ == 0 && particles.count() > 3;
  }

  template <Particles P>
  void reorder(P& particles) {
    if constexpr (requires { particles.reorder(rows_, *threads_); })
      particles.reorder(rows_, *threads_);
    else
      particles.reorder(rows_);
  }

  Philox philox_;
  Step every_;
  Threads* threads_;
  std::vector<std::uint32_t> rows_;
};

} // namespace starling
