// In the place of the CUDA back end where it is not built: says so to whoever asks.
#include <starling/back_ends.hpp>
#include <starling/error.hpp>

namespace starling::cuda {

BackEnd back_end() { return {"cuda", false, {}, NotBuilt("cuda").what()}; }

std::vector<std::string> devices() { throw NotBuilt("cuda"); }

} // namespace starling::cuda
