// Whether there is room for memory in common.
#pragma once

#include <cstddef>

namespace starling::mpi {

/// Containers often have 64 MB of it in all, and an MPI that finds too little may wait for ever:
/// some is left for its own.
constexpr std::size_t room_for_others = std::size_t{32} << 20;
constexpr bool leaves_room(std::size_t wanted, std::size_t free) {
  return free > room_for_others && wanted < free - room_for_others;
}

} // namespace starling::mpi
