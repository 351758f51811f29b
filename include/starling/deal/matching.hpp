// Batches of two without a shuffle: a random round of a round-robin tournament.
#pragma once

#include <starling/batches.hpp>
#include <starling/deal/order.hpp>
#include <starling/deal/travel.hpp>

#include <string>

namespace starling {

/// Round c, uniform, pairs row i with row c - i modulo N - 1, and the last row with the one left
/// over: a perfect matching in which any two meet with probability exactly 1/(N-1), so that Lemma 1
/// holds as for Shuffle. It costs one random number, and reads rows in two streams. When N is odd,
/// round c modulo N leaves one row alone, which joins a pair drawn at random.
///
/// Pairs i, j and i + 1, j - 1 always meet together, so every `reshuffle` steps the rows themselves
/// travel into a new random order: one that a shuffle makes, and of many rows, where that would
/// hold up all threads, one that every row computes for itself.
class Matching {
public:
  explicit Matching(std::uint64_t seed, Step reshuffle = Travel::usually,
                    Threads& threads = Threads::alone())
      : philox_(seed), threads_(&threads), travel_(seed, reshuffle, threads, many) {}

  /// From here on rows travel on all threads.
  static constexpr std::size_t many = 65536;

  const TravelRule& travel() const { return travel_.rule(); }

  template <Particles P>
  const Batches& operator()(Step k, P& particles) {
    travel_(k, particles);
    return deal(k, particles.count(), particles.population());
  }

  /// Of n rows that are here; `population` of them in all, 0: no others.
  const Batches& deal(Step k, std::size_t n, std::size_t population = 0) {
    order(k, n).write(batches_, *threads_);
    batches_.time = static_cast<double>(k);
    if (population != 0)
      batches_.population = population;
    return batches_;
  }

  /// The order of step k of n rows.
  Order order(Step k, std::size_t n) const {
    if (n < 2)
      reject("particles", "at least 2 for pairs", std::to_string(n));
    const std::uint32_t rounds = MatchingOrder::rounds(n);
    return MatchingOrder{static_cast<std::uint32_t>(n),
                         philox_.below(rounds, Stream::matching, k, 0),
                         n % 2 ? philox_.below(rounds / 2, Stream::matching, k, 1) : 0};
  }

private:
  Philox philox_;
  Threads* threads_;
  Travel travel_;
  Batches batches_;
};

} // namespace starling
