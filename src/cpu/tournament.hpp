// Blocks of rows that all have to meet, shared out among threads so that no two ever write the same
// numbers.
#pragma once

#include <starling/threads.hpp>

#include <algorithm>
#include <utility>

namespace starling::cpu {

/// Rounds in which every block is in one match. Several threads play some rounds at the same time:
/// as many as make so many matches.
struct Tournament {
  std::size_t blocks, matches_at_once;

  std::size_t players() const { return blocks + blocks % 2; } // odd: one sits out
  std::size_t matches() const { return players() / 2; }       // of a round
  std::size_t rounds() const { return players() - 1; }
  std::size_t rounds_at_once(const Threads& threads) const {
    return threads.count() == 1 ? 1
                                : std::clamp<std::size_t>(
                                      (matches_at_once + matches() - 1) / matches(), 1, rounds());
  }

  /// Calls alone(b) for every block, which adds to its sums, and play(a, b, slot) for every two, a
  /// < b, which writes aside what is to be added to both, in the slot of their round; rest(a, slot)
  /// writes zeros. Then add(b, slots) adds what so many slots hold to the sums of block b, in their
  /// order. So sums are added in the order of the rounds, whoever plays them, and results do not
  /// depend on the number of threads.
  template <typename Alone, typename Rest, typename Play, typename Add>
  void run(Threads& threads, Alone&& alone, Rest&& rest, Play&& play, Add&& add) const {
    const std::size_t together = rounds_at_once(threads);
    for (std::size_t first = 0; first < rounds(); first += together) {
      const std::size_t slots = std::min(together, rounds() - first), met = slots * matches();
      threads.for_pieces(met + (first == 0 ? blocks : 0), 1, [&](std::size_t piece, std::size_t) {
        if (piece >= met)
          return alone(piece - met); // half as long as a match: last
        const std::size_t slot = piece / matches();
        const auto [a, b] = pair_of(first + slot, piece % matches());
        if (b < blocks)
          play(a, b, slot);
        else
          rest(a, slot);
      });
      threads.for_pieces(blocks, 1, [&](std::size_t b, std::size_t) { add(b, slots); });
    }
  }

private:
  std::pair<std::size_t, std::size_t> pair_of(std::size_t round, std::size_t match) const {
    const std::size_t cycle = rounds();
    const std::size_t one = match == 0 ? cycle : (round + match) % cycle;
    const std::size_t other = match == 0 ? round : (round + cycle - match) % cycle;
    return std::minmax(one, other);
  }
};

} // namespace starling::cpu
