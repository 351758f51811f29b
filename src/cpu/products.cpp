// What OpenBLAS says of itself.
#include <starling/cpu/products.hpp>

#include "cpu/blas.hpp"

namespace starling::cpu {

Products products() {
  one_thread_per_product();
  const std::string config = openblas_get_config(); // "OpenBLAS 0.3.21 ..."
  return {config.substr(0, config.find(' ', config.find(' ') + 1)), openblas_get_corename(),
          static_cast<std::size_t>(openblas_get_num_threads())};
}

} // namespace starling::cpu
