// What starling_mpi.so, which alone is linked against an MPI, offers to the program that loads it.
#pragma once

#include "mpi/wire.hpp"

#include <string_view>

namespace starling::mpi {

struct Module {
  std::string_view version; ///< of starling: another one has another Wire
  std::string (*library)(); ///< the MPI it is linked against, in words
  std::size_t (*ranks)();
  std::shared_ptr<Wire> (*open)();
};

/// The name under which it is found there.
constexpr const char* module_symbol = "starling_mpi_module";

} // namespace starling::mpi
