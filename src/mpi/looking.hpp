// What a look needs of rows that are spread: those it reads to the first rank, its figures from
// there to everyone.
#pragma once

#include "mpi/spread.hpp"

#include <starling/judge/trace.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace starling::mpi {

/// A look's figures, of rank 0, to everyone.
inline void broadcast_row(Wire& wire, judge::TraceRow& row) {
  judge::for_each_column(row, [&](const char*, auto& value) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>)
      broadcast(wire, value);
    else
      wire.broadcast(std::as_writable_bytes(std::span(&value, 1)));
  });
}

/// The rows of these places, which the first rank knows, to the same places there; of no places,
/// those of everyone.
template <typename Real>
void bring_what_is_looked_at(Wire& wire, const Blocks& blocks, std::vector<std::uint32_t> places,
                             const Ensemble<Real>& here, Ensemble<Real>& all) {
  broadcast(wire, places);
  for (const auto& [from, to] :
       {std::pair(here.position(), all.position()), std::pair(here.score(), all.score()),
        std::pair(here.drift(), all.drift())})
    if (places.empty())
      bring<Real>(wire, blocks, flat(from), flat(to), here.dim(), To::first);
    else
      bring_to_first<Real>(wire, blocks, places, from, to);
}

} // namespace starling::mpi
