// Blocks of rows that all have to meet, shared out among threads so that no two ever write the same
// rows.
#pragma once

#include <starling/threads.hpp>

#include <utility>

namespace starling::cpu {

/// Calls alone(b) for every block, then match(a, b) for every two, a < b: in rounds in which every
/// block is in one match only. So each block's sums are added in the order of the rounds, whoever
/// plays them, and results do not depend on the number of threads.
template <typename Alone, typename Match>
void tournament(Threads& threads, std::size_t blocks, Alone&& alone, Match&& match) {
  threads.for_pieces(blocks, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b)
      alone(b);
  });
  const std::size_t players = blocks + blocks % 2, cycle = players - 1; // odd: one sits out
  for (std::size_t round = 0; players > 1 && round < cycle; ++round)
    threads.for_pieces(players / 2, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t m = begin; m < end; ++m) {
        std::size_t a = m == 0 ? cycle : (round + m) % cycle;
        std::size_t b = m == 0 ? round : (round + cycle - m) % cycle;
        if (a > b)
          std::swap(a, b);
        if (b < blocks)
          match(a, b);
      }
    });
}

} // namespace starling::cpu
