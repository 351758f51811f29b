// What starling_mpi.so, which alone is linked against an MPI, offers to the program that loads it.
#pragma once

#include "mpi/wire.hpp"

#include <string_view>

namespace starling::mpi {

struct Module {
  std::string_view version; ///< of starling
  std::string_view
      build; ///< STARLING_MPI_BUILD: what another build has otherwise, its Wire may not fit
  std::string (*library)(); ///< the MPI it is linked against, in words
  std::size_t (*ranks)();
  std::shared_ptr<Wire> (*open)();
};

/// The name under which it is found there.
constexpr const char* module_symbol = "starling_mpi_module_with_build";

} // namespace starling::mpi
