// Small clouds: many steps in one launch.
#pragma once

#include "cuda/sweep_blocks.hpp"

namespace starling::cuda {

/// What sweeps inside another sweep work on: columns of a block's own, and the rest where it is.
template <typename Real>
struct Inside {
  std::uint32_t count, dim;
  Real *x, *s, *g;
  Real* memory[2];
  std::uint32_t* order;
  const Turn<Real>* turns;
  Real *inverse, *distances;
  std::uint32_t* bad;
  const OrderTables& tables;
  const Scoring<Real>& target;
  const Pairs<Real>& pairs;
  const BandwidthBy<Real>& bandwidth;
};

/// Many steps of a small cloud by one block, so that no step waits for a launch, in the block's own
/// memory. Few dimensions.
template <typename Real, std::uint32_t most>
struct ManySteps {
  static constexpr std::uint32_t rows = 1024; ///< at most
  static constexpr std::uint32_t words = sizeof(Turn<Real>) / sizeof(std::uint32_t);
  static_assert(sizeof(Turn<Real>) % sizeof(Real) == 0);

  Work<Real> work;
  std::uint32_t begin, end; ///< turns

  /// The turns; positions, scores, drifts and both memories; the order.
  std::size_t room() const {
    return (end - begin) * (sizeof(Turn<Real>) / sizeof(Real)) +
           5 * std::size_t{work.count} * work.dim + work.count;
  }

  template <typename Block>
  STARLING_DEVICE void operator()(const Block& block, Real* shared, std::uint32_t) const {
    const auto over = [&](std::uint32_t count, const auto& sweep) {
      block.each([&](std::uint32_t thread) {
        for (std::uint32_t n = thread; n < count; n += Block::threads)
          sweep(n);
      });
    };
    const std::uint32_t numbers = work.count * work.dim;
    auto* const turns = reinterpret_cast<std::uint32_t*>(shared);
    Real* const x = shared + (end - begin) * (sizeof(Turn<Real>) / sizeof(Real));
    const Inside<Real> here{work.count,
                            work.dim,
                            x,
                            x + numbers,
                            x + 2 * numbers,
                            {x + 3 * numbers, x + 4 * numbers},
                            reinterpret_cast<std::uint32_t*>(x + 5 * numbers),
                            reinterpret_cast<const Turn<Real>*>(shared),
                            work.inverse,
                            work.distances,
                            work.bad,
                            work.tables,
                            work.target,
                            work.pairs,
                            work.bandwidth};
    over((end - begin) * words, [&](std::uint32_t n) {
      turns[n] = reinterpret_cast<const std::uint32_t*>(work.turns + begin)[n];
    });
    const auto take = [&](const auto& to, const auto& from) {
      over(numbers, [&](std::uint32_t n) {
        to.x[n] = from.x[n];
        STARLING_UNROLL
        for (std::uint32_t c = 0; c < 2; ++c)
          if (work.memory[c])
            to.memory[c][n] = from.memory[c][n];
      });
    };
    take(here, work);
    using Held = const Inside<Real>&;
    for (std::uint32_t turn = 0; turn < end - begin; ++turn) {
      if (work.bandwidth.pairs != 0)
        MedianOfPairs<Real, Held>{here, turn}(block, shared, 0);
      over(work.count, [&](std::uint32_t n) {
        LayOut<Real, Held>{here, turn}(n);
        ScoreRow<Real, Held>{here}(n);
      });
      over(work.count, DriftAtPlace<Real, most, Held>{here, turn});
      over(numbers, Advance<Real, Held>{here, turn});
    }
    take(work, here);
  }
};

} // namespace starling::cuda
