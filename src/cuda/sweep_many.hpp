// Small clouds: many steps in one launch.
#pragma once

#include "cuda/sizes.hpp"
#include "cuda/sweep_blocks.hpp"
#include "cuda/sweep_fused.hpp"

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
  const Scoring<Real>& target;
  const Pairs<Real>& pairs;
  const BandwidthBy<Real>& bandwidth;
};

/// There the order is written down.
template <typename Real>
STARLING_DEVICE std::uint32_t row_at(const Inside<Real>& work, const Order&, std::uint32_t place) {
  return work.order[place];
}

/// Many steps of a small cloud by one block, so that no step waits for a launch, in the block's own
/// memory. Few dimensions.
template <typename Real, std::uint32_t most>
struct ManySteps {
  static constexpr std::uint32_t rows = layout::one_block; ///< at most
  static constexpr std::uint32_t words = sizeof(Turn<Real>) / sizeof(std::uint32_t);
  static_assert(sizeof(Turn<Real>) % sizeof(Real) == 0);

  Work<Real> work;
  std::uint32_t begin, end; ///< turns

  /// The turns; positions, scores, drifts and both memories; the order, and that of the next turn.
  std::size_t room() const {
    return (end - begin) * (sizeof(Turn<Real>) / sizeof(Real)) +
           5 * std::size_t{work.count} * work.dim + 2 * std::size_t{work.count};
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
    const auto with_order_of = [&](std::uint32_t turn) {
      Inside<Real> there = here;
      there.order += turn % 2 * work.count;
      return there;
    };
    bool laid_out = false; // the order of the turn
    for (std::uint32_t turn = 0; turn < end - begin; ++turn) {
      const Inside<Real> there = with_order_of(turn);
      const Turn<Real>& now = here.turns[turn];
      if (work.bandwidth.pairs != 0)
        MedianOfPairs<Real, Held>{there, turn}(block, shared, 0);
      const bool pairs = now.order.count == 2 * now.order.pieces && work.pairs.gaussian_alone();
      const bool scored =
          pairs && work.target.kind == Scoring<Real>::Kind::normal; // later, with all else
      if (!laid_out || !scored)
        over(work.count, [&](std::uint32_t n) {
          if (!laid_out)
            LayOut<Real, Held>{there, turn}(n);
          if (!scored)
            ScoreRow<Real, Held>{there}(n);
        });
      laid_out = pairs;
      if (pairs) { // half of the threads: a pair each, all at once; the others find out who meets
                   // next
        const Inside<Real> next = with_order_of(turn + 1);
        block.each([&](std::uint32_t thread) {
          constexpr std::uint32_t half = Block::threads / 2;
          for (std::uint32_t n = thread; thread < half && n < now.order.pieces; n += half)
            FusedBatch<Real, 2, most, Held, const Turn<Real>&>{there, now,
                                                               0}(typename Block::Alone(), n);
          for (std::uint32_t n = thread - half;
               thread >= half && turn + 1 < end - begin && n < work.count; n += half)
            LayOut<Real, Held>{next, turn + 1}(n);
        });
        continue;
      }
      over(work.count, DriftAtPlace<Real, most, Held>{there, turn});
      over(numbers, Advance<Real, Held>{there, turn});
    }
    take(work, here);
  }
};

} // namespace starling::cuda
