// Rows that travel: now and then into a new order, because a dealer moves neighbours together.
#pragma once

#include <starling/particles.hpp>
#include <starling/random/permute.hpp>
#include <starling/random/scramble.hpp>
#include <starling/threads.hpp>

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace starling {

/// When rows travel, and from where: every so many steps, and never at the first. Each row computes
/// for itself where it comes from; of fewer than `shuffled_below` the order is that of a shuffle.
struct TravelRule {
  Philox philox{0};
  Step every = 0; ///< 0: never
  std::size_t shuffled_below = 0;

  bool due(Step k, std::size_t rows) const {
    return every > 0 && k > 0 && k % every == 0 && rows > 3;
  }
  bool is_shuffle(std::size_t rows) const { return rows < shuffled_below; }

  Scramble scramble(Step k, std::size_t rows) const {
    return {static_cast<std::uint32_t>(rows), philox, Stream::reshuffle, k};
  }
  /// Where every row comes from, in an order that a shuffle makes: each is equally likely.
  void shuffle(Step k, std::span<std::uint32_t> from) const {
    std::iota(from.begin(), from.end(), std::uint32_t{0});
    permute(from, philox, Stream::reshuffle, k);
  }
  /// Where the rows of places [first, last) come from.
  std::vector<std::uint32_t> sources(Step k, std::size_t rows, std::size_t first,
                                     std::size_t last) const {
    if (is_shuffle(rows)) {
      std::vector<std::uint32_t> all(rows);
      shuffle(k, all);
      return {all.begin() + std::ptrdiff_t(first), all.begin() + std::ptrdiff_t(last)};
    }
    std::vector<std::uint32_t> from(last - first);
    const Scramble order = scramble(k, rows);
    for (std::size_t i = first; i < last; ++i)
      from[i - first] = order(static_cast<std::uint32_t>(i));
    return from;
  }
};

/// Lets the rows of an ensemble travel by a rule, on all threads.
class Travel {
public:
  static constexpr Step usually = 64;

  Travel(std::uint64_t seed, Step every, Threads& threads, std::size_t shuffled_below = 0)
      : rule_{Philox(seed), every, shuffled_below}, threads_(&threads) {
    if (every == 0)
      reject("reshuffle", "at least 1 step", "0");
  }

  const TravelRule& rule() const { return rule_; }

  template <Particles P>
  void operator()(Step k, P& particles) {
    particles.make_room_to_travel();
    rows_.resize(particles.count()); // in the first step, so that no later one allocates
    if (!rule_.due(k, rows_.size()))
      return;
    if (rule_.is_shuffle(rows_.size())) {
      rule_.shuffle(k, rows_);
    } else {
      const Scramble order = rule_.scramble(k, rows_.size());
      threads_->for_pieces(rows_.size(), 16384, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          rows_[i] = order(static_cast<std::uint32_t>(i));
      });
    }
    if constexpr (requires { particles.reorder(rows_, *threads_); })
      particles.reorder(rows_, *threads_);
    else
      particles.reorder(rows_);
  }

private:
  TravelRule rule_;
  Threads* threads_;
  std::vector<std::uint32_t> rows_;
};

} // namespace starling
