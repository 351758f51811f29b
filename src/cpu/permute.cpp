// Random order by address, with picks drawn at the SIMD level in use.
#include <starling/cpu/permute.hpp>

#include "cpu/levels.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace starling::cpu {

void permute(std::span<std::uint32_t> order, const Philox& philox, Stream stream, Step step) {
  const PickWork& work = work_in_use<PickWork>();
  const std::size_t n = order.size();
  if (!work.draw || n < permute_least || n > permute_most)
    return starling::permute(order, philox, stream, step);
  PickBlocks from{
      {philox.key()[0], philox.key()[1]}, static_cast<std::uint32_t>(stream), step, 0, 0};
  Picks drawn;
  for (std::size_t i = n; i > 1;) {
    from.bound = static_cast<std::uint16_t>(i);
    work.draw(from, drawn);
    from.next += picks_together / 8;
    const std::size_t some = std::min(picks_together, i - 1);
    for (std::size_t word = 0; word < picks_together; word += 64)
      for (std::uint64_t doubtful = drawn.doubtful[word / 64]; doubtful != 0;
           doubtful &= doubtful - 1) {
        const std::size_t w = word + static_cast<std::size_t>(std::countr_zero(doubtful));
        if (w < some)
          drawn.picks[w] = static_cast<std::uint16_t>(philox.below_16(
              static_cast<std::uint32_t>(i - w), drawn.halves[w], stream, step, n - i + w));
      }
    for (std::size_t w = 0; w < some; ++w)
      std::swap(order[i - 1 - w], order[drawn.picks[w]]);
    i -= some;
  }
}

} // namespace starling::cpu
