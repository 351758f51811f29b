// Batches of two without a shuffle: a random round of a round-robin tournament.
#pragma once

#include <starling/batches.hpp>
#include <starling/deal/travel.hpp>
#include <starling/device.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
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
      : philox_(seed), threads_(&threads), travel_(seed, reshuffle, threads) {}

  /// From here on rows travel on all threads.
  static constexpr std::size_t many = 65536;

  template <Particles P>
  const Batches& operator()(Step k, P& particles) {
    particles.count() < many ? travel_.shuffled(k, particles) : travel_(k, particles);
    return deal(k, particles.count(), particles.population());
  }

  /// Of n rows that are here; `population` of them in all, 0: no others.
  const Batches& deal(Step k, std::size_t n, std::size_t population = 0) {
    if (n < 2)
      reject("particles", "at least 2 for pairs", std::to_string(n));
    batches_.time = static_cast<double>(k);
    const std::uint32_t c = philox_.below(rounds(n), Stream::matching, k, 0);
    round(n, c, n % 2 ? philox_.below(rounds(n) / 2, Stream::matching, k, 1) : 0);
    if (population != 0)
      batches_.population = population;
    return batches_;
  }

  /// How many rounds the tournament of n has.
  STARLING_DEVICE static std::uint32_t rounds(std::size_t n) {
    return static_cast<std::uint32_t>(n % 2 ? n : n - 1);
  }

  /// Whom row i meets in round c of n: the row j with i + j = c modulo rounds(n). The one for whom
  /// that is itself meets the last row when n is even, and stays alone, which i says, when n is
  /// odd.
  STARLING_DEVICE static std::uint32_t partner(std::uint32_t i, std::uint32_t c, std::size_t n) {
    const std::uint64_t cycle = rounds(n); // sums of two rows need more than 32 bits
    if (i == cycle)
      return left_over(c, n);
    const auto j = static_cast<std::uint32_t>((c + cycle - i) % cycle);
    return j == i && n % 2 == 0 ? static_cast<std::uint32_t>(cycle) : j;
  }
  /// The row i with 2 i = c modulo rounds(n).
  STARLING_DEVICE static std::uint32_t left_over(std::uint32_t c, std::size_t n) {
    const std::uint64_t sum = c % 2 == 0 ? std::uint64_t{c} : std::uint64_t{c} + rounds(n);
    return static_cast<std::uint32_t>(sum / 2);
  }

  /// Round c; when n is odd, the one left alone joins pair number `joined`.
  const Batches& round(std::size_t n, std::uint32_t c, std::uint32_t joined) {
    const bool odd = n % 2 == 1;
    const std::uint32_t cycle = rounds(n);
    batches_.population = batches_.here = n;
    std::uint32_t* const first = batches_.cut(n, n / 2).data();
    std::uint32_t* const pairs = odd ? first + 1 : first; // the first batch is the one of three
    const std::uint32_t both_runs = (cycle - 1) / 2;
    threads_->for_pieces(both_runs, 16384, [&](std::size_t begin, std::size_t end) {
      fill(n, c, begin, end, pairs + 2 * begin);
    });
    std::uint32_t* const next = pairs + 2 * std::size_t{both_runs};
    const std::uint32_t alone = left_over(c, n);
    if (odd) {
      std::swap_ranges(pairs, pairs + 2, pairs + 2 * joined);
      first[0] = alone;
    } else {
      next[0] = alone;
      next[1] = cycle; // the last row stands outside the cycle
    }
    return batches_;
  }

  /// Pairs [begin, end) of the (rounds(n) - 1) / 2 of round c whose rows are in the cycle, one
  /// after another.
  static void fill(std::size_t n, std::uint32_t c, std::size_t begin, std::size_t end,
                   std::uint32_t* pairs) {
    // i + j = c, then i + j = c + cycle: both runs read towards their middle.
    const std::uint32_t cycle = rounds(n), short_run = (c + 1) / 2;
    const auto from = static_cast<std::uint32_t>(begin), to = static_cast<std::uint32_t>(end);
    const std::uint32_t turn = std::clamp(short_run, from, to);
    run(pairs, from, c - from, turn - from);
    run(pairs + 2 * std::size_t{turn - from}, c + 1 + (turn - short_run),
        cycle - 1 - (turn - short_run), to - turn);
  }

private:
  /// Pairs i, j, then i + 1, j - 1, ...: a pair in one word, which the compiler makes vectors of.
  static void run(std::uint32_t* pairs, std::uint32_t i, std::uint32_t j, std::uint32_t count) {
    constexpr bool low_first = std::endian::native == std::endian::little;
    for (std::uint32_t m = 0; m < count; ++m) {
      const std::uint64_t low = low_first ? i + m : j - m, high = low_first ? j - m : i + m,
                          pair = high << 32 | low;
      std::memcpy(pairs + 2 * std::size_t{m}, &pair, sizeof pair);
    }
  }

  Philox philox_;
  Threads* threads_;
  Travel travel_;
  Batches batches_;
};

} // namespace starling
