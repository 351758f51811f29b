// The order of a round of a round-robin tournament: pairs, and where their rows stand.
#pragma once

#include <starling/device.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace starling {

/// Round c of n rows pairs row i with row c - i modulo rounds(n). Two runs of pairs are read
/// towards each other, and the last pair is the last row with the one left over. When n is odd the
/// one left over stands first, with pair number `joined`, which changed places with the first pair.
struct MatchingOrder {
  std::uint32_t count = 2, c = 0, joined = 0;

  /// How many rounds the tournament of n has.
  STARLING_DEVICE static std::uint32_t rounds(std::size_t n) {
    return static_cast<std::uint32_t>(n % 2 ? n : n - 1);
  }
  /// The row i with 2 i = c modulo rounds(n).
  STARLING_DEVICE static std::uint32_t left_over(std::uint32_t c, std::size_t n) {
    const std::uint64_t sum = c % 2 == 0 ? std::uint64_t{c} : std::uint64_t{c} + rounds(n);
    return static_cast<std::uint32_t>(sum / 2);
  }

  STARLING_DEVICE std::uint32_t row(std::uint32_t place) const {
    const std::uint32_t odd = count % 2;
    if (odd && place == 0)
      return left_over(c, count);
    const std::uint32_t at = (place - odd) / 2;
    return member(odd ? swapped(at) : at, (place - odd) % 2 != 0);
  }

  STARLING_DEVICE std::uint32_t place(std::uint32_t row) const {
    const std::uint32_t cycle = rounds(count), odd = count % 2;
    if (row == left_over(c, count))
      return odd ? 0 : count - 2;
    if (row == cycle)
      return count - 1;
    const bool first_run = row <= c;
    const std::uint32_t low = first_run ? row : row - c - 1, // of the two, who reads upwards
        high = first_run ? c - row : cycle - 1 - row;
    const std::uint32_t pair = (low < high ? low : high) + (first_run ? 0 : c / 2 + c % 2);
    return odd + 2 * (odd ? swapped(pair) : pair) + (low > high ? 1 : 0);
  }

  /// Batches [begin, end), one after another.
  void fill(std::size_t begin, std::size_t end, std::uint32_t* to) const {
    const bool odd = count % 2 == 1;
    if (odd && begin == 0 && end > 0) { // the one of three
      const std::uint32_t three[] = {row(0), row(1), row(2)};
      to = std::copy(three, three + 3, to);
      begin = 1;
    }
    const std::size_t in_runs = std::min<std::size_t>(end, (rounds(count) - 1) / 2);
    fill_runs(begin, std::max(begin, in_runs), to);
    if (odd && joined >= begin && joined < end && joined != 0) {
      to[2 * (joined - begin)] = member(0, false);
      to[2 * (joined - begin) + 1] = member(0, true);
    }
    if (!odd && end == count / 2 && begin < end) {
      to[2 * (end - begin) - 2] = left_over(c, count);
      to[2 * (end - begin) - 1] = rounds(count); // the last row stands outside the cycle
    }
  }

private:
  STARLING_DEVICE std::uint32_t swapped(std::uint32_t pair) const {
    return pair == 0 ? joined : pair == joined ? 0 : pair;
  }
  STARLING_DEVICE std::uint32_t member(std::uint32_t pair, bool second) const {
    const std::uint32_t cycle = rounds(count), first_run = c / 2 + c % 2,
                        second_run = (cycle - 1 - c) / 2;
    if (pair < first_run)
      return second ? c - pair : pair;
    pair -= first_run;
    if (pair < second_run)
      return second ? cycle - 1 - pair : c + 1 + pair;
    return second ? cycle : left_over(c, count);
  }

  /// Pairs [begin, end) of both runs.
  void fill_runs(std::size_t begin, std::size_t end, std::uint32_t* pairs) const {
    // i + j = c, then i + j = c + cycle: both runs read towards their middle.
    const std::uint32_t cycle = rounds(count), short_run = c / 2 + c % 2;
    const auto from = static_cast<std::uint32_t>(begin), to = static_cast<std::uint32_t>(end);
    const std::uint32_t turn = std::clamp(short_run, from, to);
    run(pairs, from, c - from, turn - from);
    run(pairs + 2 * std::size_t{turn - from}, c + 1 + (turn - short_run),
        cycle - 1 - (turn - short_run), to - turn);
  }
  /// Pairs i, j, then i + 1, j - 1, ...: a pair in one word, which the compiler makes vectors of.
  static void run(std::uint32_t* pairs, std::uint32_t i, std::uint32_t j, std::uint32_t count) {
    constexpr bool low_first = std::endian::native == std::endian::little;
    for (std::uint32_t m = 0; m < count; ++m) {
      const std::uint64_t low = low_first ? i + m : j - m, high = low_first ? j - m : i + m,
                          pair = high << 32 | low;
      std::memcpy(pairs + 2 * std::size_t{m}, &pair, sizeof pair);
    }
  }
};

} // namespace starling
