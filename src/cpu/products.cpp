// What OpenBLAS says of itself, and the room that it takes.
#include <starling/cpu/products.hpp>

#include "cpu/blas.hpp"

#include <barrier>
#include <thread>
#include <vector>

namespace starling::cpu {

Products products() {
  one_thread_per_product();
  const std::string config = openblas_get_config(); // "OpenBLAS 0.3.21 ..."
  return {config.substr(0, config.find(' ', config.find(' ') + 1)), openblas_get_corename(),
          static_cast<std::size_t>(openblas_get_num_threads())};
}

void reserve_products(std::size_t threads) {
  one_thread_per_product();
  constexpr std::size_t side = 64;
  std::barrier together(static_cast<std::ptrdiff_t>(threads));
  std::vector<std::jthread> crew;
  for (std::size_t t = 0; t < threads; ++t)
    crew.emplace_back([&] {
      std::vector<double> a(side * side, 1.0), c(side * side);
      together.arrive_and_wait();
      multiply<double>(Turn::none, Turn::none, side, side, side, 1.0, {a.data(), side},
                       {a.data(), side}, 0.0, {c.data(), side});
    });
}

} // namespace starling::cpu
