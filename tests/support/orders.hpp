// The orders of the dealers that a card has, by name.
#pragma once

#include <starling/deal/cosets.hpp>
#include <starling/deal/matching.hpp>
#include <starling/deal/moebius.hpp>
#include <starling/deal/orders.hpp>

#include <cstdint>

namespace starling::support {

enum class By { everyone, matching, moebius, cosets };

/// Of n rows; `batch` is not asked for where everyone is in one.
inline Orders orders(By by, std::uint64_t seed, const BatchSize& batch, std::size_t n) {
  if (by == By::everyone)
    return Orders::everyone(n);
  if (by == By::matching)
    return {Matching(seed), n};
  if (by == By::cosets)
    return {Cosets(seed, batch.first()), n};
  return {Moebius(seed, batch), n};
}

} // namespace starling::support
