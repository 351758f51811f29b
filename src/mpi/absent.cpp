// In the place of the MPI back end where it is not built: says so to whoever asks.
#include "mpi/wire.hpp"

#include <starling/back_ends.hpp>
#include <starling/error.hpp>

namespace starling::mpi {

BackEnd back_end() { return {"mpi", false, {}, NotBuilt("mpi").what()}; }

std::size_t ranks() { throw NotBuilt("mpi"); }

std::shared_ptr<Wire> open() { throw NotBuilt("mpi"); }

} // namespace starling::mpi
