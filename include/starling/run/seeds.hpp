// The seeds that follow from a seed: of each of several runs, and of a run that goes on from
// another.
#pragma once

#include <starling/random/philox.hpp>

#include <bit>
#include <cstdint>
#include <span>

namespace starling::run {

/// Of run number `run`. The first has the seed itself, so that one run is the first of many.
inline std::uint64_t run_seed(std::uint64_t seed, std::uint64_t run) {
  return run == 0 ? seed : whole_word(Philox(seed)(Stream::runs, 0, run));
}

/// Of a run that starts from positions which an earlier one may have left, instead of a rule: every
/// bit of them enters. With the seed alone step k would deal the batches that step k of the earlier
/// run dealt, and the cloud would feel the same noise twice: it comes out too wide.
inline std::uint64_t continued_seed(std::uint64_t seed, std::span<const double> positions) {
  std::uint64_t digest = positions.size();
  for (const double x : positions) {
    digest = (digest ^ std::bit_cast<std::uint64_t>(x)) * 0x9E3779B97F4A7C15u;
    digest ^= digest >> 32;
  }
  return whole_word(Philox(seed)(Stream::continued, digest, 0));
}

} // namespace starling::run
