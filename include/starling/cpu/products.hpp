// Which library multiplies matrices here, and what it takes this machine for.
#pragma once

#include <cstddef>
#include <string>

namespace starling::cpu {

struct Products {
  std::string library; ///< with its version, as it calls itself
  std::string core; ///< the kind of processor for which it multiplies: a poor guess costs a factor
                    ///< of two and more
  std::size_t threads; ///< of each product: one, since ours share the products out
};

Products products();

/// Lets it take the room that products on so many threads at once need: where there is none, it
/// waits for ever.
void reserve_products(std::size_t threads);

} // namespace starling::cpu
