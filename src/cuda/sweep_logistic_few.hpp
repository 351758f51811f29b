// Scores of a logistic regression where particles are few, and a step is as long as one waits.
#pragma once

#include "cuda/numbers.hpp"
#include "cuda/sweep_logistic.hpp"

namespace starling::cuda {

/// Four particles a block. Rows of data come into its memory by themselves, while nobody holds
/// them; then two threads make the logits of a row, and a few the gradients in one coordinate, each
/// for all four and for its share of what is added up.
template <typename Real>
struct ScoreLogisticFew {
  static constexpr std::uint32_t particles = 4, lanes = 32;
  using Four = Numbers<Real, particles>; ///< of one each

  LogisticWork<Real> work;
  std::uint32_t at_a_time; ///< rows in a piece, at most half as many as threads

  /// Of a row in a block's memory: odd, so that neighbours in a column lie in different banks.
  static STARLING_DEVICE std::uint32_t stride(std::uint32_t weights) { return weights | 1; }
  /// Into how many shares the rows go for the gradients.
  static STARLING_DEVICE std::uint32_t shares(std::uint32_t weights) {
    return weights <= 64 ? 4 : weights <= 128 ? 2 : 1;
  }
  static std::size_t room(std::uint32_t dim, std::size_t rows) {
    return particles * (dim + std::size_t{shares(dim - 1)} * dim + 1) +
           rows * (2 * particles + stride(dim - 1) + 1);
  }
  /// Rows in a piece, for which `most` numbers are room; 0: not one.
  static std::uint32_t rows_for(std::uint32_t dim, std::uint32_t rows, std::size_t most) {
    const std::size_t fixed = room(dim, 0), each = room(dim, 1) - fixed;
    return most <= fixed ? 0
                         : static_cast<std::uint32_t>(
                               std::min<std::size_t>({rows, 128, (most - fixed) / each}));
  }

