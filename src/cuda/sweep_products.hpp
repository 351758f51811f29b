// The drift of large batches by the card's matrix units, in single precision: tiles of pairs are
// made and used at once, and there are never N x N numbers.
//
// For the Gaussian alone, whose repulsion is 1/h times its weight. With v = x - c and u = s - v/h,
//     phi_i = sum_j w_ij u_j + v_i/h sum_j w_ij,     r2 = |v_i|^2 + |v_j|^2 - 2 v_i.v_j.
// The products v_i.v_j are those of two short numbers each (8 bits of mantissa; high and low part,
// of whose four products the smallest is left out), so they are good to 2^-16. Weights and u are
// then multiplied with 11 bits: errors of one term in a sum of many. Where |v|^2 is large against
// the bandwidth this r2 is not good enough: the sweep says so, and DriftInTiles takes its place.
//
// How a warp of 32 threads holds matrices, with g = lane / 4 and t = lane % 4:
//     C  16 x 8              c0 c1: row g, columns 2t 2t+1;  c2 c3: row g + 8
//     A  16 x 16, short      a0 a1: rows g, g + 8, columns 2t 2t+1;  a2 a3: columns 2t+8 2t+9
//     B  16 x 8, short       b0: column g, rows 2t 2t+1;  b1: rows 2t+8 2t+9
//     A  16 x 8              a0 a1: rows g, g + 8, column t;  a2 a3: column t + 4
//     B  8 x 8               b0: column g, row t;  b1: row t + 4
// Pairs come out as C. Taken as A, its columns 2t and 2t+1 are t and t + 4: so B's rows are read in
// that order.
#pragma once

#include "cuda/short_numbers.hpp"
#include "cuda/sweep_blocks.hpp"
#include "cuda/sweep_fused.hpp"

namespace starling::cuda {

/// The mean of the first rows, from which others are then measured: near them, wherever the cloud
/// is.
struct Center {
  static constexpr std::uint32_t rows = 128; ///< at most

  Work<float> work;

  template <typename Block>
  STARLING_DEVICE void operator()(const Block& block, float*, std::uint32_t) const {
    const std::uint32_t many = work.count < rows ? work.count : rows;
    block.each([&](std::uint32_t thread) {
      for (std::uint32_t a = thread; a < work.dim; a += Block::threads) {
        float sum = 0;
        for (std::uint32_t i = 0; i < many; ++i)
          sum += work.x[std::size_t{i} * work.dim + a];
        work.products.center[a] = sum / static_cast<float>(many);
      }
      if (thread == 0)
        *work.products.largest = 0;
    });
  }
};

/// The row at a place as the matrix units read it. Coordinates that are not there are zero.
struct PackPlace {
  Work<float> work;

  template <typename Team>
  STARLING_DEVICE void operator()(const Team& team, std::uint32_t place) const {
    const Products& to = work.products;
    const std::size_t from = std::size_t{work.order[place]} * work.dim;
    const auto value = [&](std::uint32_t a) {
      return a < work.dim ? work.x[from + a] - to.center[a] : 0.0F;
    };
    const float norm = team.sum([&](std::uint32_t lane) {
      float sum = 0;
      for (std::uint32_t a = lane; a < work.dim; a += Team::lanes)
        sum += value(a) * value(a);
      return sum;
    });
    team.each([&](std::uint32_t lane) {
      for (std::uint32_t w = lane; w < to.words(); w += Team::lanes) {
        const float one = value(2 * w), other = value(2 * w + 1);
        const std::uint32_t high = short_of(one) | short_of(other) << 16;
        to.high[std::size_t{place} * to.words() + w] = high;
        to.low[std::size_t{place} * to.words() + w] =
            short_of(one - from_short(high & 0xffff)) | short_of(other - from_short(high >> 16))
                                                            << 16;
      }
      for (std::uint32_t a = lane; a < to.width; a += Team::lanes) {
        const float score = a < work.dim ? work.s[from + a] : 0.0F;
        to.pull[std::size_t{place} * to.width + a] = eleven_bits(score - value(a) * *work.inverse);
      }
      if (lane == 0) {
        to.norm[place] = norm;
        raise(to.largest, norm);
      }
    });
  }
};

/// The share that some of the others of a batch have in the drifts of some of its rows. `eights`
/// times eight coordinates.
template <std::uint32_t eights>
struct DriftByProducts {
  static constexpr std::uint32_t warp_rows = 32, others = 64;   ///< of a tile
  static constexpr std::uint32_t rows = 8 * warp_rows;          ///< of a block's 256 threads
  static constexpr std::uint32_t deep = (8 * eights + 15) / 16; ///< products of sixteen coordinates
  static constexpr std::uint32_t words = 8 * deep,
                                 line = words +
                                        4; ///< of a row in short numbers; four apart, for the banks
  static constexpr std::uint32_t width = 8 * eights, long_line = width + 4;
  static constexpr std::uint32_t stage = 2 * others * line + others * long_line + others,
                                 room = 2 * stage;
  static_assert(4 * rows <= room);

