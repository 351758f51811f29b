// Batches of two without a shuffle: a random round of a round-robin tournament.
#pragma once

#include <starling/batches.hpp>
#include <starling/random/permute.hpp>

#include <algorithm>
#include <vector>

namespace starling {

/// Round c, uniform, pairs row i with row c - i modulo N - 1, and the last row with the one left over:
/// a perfect matching in which any two meet with probability exactly 1/(N-1), so that Lemma 1 holds
/// as for Shuffle. It costs one random number, and reads rows in two streams. When N is odd, round c
/// modulo N leaves one row alone, which joins a pair drawn at random.
///
/// Pairs i, j and i + 1, j - 1 always meet together, so every `reshuffle` steps the rows themselves
/// travel into a new random order.
class Matching {
public:
  explicit Matching(std::uint64_t seed, Step reshuffle = 64) : philox_(seed), reshuffle_(reshuffle) {
    if (reshuffle == 0)
      reject("reshuffle", "at least 1 step", "0");
  }

  template <typename Particles>
  const Batches& operator()(Step k, Particles& particles) {
    if (k > 0 && k % reshuffle_ == 0 && particles.count() > 3) {
      rows_.resize(particles.count());
      std::iota(rows_.begin(), rows_.end(), std::uint32_t{0});
      permute(rows_, philox_, Stream::reshuffle, k);
      particles.reorder(rows_);
    }
    return deal(k, particles.count());
  }

  const Batches& deal(Step k, std::size_t n) {
    if (n < 2)
      reject("particles", "at least 2 for pairs", std::to_string(n));
    const bool odd = n % 2 == 1;
    const auto cycle = static_cast<std::uint32_t>(odd ? n : n - 1);
    batches_.population = n;
    batches_.time = static_cast<double>(k);
    std::uint32_t* next = batches_.lay_out(n, n / 2).data();
    const std::uint32_t c = philox_.below(cycle, Stream::matching, k, 0);
    // i and c - i, for the i up to c, then for those above: both runs read towards their middle.
    const std::uint32_t single = c % 2 == 0 ? c / 2 : (c + cycle) / 2; // 2 i = c modulo cycle
    std::uint32_t* const pairs = odd ? next + 1 : next;
    next = pairs;
    for (std::uint32_t i = 0, j = c; i < j; ++i, --j, next += 2) {
      next[0] = i;
      next[1] = j;
    }
    for (std::uint32_t i = c + 1, j = cycle - 1; i < j; ++i, --j, next += 2) {
      next[0] = i;
      next[1] = j;
    }
    if (!odd) {
      next[0] = single;
      next[1] = cycle; // the last row stands outside the cycle
    } else {           // the first batch is the one of three
      std::uint32_t* const joined =
          pairs + 2 * philox_.below(cycle / 2, Stream::matching, k, 1);
      std::swap_ranges(pairs, pairs + 2, joined);
      pairs[-1] = single;
    }
    return batches_;
  }

private:
  Philox philox_;
  Step reshuffle_;
  Batches batches_;
  std::vector<std::uint32_t> rows_;
};

} // namespace starling
