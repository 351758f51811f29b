// Random order by address, drawn in vector instructions.
#pragma once

#include <starling/random/permute.hpp>
#include <starling/threads.hpp>

namespace starling::cpu {

inline constexpr std::size_t permute_least = 64;  ///< elements from where on vectors pay
inline constexpr std::size_t permute_most = 4096; ///< up to here a place takes half a word

/// The order that starling::permute brings the elements into, to the last place, at any SIMD level.
/// Random bits and picks are made in vectors, 128 places at a time; only the swaps wait for each
/// other.
void permute(std::span<std::uint32_t> order, const Philox& philox, Stream stream, Step step);

inline constexpr std::size_t permute_together =
    65536; ///< elements from where on all threads draw the picks

/// The same order again. Of many elements the picks are drawn on all threads; the swaps then wait
/// for each other, as ever.
void permute(std::span<std::uint32_t> order, const Philox& philox, Stream stream, Step step,
             Threads& threads);

} // namespace starling::cpu
