// Sweeps by blocks of threads with memory of their own: tiles of large batches, medians, small
// clouds.
//
// A block is
//     Block::threads                   how many
//     Block::Each<T, n>                n values of each thread, as of(thread, k)
//     block.each(f)                    f(thread) for every thread, all done before it returns
// and a place for `room` numbers that all of them see.
#pragma once

#include "cuda/sweep_rows.hpp"

#include <starling/kernel/median.hpp>

namespace starling::cuda {

/// The drift of some rows of a large batch, for some of the coordinates. Others of the batch come
/// through the block's memory in tiles: every number is read once by a block instead of once by a
/// row, and no N x N numbers are ever there. Pairs are measured by their differences, so nothing
/// cancels.
template <typename Real>
struct DriftInTiles {
  static constexpr std::uint32_t threads = 256;
  static constexpr std::uint32_t rows = sizeof(Real) == 4 ? 64 : 32,
                                 others = rows / 2; ///< of a tile
  static constexpr std::uint32_t width = 64,
                                 line =
                                     width + 1; ///< coordinates at a time; one apart, for the banks
  static constexpr std::uint32_t wide = others + 1;
  static constexpr std::uint32_t room = (rows + 2 * others) * line + 2 * rows * wide + rows * 8;

  Work<Real> work;
  std::uint32_t turn, tiles; ///< of a batch
  std::uint32_t parts;       ///< of the coordinates, each a block of its own
  bool second = false;       ///< only where products are not good enough

  template <typename Block>
  STARLING_DEVICE void operator()(const Block& block, Real* shared, std::uint32_t index) const {
    if (second && work.products.fit(static_cast<float>(*work.inverse)))
      return;
    const Turn<Real>& now = work.turns[turn];
    const std::uint32_t part = index % parts, tile = index / parts % tiles,
                        batch = index / parts / tiles;
    const std::uint32_t begin = now.order.begin(batch), size = now.order.size(batch),
                        dim = work.dim;
    if (tile * rows >= size)
      return;
    const Real pair = now.pair_weight(size), inverse = *work.inverse;
    const std::uint32_t* members = work.order + begin;
    Real *own = shared, *theirs = own + rows * line, *scores = theirs + others * line;
    Real *weights = scores + others * line, *pushes = weights + rows * wide,
         *lifts = pushes + rows * wide;

    // Coordinates of one part, of `many` members from `from` on; zero where there is none.
    const auto load = [&](const Real* column, std::uint32_t from, std::uint32_t many,
                          std::uint32_t of_part, Real* to) {
      block.each([&](std::uint32_t thread) {
        for (std::uint32_t n = thread; n < many * width; n += threads) {
          const std::uint32_t m = n / width, a = n % width;
          const bool there = from + m < size && of_part * width + a < dim;
          to[m * line + a] =
              there ? column[std::size_t{members[from + m]} * dim + of_part * width + a] : Real(0);
        }
      });
    };
    constexpr std::uint32_t deep = rows / 32, broad = others / 8;             // pairs of a thread
    constexpr std::uint32_t rows_each = rows / 16, columns_each = width / 16; // sums of a thread
    typename Block::template Each<Real, deep * broad> r2, product;
    typename Block::template Each<Real, rows_each * columns_each> g, x;
    typename Block::template Each<Real, deep> lift;
    block.each([&](std::uint32_t thread) {
      STARLING_UNROLL
      for (std::uint32_t n = 0; n < rows_each * columns_each; ++n)
        g.of(thread, n) = 0;
      STARLING_UNROLL
      for (std::uint32_t n = 0; n < deep; ++n)
        lift.of(thread, n) = 0;
    });
    load(work.x, tile * rows, rows, part, own);
    block.each([&](std::uint32_t thread) {
      STARLING_UNROLL
      for (std::uint32_t r = 0; r < rows_each; ++r)
        STARLING_UNROLL
      for (std::uint32_t k = 0; k < columns_each; ++k)
        x.of(thread, r * columns_each + k) =
            own[(thread / 16 * rows_each + r) * line + thread % 16 + 16 * k];
    });
    for (std::uint32_t from = 0; from < size; from += others) {
      block.each([&](std::uint32_t thread) {
        STARLING_UNROLL
        for (std::uint32_t n = 0; n < deep * broad; ++n)
          r2.of(thread, n) = product.of(thread, n) = 0;
      });
      // This block's own part last, so that it stays.
      for (std::uint32_t turned = 0; turned < parts; ++turned) {
        const std::uint32_t of_part = (part + 1 + turned) % parts;
        if (parts > 1)
          load(work.x, tile * rows, rows, of_part, own);
        load(work.x, from, others, of_part, theirs);
        block.each([&](std::uint32_t thread) {
          for (std::uint32_t a = 0; a < width; ++a)
            STARLING_UNROLL
          for (std::uint32_t r = 0; r < deep; ++r)
            STARLING_UNROLL
          for (std::uint32_t k = 0; k < broad; ++k) {
            const Real one = own[(thread / 8 * deep + r) * line + a],
                       other = theirs[(thread % 8 + 8 * k) * line + a];
            r2.of(thread, r * broad + k) += (one - other) * (one - other);
            product.of(thread, r * broad + k) += one * other;
          }
        });
      }
      load(work.s, from, others, part, scores);
      block.each([&](std::uint32_t thread) {
        STARLING_UNROLL
        for (std::uint32_t r = 0; r < deep; ++r)
          STARLING_UNROLL
        for (std::uint32_t k = 0; k < broad; ++k) {
          const std::uint32_t i = thread / 8 * deep + r, j = thread % 8 + 8 * k, n = r * broad + k;
          const bool self = tile * rows + i == from + j;
          const PairWeights<Real> w =
              self ? work.pairs.at_self(product.of(thread, n), inverse)
                   : work.pairs.at(r2.of(thread, n), product.of(thread, n), inverse);
          const Real c = self ? now.self : pair;
          const bool there = from + j < size && tile * rows + i < size;
          weights[i * wide + j] = there ? c * w.weight : Real(0);
          pushes[i * wide + j] = there ? c * w.repulsion : Real(0);
          lift.of(thread, r) += there ? c * w.lift : Real(0);
        }
      });
      block.each([&](std::uint32_t thread) {
        for (std::uint32_t j = 0; j < others; ++j)
          STARLING_UNROLL
        for (std::uint32_t r = 0; r < rows_each; ++r)
          STARLING_UNROLL
        for (std::uint32_t k = 0; k < columns_each; ++k) {
          const std::uint32_t i = thread / 16 * rows_each + r, a = thread % 16 + 16 * k;
          g.of(thread, r * columns_each + k) +=
              weights[i * wide + j] * scores[j * line + a] +
              pushes[i * wide + j] * (x.of(thread, r * columns_each + k) - theirs[j * line + a]);
        }
      });
    }
    block.each([&](std::uint32_t thread) {
      STARLING_UNROLL
      for (std::uint32_t r = 0; r < deep; ++r)
        lifts[(thread / 8 * deep + r) * 8 + thread % 8] = lift.of(thread, r);
    });
    block.each([&](std::uint32_t thread) {
      STARLING_UNROLL
      for (std::uint32_t r = 0; r < rows_each; ++r) {
        const std::uint32_t i = thread / 16 * rows_each + r;
        if (tile * rows + i >= size)
          continue;
        Real all = 0;
        for (std::uint32_t k = 0; k < 8; ++k)
          all += lifts[i * 8 + k];
        STARLING_UNROLL
        for (std::uint32_t k = 0; k < columns_each; ++k)
          if (const std::uint32_t a = part * width + thread % 16 + 16 * k; a < dim)
            work.g[std::size_t{members[tile * rows + i]} * dim + a] =
                g.of(thread, r * columns_each + k) + all * x.of(thread, r * columns_each + k);
      }
    });
  }
};

/// The bandwidth of a step from the median distance of some pairs: the value whose rank is the
/// middle, each rank counted by itself. One block.
template <typename Real, typename Held = Work<Real>>
struct MedianOfPairs {
  static constexpr std::uint32_t most = 4096; ///< pairs

