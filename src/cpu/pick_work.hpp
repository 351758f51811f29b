// What a random order needs in vectors: blocks of random bits, and a pick from each half word, as
// plain numbers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace starling::cpu {

inline constexpr std::size_t picks_together = 128; ///< those of sixteen blocks

/// Sixteen blocks of Philox from number `next` on, for places that have `bound`, bound - 1, ... to
/// pick from.
struct PickBlocks {
  std::uint32_t key[2];
  std::uint32_t stream;
  std::uint64_t step;
  std::uint32_t next;
  std::uint16_t bound;
};

struct Picks {
  alignas(64) std::uint16_t halves[picks_together]; ///< as they were drawn
  std::uint16_t picks[picks_together];              ///< half * bound / 2^16 of each
  std::uint64_t doubtful[picks_together / 64 +
                         1]; ///< a bit for each that may have to be rejected; the last is room
};

struct PickWork {
  /// Null where a level has no vectors.
  void (*draw)(const PickBlocks& from, Picks& to);
};

} // namespace starling::cpu