  template <typename Block>
  STARLING_DEVICE void operator()(const Block& block, Real* shared, std::uint32_t index) const {
    constexpr std::uint32_t half = Block::threads / 2;
    const std::uint32_t dim = work.dim, weights = dim - 1, wide = stride(weights),
                        many = shares(weights), first = index * particles,
                        here = work.count - first < particles ? work.count - first : particles;
    Four* const w = reinterpret_cast<Four*>(shared); // positions, by coordinates
    Four* const g = w + dim;                         // gradients, by shares and coordinates
    Four* const square = g + many * dim;
    Four* const z = square + 1; // logits' second halves, then residuals, by rows
    Four* const other = z + at_a_time;
    Real* const f = reinterpret_cast<Real*>(other + at_a_time);
    Real* const y = f + at_a_time * wide;
    typename Block::template Each<Four, 1> own;
    for (std::uint32_t begin = 0; begin < work.rows; begin += at_a_time) {
      const std::uint32_t rows = work.rows - begin < at_a_time ? work.rows - begin : at_a_time;
      block.own([&](std::uint32_t t) {
        send_for(block, t, begin, rows, f, y);
        block.sent_for();
        if (begin == 0)
          for (std::uint32_t n = t; n < particles * dim; n += Block::threads)
            w[n % dim].of[n / dim] =
                n < here * dim ? work.x[std::size_t{first} * dim + n] : Real(0);
      });
      block.template brought<0>();
      block.each([&](std::uint32_t t) {
        if (begin == 0 &&
            t >= Block::threads - particles) // by threads that have no row, where some have none
          square->of[Block::threads - 1 - t] = square_of(w, Block::threads - 1 - t);
        const std::uint32_t r = t % half, middle = (weights + 1) / 2;
        if (r < rows)
          own.of(t, 0) = t < half ? logits(w, f + r * wide, 0, middle)
                                  : logits(w, f + r * wide, middle, weights);
        if (r < rows && t >= half)
          other[r] = own.of(t, 0);
      });
      block.each([&](std::uint32_t t) {
        if (t < rows)
          STARLING_UNROLL
        for (std::uint32_t i = 0; i < particles; ++i)
          z[t].of[i] = residual(own.of(t, 0).of[i] + other[t].of[i], y[t], work.scale);
      });
      block.each([&](std::uint32_t t) {
        const std::uint32_t columns = Block::threads / many, share = t / columns;
        for (std::uint32_t a = t % columns; a < weights; a += columns)
          gradients(f + a, z, share, many, rows, begin == 0, g[share * dim + a]);
      });
    }
    block.each([&](std::uint32_t t) {
      for (std::uint32_t n = t; n < here * dim; n += Block::threads) {
        const std::uint32_t i = n / dim, a = n % dim;
        const Real alpha = alpha_of(w[weights].of[i]);
        Real sum = 0;
        for (std::uint32_t share = 0; a < weights && share < many; ++share)
          sum += g[share * dim + a].of[i];
        work.s[std::size_t{first} * dim + n] =
            a < weights ? sum - alpha * w[a].of[i]
                        : score_of_log_alpha(square->of[i], alpha, weights);
      }
    });
  }

private:
  /// A warp a row; the numbers of many rows are asked for before the first is waited for.
  template <typename Block>
  STARLING_DEVICE void send_for(const Block& block, std::uint32_t t, std::uint32_t begin,
                                std::uint32_t rows, Real* f, Real* y) const {
    constexpr std::uint32_t at_once = 16, teams = Block::threads / lanes;
    const std::uint32_t weights = work.dim - 1, wide = stride(weights);
    for (std::uint32_t from = t / lanes; from < rows; from += teams * at_once) {
      std::uint32_t row[at_once];
      STARLING_UNROLL
      for (std::uint32_t k = 0; k < at_once; ++k)
        if (const std::uint32_t r = from + k * teams; r < rows)
          row[k] = work.picked ? work.picked[begin + r] : begin + r;
      STARLING_UNROLL
      for (std::uint32_t k = 0; k < at_once; ++k)
        if (const std::uint32_t r = from + k * teams; r < rows) {
          for (std::uint32_t a = t % lanes; a < weights; a += lanes)
            block.bring_one(f + r * wide + a, work.features + std::size_t{row[k]} * weights + a);
          if (t % lanes == 0)
            block.bring_one(y + r, work.labels + row[k]);
        }
    }
  }
  STARLING_DEVICE Real square_of(const Four* w, std::uint32_t i) const {
    Real sum[4] = {}; // one sum would wait for itself
    for (std::uint32_t a = 0; a < work.dim - 1; ++a)
      sum[a % 4] += w[a].of[i] * w[a].of[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
  STARLING_DEVICE Four logits(const Four* w, const Real* row, std::uint32_t begin,
                              std::uint32_t end) const {
    Four sum{};
    STARLING_UNROLL_FOUR
    for (std::uint32_t a = begin; a < end; ++a) {
      const Four at = w[a];
      STARLING_UNROLL
      for (std::uint32_t i = 0; i < particles; ++i)
        sum.of[i] += at.of[i] * row[a];
    }
    return sum;
  }
  STARLING_DEVICE void gradients(const Real* column, const Four* z, std::uint32_t share,
                                 std::uint32_t shares, std::uint32_t rows, bool fresh,
                                 Four& to) const {
    const std::uint32_t wide = stride(work.dim - 1);
    Four sum = fresh ? Four{} : to;
    STARLING_UNROLL_FOUR
    for (std::uint32_t r = share; r < rows; r += shares) {
      const Four at = z[r];
      STARLING_UNROLL
      for (std::uint32_t i = 0; i < particles; ++i)
        sum.of[i] += at.of[i] * column[r * wide];
    }
    to = sum;
  }
};

namespace layout {
constexpr std::size_t block_bytes = 48 * 1024; ///< of a block's own memory that every card gives
constexpr std::uint32_t fewest_rows = 8;       ///< in a piece, for the rest to be worth it
constexpr std::uint32_t crowd = 16384;         ///< particles from which a block takes many of them
} // namespace layout

template <typename Real, typename Launcher>
void sweep_logistic(Launcher& launch, const LogisticWork<Real>& work) {
  using Few = ScoreLogisticFew<Real>;
  using Many = ScoreLogistic<Real, 32, 8, 8>;
  const std::size_t most = layout::block_bytes / sizeof(Real);
  const std::uint32_t enough = std::min(work.rows, layout::fewest_rows);
  const auto in_blocks = [&](auto sweep, std::uint32_t particles) {
    using Sweep = decltype(sweep);
    sweep.work = work;
    sweep.at_a_time = Sweep::rows_for(work.dim, work.rows, most);
    if (sweep.at_a_time < enough)
      return false;
    launch.template blocks<Real>((work.count + particles - 1) / particles,
                                 Sweep::room(work.dim, sweep.at_a_time), sweep);
    return true;
  };
  if (work.count >= layout::crowd && in_blocks(Many{}, 32))
    return;
  if (!in_blocks(Few{}, Few::particles))
    launch.teams(work.count, ScoreLogisticByTeam<Real>{work});
}

} // namespace starling::cuda
