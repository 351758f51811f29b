// Blocks of rows that all have to meet, shared out among threads so that no two ever write the same
// rows.
#pragma once

#include <starling/threads.hpp>

#include <utility>

namespace starling::cpu {

/// Calls alone(b) for every block, then match(a, b, part) for every two, a < b, and each of so many parts: in rounds in
/// which every block is in one match only. So each block's sums are added in the order of the rounds, whoever
/// plays them, and results do not depend on the number of threads. How the parts of a match come together is its own
/// affair: they are played at the same time.
template <typename Alone, typename Match>
void tournament_in_parts(Threads& threads, std::size_t blocks, std::size_t parts, Alone&& alone, Match&& match) {
  threads.for_pieces(blocks, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b)
      alone(b);
  });
  const std::size_t players = blocks + blocks % 2, cycle = players - 1; // odd: one sits out
  for (std::size_t round = 0; players > 1 && round < cycle; ++round)
    threads.for_pieces(players / 2 * parts, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t piece = begin; piece < end; ++piece) {
        const std::size_t m = piece / parts;
        std::size_t a = m == 0 ? cycle : (round + m) % cycle;
        std::size_t b = m == 0 ? round : (round + cycle - m) % cycle;
        if (a > b)
          std::swap(a, b);
        if (b < blocks)
          match(a, b, piece % parts);
      }
    });
}

/// The same of matches that are played in one.
template <typename Alone, typename Match>
void tournament(Threads& threads, std::size_t blocks, Alone&& alone, Match&& match) {
  tournament_in_parts(threads, blocks, 1, alone, [&](std::size_t a, std::size_t b, std::size_t) { match(a, b); });
}

} // namespace starling::cpu