  Work<float> work;
  Turn<float> now;
  std::uint32_t tiles; ///< of a batch

  template <typename Block>
  STARLING_DEVICE void operator()(const Block& block, float* shared, std::uint32_t index) const {
    static_assert(Block::threads == 256);
    const Products& from = work.products;
    if (!from.fit(*work.inverse))
      return;
    const std::uint32_t share = index % from.shares, tile = index / from.shares % tiles,
                        batch = index / from.shares / tiles;
    const std::uint32_t begin = now.order.begin(batch), size = now.order.size(batch),
                        top = tile * rows;
    if (top >= size)
      return;
    const std::uint32_t all = (size + others - 1) / others, first = all * share / from.shares,
                        last = all * (share + 1) / from.shares;

    const auto send_for =
        [&](std::uint32_t number) { // one tile of others, to the stage that is free
          if (number < last) {
            float* to = shared + number % 2 * stage;
            block.own([&](std::uint32_t thread) {
              bring_rows(block, thread, to, line, from.high, words, begin + number * others);
              bring_rows(block, thread, to + others * line, line, from.low, words,
                         begin + number * others);
              float* longer = to + 2 * others * line;
              bring_rows(block, thread, longer, long_line, from.pull, width,
                         begin + number * others);
              for (std::uint32_t j = thread; j < others; j += Block::threads)
                longer[others * long_line + j] = from.norm[begin + number * others + j];
            });
          }
          block.sent_for();
        };

    typename Block::template Each<std::uint32_t, 2 * deep * 4> high,
        low;                                                  // A, of both sixteens of rows
    typename Block::template Each<float, 2 * eights * 4> sum; // C
    typename Block::template Each<float, 4> norm,
        weights; // of a thread's four rows; the sum of their weights
    const auto row_of = [&](std::uint32_t thread,
                            std::uint32_t n) { // n: 0 to 3, which of a thread's rows
      return top + thread / 32 * warp_rows + thread % 32 / 4 + 8 * n;
    };
    block.own([&](std::uint32_t thread) {
      STARLING_UNROLL
      for (std::uint32_t n = 0; n < 2 * eights * 4; ++n)
        sum.of(thread, n) = 0;
      STARLING_UNROLL
      for (std::uint32_t n = 0; n < 4; ++n) {
        const std::uint32_t place =
            begin + row_of(thread, n); // beyond the batch there are others, or zeros
        norm.of(thread, n) = from.norm[place];
        weights.of(thread, n) = 0;
        STARLING_UNROLL
        for (std::uint32_t k = 0; k < deep; ++k)
          STARLING_UNROLL
        for (std::uint32_t half = 0; half < 2; ++half) {
          const std::size_t at = std::size_t{place} * words + 8 * k + thread % 4 + 4 * half;
          const std::uint32_t to = (n / 2 * deep + k) * 4 + n % 2 + 2 * half;
          high.of(thread, to) = from.high[at];
          low.of(thread, to) = from.low[at];
        }
      }
    });
    const float pair = now.pair_weight(size);
    const Shared<float> kernel(work, now);
    send_for(first);
    for (std::uint32_t number = first; number < last; ++number) {
      send_for(number + 1);
      block.template brought<1>();
      const float* here = shared + number % 2 * stage;
      const auto* shorts = reinterpret_cast<const std::uint32_t*>(here);
      const float *pulls = here + 2 * others * line, *norms = pulls + others * long_line;
      // Nobody meets itself here, and everyone is there.
      const bool plain = (number + 1) * others <= size &&
                         ((number + 1) * others <= top || number * others >= top + rows);
      STARLING_UNROLL_TWICE
      for (std::uint32_t chunk = 0; chunk < others; chunk += 8) {
        typename Block::template Each<float, 8> product, small; // C
        block.own([&](std::uint32_t thread) {
          STARLING_UNROLL
          for (std::uint32_t n = 0; n < 8; ++n)
            product.of(thread, n) = small.of(thread, n) = 0;
        });
        STARLING_UNROLL
        for (std::uint32_t k = 0; k < deep; ++k) {
          typename Block::template Each<std::uint32_t, 2> upper, lower; // B
          block.own([&](std::uint32_t thread) {
            STARLING_UNROLL
            for (std::uint32_t half = 0; half < 2; ++half) {
              const std::uint32_t at =
                  (chunk + thread % 32 / 4) * line + 8 * k + thread % 4 + 4 * half;
              upper.of(thread, half) = shorts[at];
              lower.of(thread, half) = shorts[others * line + at];
            }
          });
          STARLING_UNROLL
          for (std::uint32_t m = 0; m < 2; ++m) {
            block.multiply_short(product, 4 * m, high, (m * deep + k) * 4, upper, 0);
            block.multiply_short(small, 4 * m, low, (m * deep + k) * 4, upper, 0);
            block.multiply_short(small, 4 * m, high, (m * deep + k) * 4, lower, 0);
          }
        }
        typename Block::template Each<float, 8> weight; // A
        block.own([&](std::uint32_t thread) {
          STARLING_UNROLL
          for (std::uint32_t m = 0; m < 2; ++m)
            STARLING_UNROLL
          for (std::uint32_t e = 0; e < 4; ++e) {
            const std::uint32_t n = 2 * m + e / 2, j = chunk + thread % 4 * 2 + e % 2;
            const float r2 = norm.of(thread, n) + norms[j] -
                             2 * (product.of(thread, 4 * m + e) + small.of(thread, 4 * m + e));
            float c = pair, away = r2 > 0 ? r2 : 0.0F;
            if (!plain) {
              const std::uint32_t i = row_of(thread, n), other = number * others + j;
              c = other >= size ? 0.0F : i == other ? now.self : pair;
              away = i == other ? 0.0F : away;
            }
            const float w = eleven_bits(kernel.weight(away, c));
            weight.of(thread, 4 * m + e % 2 * 2 + e / 2) = w;
            weights.of(thread, n) += w;
          }
        });
        STARLING_UNROLL
        for (std::uint32_t n = 0; n < eights; ++n) {
          typename Block::template Each<float, 2> pull; // B
          block.own([&](std::uint32_t thread) {
            STARLING_UNROLL
            for (std::uint32_t half = 0; half < 2; ++half)
              pull.of(thread, half) =
                  pulls[(chunk + thread % 4 * 2 + half) * long_line + 8 * n + thread % 32 / 4];
          });
          STARLING_UNROLL
          for (std::uint32_t m = 0; m < 2; ++m)
            block.multiply(sum, (m * eights + n) * 4, weight, 4 * m, pull, 0);
        }
      }
      block.each([](std::uint32_t) {}); // before the stage is filled anew
    }

    // Sum of the weights over t, then v_i / h times that.
    block.each([&](std::uint32_t thread) {
      STARLING_UNROLL
      for (std::uint32_t n = 0; n < 4; ++n)
        shared[(row_of(thread, n) - top) * 4 + thread % 4] = weights.of(thread, n);
    });
    block.own([&](std::uint32_t thread) {
      STARLING_UNROLL
      for (std::uint32_t n = 0; n < 4; ++n) {
        const std::uint32_t i = row_of(thread, n);
        if (i >= size)
          continue;
        const float* four = shared + (i - top) * 4;
        const float away = ((four[0] + four[1]) + (four[2] + four[3])) * kernel.inverse;
        const std::size_t row = std::size_t{work.order[begin + i]} * work.dim;
        float* to = from.parts + (std::size_t{share} * work.count + begin + i) * work.dim;
        STARLING_UNROLL
        for (std::uint32_t e = 0; e < eights; ++e)
          STARLING_UNROLL
        for (std::uint32_t k = 0; k < 2; ++k)
          if (const std::uint32_t a = 8 * e + thread % 4 * 2 + k; a < work.dim)
            to[a] = sum.of(thread, (n / 2 * eights + e) * 4 + n % 2 * 2 + k) +
                    away * (work.x[row + a] - from.center[a]);
      }
    });
  }

private:
  /// Rows of `many` words, four of them at a time, to lines that are longer.
  template <typename Block, typename Word>
  STARLING_DEVICE static void bring_rows(const Block& block, std::uint32_t thread, float* to,
                                         std::uint32_t to_line, const Word* from,
                                         std::uint32_t many, std::size_t first) {
    for (std::uint32_t n = thread; n < others * many / 4; n += Block::threads)
      block.bring(to + n / (many / 4) * to_line + n % (many / 4) * 4,
                  from + first * many + std::size_t{n} * 4);
  }
};

/// A number of the drift: the sum of its shares, in their order.
struct JoinShares {
  Work<float> work;

  STARLING_DEVICE void operator()(std::size_t n) const {
    const Products& from = work.products;
    if (!from.fit(*work.inverse))
      return;
    float sum = 0;
    for (std::uint32_t share = 0; share < from.shares; ++share)
      sum += from.parts[share * std::size_t{work.count} * work.dim + n];
    work.g[std::size_t{work.order[n / work.dim]} * work.dim + n % work.dim] = sum;
  }
};

} // namespace starling::cuda