  Held work;
  std::uint32_t turn;

  /// Who the pair is: as SampledMedianBandwidth draws it, or the pairs of all in their order.
  STARLING_DEVICE Real squared(std::uint32_t pair, Step step) const {
    std::uint32_t i = 1, j = pair;
    if (work.bandwidth.all) {
      for (; j >= i; ++i)
        j -= i;
    } else {
      i = work.bandwidth.philox.below(work.count, Stream::bandwidth, step, 2 * std::uint64_t{pair});
      j = work.bandwidth.philox.below(work.count - 1, Stream::bandwidth, step,
                                      2 * std::uint64_t{pair} + 1);
      j += j < i ? 0 : 1;
    }
    Real r2 = 0;
    for (std::uint32_t a = 0; a < work.dim; ++a) {
      const Real away =
          work.x[std::size_t{i} * work.dim + a] - work.x[std::size_t{j} * work.dim + a];
      r2 += away * away;
    }
    return r2;
  }

  template <typename Block>
  STARLING_DEVICE void operator()(const Block& block, Real*, std::uint32_t) const {
    const Step step = work.turns[turn].step;
    const std::uint32_t pairs = work.bandwidth.pairs;
    Real *value = work.distances, *middle = work.distances + pairs;
    block.each([&](std::uint32_t thread) {
      for (std::uint32_t m = thread; m < pairs; m += Block::threads)
        value[m] = squared(m, step);
    });
    block.each([&](std::uint32_t thread) {
      for (std::uint32_t m = thread; m < pairs; m += Block::threads) {
        std::uint32_t rank = 0;
        for (std::uint32_t n = 0; n < pairs; ++n)
          rank += value[n] < value[m] || (value[n] == value[m] && n < m) ? 1 : 0;
        if (rank == (pairs - 1) / 2)
          middle[0] = value[m];
        if (rank == pairs / 2)
          middle[1] = value[m];
      }
    });
    block.each([&](std::uint32_t thread) {
      if (thread == 0)
        *work.inverse = 1 / kernel::bandwidth_from(middle[0], middle[1], Real(work.count));
    });
  }
};

} // namespace starling::cuda
