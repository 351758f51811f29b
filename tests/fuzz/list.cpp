// The list of readers, and what a promise is worth in the tests.
#include "fuzz/readers.hpp"

#include <array>
#include <stdexcept>

namespace starling::fuzz {

std::span<const Reader> readers() {
  static constexpr std::array all{
      Reader{"csv", read_csv},           Reader{"libsvm", read_libsvm},
      Reader{"covtype", read_covtype},   Reader{"npy", read_npy},
      Reader{"npz", read_npz},           Reader{"zarr", read_zarr},
      Reader{"stan_csv", read_stan_csv}, Reader{"checkpoint", read_checkpoint},
      Reader{"journey", read_journey},   Reader{"toml", read_toml},
      Reader{"json", read_json},         Reader{"arguments", read_arguments}};
  return all;
}

void promise(bool holds, const char* text) {
  if (!holds)
    throw std::logic_error(text);
}

} // namespace starling::fuzz
