// The list of back ends: the host, and what each of the others says of itself.
#include <starling/back_ends.hpp>
#include <starling/cpu/level.hpp>

namespace starling {

std::vector<BackEnd> back_ends() {
  return {{"cpu", true, {cpu::level()}, ""}, cuda::back_end(), mpi::back_end()};
}

} // namespace starling
