// Sharing out the dealt particles among threads, batch by batch, for every kind of pair drift.
#pragma once

#include <starling/batches.hpp>
#include <starling/threads.hpp>

#include <algorithm>
#include <span>

namespace starling {

/// Calls work(members, first, last) so that every dealt particle is in exactly one call: the
/// particles members[first .. last) of the batch `members`. Cut by places in the order, so one
/// batch of N is shared among threads as well as N/2 batches of two.
template <typename Work>
void for_each_batch(Threads& threads, const Batches& batches, Work&& work) {
  // About 64k pairs a piece: long against waking a thread, short against a sweep worth threads.
  const std::size_t largest = batches.count() ? batches[0].size() : 1;
  const std::size_t grain = std::clamp<std::size_t>(65536 / largest, 16, 8192);
  threads.for_pieces(batches.order().size(), grain, [&](std::size_t begin, std::size_t end) {
    const auto bounds = batches.bounds();
    auto q = static_cast<std::size_t>(std::upper_bound(bounds.begin(), bounds.end(), begin) -
                                      bounds.begin() - 1);
    for (std::size_t at = begin; at < end; ++q) {
      const std::size_t stop = std::min<std::size_t>(end, bounds[q + 1]);
      work(batches[q], at - bounds[q], stop - bounds[q]);
      at = stop;
    }
  });
}

} // namespace starling
