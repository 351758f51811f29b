// What this build can run on. A back end that was not built links all the same, and says so.
#pragma once

#include <string>
#include <vector>

namespace starling {

/// One way to run the roles.
struct BackEnd {
  std::string name;
  bool built = false;
  std::vector<std::string> devices; ///< what it finds on this machine, in words
  std::string why_not;              ///< why nothing can run on it; empty when something can

  bool present() const { return built && !devices.empty(); }
};

/// The host first, then all others, built or not.
std::vector<BackEnd> back_ends();

namespace cuda {
BackEnd back_end();
/// The graphics processors of this machine. Throws NotBuilt when this build has no CUDA.
std::vector<std::string> devices();
} // namespace cuda

namespace mpi {
BackEnd back_end();
/// How many processes share the particles. Throws NotBuilt when this build has no MPI.
std::size_t ranks();
} // namespace mpi

} // namespace starling
