// In the place of the CUDA back end where it is not built: says so to whoever asks.
#include "cuda/machine.hpp"

#include <starling/back_ends.hpp>
#include <starling/error.hpp>

namespace starling::cuda {

BackEnd back_end() { return {"cuda", false, {}, NotBuilt("cuda").what()}; }

std::vector<std::string> devices() { throw NotBuilt("cuda"); }

std::unique_ptr<Machine> open(std::size_t) { throw NotBuilt("cuda"); }

} // namespace starling::cuda
