// What a sweep on a device works on: addresses and small figures, and nothing that owns anything.
#pragma once

#include "cuda/move.hpp"
#include "cuda/pairs.hpp"
#include "cuda/scoring.hpp"
#include "cuda/short_numbers.hpp"
#include "cuda/unroll.hpp"

#include <starling/deal/order.hpp>
#include <starling/random/philox.hpp>

#include <type_traits>

namespace starling::cuda {

/// What is drawn and decided for one step, made on the host.
template <typename Real>
struct Turn {
  Step step = 0;
  Order order;
  Move<Real> move;
  Real pair_smaller = 0, pair_larger = 0,
       self = 0; ///< Lemma 1's weights, for both sizes of batches

  STARLING_DEVICE Real pair_weight(std::uint32_t size) const {
    return size == order.smaller() ? pair_smaller : pair_larger;
  }
};

/// Where the bandwidth comes from.
template <typename Real>
struct BandwidthBy {
  std::uint32_t pairs = 0; ///< the median of so many, drawn afresh in each step; 0: fixed
  std::uint32_t all = 0;   ///< the pairs are all that there are, each once
  Philox philox{0};
};

template <typename Real>
struct Work {
  std::uint32_t count = 0, dim = 0; ///< rows that are here, all of them; coordinates
  Real *x = nullptr, *s = nullptr, *g = nullptr;
  Real* memory[2] = {};
  std::uint32_t* order = nullptr; ///< who stands at each place, where a sweep wants it written down
  Real* inverse = nullptr;        ///< 1 / h, one number
  Real* distances = nullptr;      ///< squared, of the pairs for the median
  std::uint32_t* bad = nullptr;   ///< set once a position is no number
  const Turn<Real>* turns = nullptr;
  Scoring<Real> target;
  Pairs<Real> pairs;
  BandwidthBy<Real> bandwidth;
  Products products; ///< of single precision alone
  /// From one row's position to the next, and from one row's memory to the next: dim, or twice that
  /// where each row's memory lies behind its position. That way only sweeps take it that ask for
  /// rows here.
  std::uint32_t pitch = 0;

  STARLING_DEVICE bool side_by_side() const { return pitch != dim; }
  STARLING_DEVICE Real* position(std::uint32_t row) const { return x + std::size_t{row} * pitch; }
  STARLING_DEVICE Real* remembered(std::uint32_t row, std::uint32_t c) const {
    return memory[c] + std::size_t{row} * pitch;
  }
};
static_assert(std::is_trivially_copyable_v<Work<float>> &&
              std::is_trivially_copyable_v<Turn<double>>);

} // namespace starling::cuda
