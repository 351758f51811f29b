// Random order by address, with picks drawn at the SIMD level in use.
#include <starling/cpu/permute.hpp>

#include "cpu/levels.hpp"

#include <starling/rows.hpp>

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

void permute(std::span<std::uint32_t> order, const Philox& philox, Stream stream, Step step,
             Threads& threads) {
  const std::size_t n = order.size();
  static_assert(permute_together > permute_most); // a place takes a word
  if (n < permute_together)
    return cpu::permute(order, philox, stream, step);
  UnwrittenColumn<std::uint32_t> picks(n - 1); // for places n - 1, n - 2, ... 1
  constexpr std::size_t blocks = 4096;         // a block of random bits is four picks
  threads.for_pieces((n + 2) / 4, blocks, [&](std::size_t begin, std::size_t end) {
    for (std::size_t block = begin; block < end; ++block) {
      const Block bits = philox(stream, step, block);
      for (std::size_t w = 0, m = 4 * block; w < 4 && m < n - 1; ++w, ++m)
        picks[m] = philox.below(static_cast<std::uint32_t>(n - m), bits[w], stream, step, m);
    }
  });
  constexpr std::size_t ahead = 16; // what is far away is asked for before its turn
  for (std::size_t m = 0; m < n - 1; ++m) {
    if (m + ahead < n - 1)
      __builtin_prefetch(&order[picks[m + ahead]], 1);
    std::swap(order[n - 1 - m], order[picks[m]]);
  }
}

} // namespace starling::cpu
