// Scores of a logistic regression in one sweep: a block takes some particles, and brings the rows
// of data by in pieces.
//
// As LogisticRegression has it: a particle is (w, log alpha), and
//     s_w = scale sum over rows of (y - sigmoid(w.f)) f - alpha w,    s_log_alpha = D/2 + 1 - alpha
//     (|w|^2 / 2 + 0.01)
#pragma once

#include "cuda/logistic_work.hpp"
#include "cuda/unroll.hpp"

#include <starling/device.hpp>

#include <algorithm>
#include <cmath>

namespace starling::cuda {

/// Held below the overflow of alpha |w|^2 for any w up to 1e3, as on the host.
template <typename Real>
STARLING_DEVICE Real alpha_of(Real log_alpha) {
  const Real most = sizeof(Real) == 8 ? Real(600) : Real(50);
  return std::exp(log_alpha < most ? log_alpha : most);
}
template <typename Real>
STARLING_DEVICE Real residual(Real logit, Real label, Real scale) {
  return scale * (label - 1 / (1 + std::exp(-logit)));
}
template <typename Real>
STARLING_DEVICE Real score_of_log_alpha(Real square, Real alpha, std::uint32_t weights) {
  return Real(weights) / 2 + 1 - alpha * (square / 2 + Real(prior_rate_of_alpha));
}

/// `particles` of them a block. A thread makes the logits of one row and `of_row` particles, then
/// the gradients in one coordinate of `of_column` particles. Cost: two products of particles x D by
/// D x rows, and a read of the rows a block.
template <typename Real, std::uint32_t particles, std::uint32_t of_row, std::uint32_t of_column>
struct ScoreLogistic {
  LogisticWork<Real> work;
  std::uint32_t at_a_time; ///< rows in a piece

  static constexpr std::uint32_t lanes = 32;
  /// Of a row in a block's memory: odd, so that neighbours in a column lie in different banks.
  static STARLING_DEVICE std::uint32_t stride(std::uint32_t weights) { return weights | 1; }
  static std::size_t room(std::uint32_t dim, std::size_t rows) {
    return particles * (2 * std::size_t{dim} + 1) + rows * (stride(dim - 1) + 2 + particles);
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
    const std::uint32_t dim = work.dim, weights = dim - 1, wide = stride(weights),
                        first = index * particles,
                        here = work.count - first < particles ? work.count - first : particles;
    Real* x = shared;              // particles x dim
    Real* g = x + particles * dim; // particles x dim
    Real* square = g + particles * dim;
    Real* f = square + particles; // rows x wide
    Real* y = f + at_a_time * wide;
    Real* z = y + at_a_time;                                                 // particles x rows
    auto* row = reinterpret_cast<std::uint32_t*>(z + particles * at_a_time); // their numbers
    for (std::uint32_t begin = 0; begin < work.rows; begin += at_a_time) {
      const std::uint32_t rows = work.rows - begin < at_a_time ? work.rows - begin : at_a_time;
      block.each([&](std::uint32_t t) {
        if (begin == 0)
          for (std::uint32_t n = t; n < particles * dim; n += Block::threads) {
            x[n] = n < here * dim ? work.x[std::size_t{first} * dim + n] : Real(0);
            g[n] = 0;
          }
        for (std::uint32_t r = t; r < rows; r += Block::threads)
          row[r] = work.picked ? work.picked[begin + r] : begin + r;
      });
      block.each([&](std::uint32_t t) {
        for (std::uint32_t r = t; r < rows; r += Block::threads)
          y[r] = work.labels[row[r]];
        bring(Block::threads / lanes, t, rows, row, f);
      });
      block.each([&](std::uint32_t t) {
        if (begin == 0 &&
            t >= Block::threads - particles) // by threads that have no row, where some have none
          square[Block::threads - 1 - t] = square_of(x + (Block::threads - 1 - t) * dim, weights);
        for (std::uint32_t n = t; n < rows * (particles / of_row); n += Block::threads)
          logits(x, f, y, z, rows, n % rows, n / rows * of_row);
      });
      block.each([&](std::uint32_t t) {
        for (std::uint32_t n = t; n < weights * (particles / of_column); n += Block::threads)
          gradients(f, z, g, rows, n % weights, n / weights * of_column);
      });
    }
    block.each([&](std::uint32_t t) {
      for (std::uint32_t n = t; n < here * dim; n += Block::threads) {
        const std::uint32_t i = n / dim, a = n % dim;
        const Real alpha = alpha_of(x[i * dim + weights]);
        work.s[std::size_t{first} * dim + n] =
            a < weights ? g[n] - alpha * x[n] : score_of_log_alpha(square[i], alpha, weights);
      }
    });
  }

private:
  /// Rows come from all over the table: a thread asks for many before it waits for the first.
  STARLING_DEVICE void bring(std::uint32_t teams, std::uint32_t t, std::uint32_t rows,
                             const std::uint32_t* row, Real* f) const {
    constexpr std::uint32_t at_once = 16;
    const std::uint32_t weights = work.dim - 1, wide = stride(weights);
    for (std::uint32_t a = t % lanes; a < weights; a += lanes)
      for (std::uint32_t from = t / lanes; from < rows; from += teams * at_once) {
        Real held[at_once];
        STARLING_UNROLL
        for (std::uint32_t k = 0; k < at_once; ++k)
          if (const std::uint32_t r = from + k * teams; r < rows)
            held[k] = work.features[std::size_t{row[r]} * weights + a];
        STARLING_UNROLL
        for (std::uint32_t k = 0; k < at_once; ++k)
          if (const std::uint32_t r = from + k * teams; r < rows)
            f[r * wide + a] = held[k];
      }
  }
  static STARLING_DEVICE Real square_of(const Real* w, std::uint32_t weights) {
    Real sum[4] = {}; // one sum would wait for itself
    std::uint32_t a = 0;
    for (; a + 4 <= weights; a += 4) {
      STARLING_UNROLL
      for (std::uint32_t k = 0; k < 4; ++k)
        sum[k] += w[a + k] * w[a + k];
    }
    for (; a < weights; ++a)
      sum[0] += w[a] * w[a];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
  STARLING_DEVICE void logits(const Real* x, const Real* f, const Real* y, Real* z,
                              std::uint32_t rows, std::uint32_t r, std::uint32_t i) const {
    const std::uint32_t weights = work.dim - 1;
    const Real *w = x + i * work.dim, *row = f + r * stride(weights);
    Real sum[of_row] = {};
    for (std::uint32_t a = 0; a < weights; ++a) {
      const Real value = row[a];
      STARLING_UNROLL
      for (std::uint32_t k = 0; k < of_row; ++k)
        sum[k] += w[k * work.dim + a] * value;
    }
    STARLING_UNROLL
    for (std::uint32_t k = 0; k < of_row; ++k)
      z[(i + k) * rows + r] = residual(sum[k], y[r], work.scale);
  }
  STARLING_DEVICE void gradients(const Real* f, const Real* z, Real* g, std::uint32_t rows,
                                 std::uint32_t a, std::uint32_t i) const {
    const std::uint32_t wide = stride(work.dim - 1);
    Real sum[of_column] = {};
    for (std::uint32_t r = 0; r < rows; ++r) {
      const Real value = f[r * wide + a];
      STARLING_UNROLL
      for (std::uint32_t k = 0; k < of_column; ++k)
        sum[k] += z[(i + k) * rows + r] * value;
    }
    STARLING_UNROLL
    for (std::uint32_t k = 0; k < of_column; ++k)
      g[(i + k) * work.dim + a] += sum[k];
  }
};

/// The same by a team a particle, a row after another: for so many features that not a row of them
/// would fit beside the particles of a block. What it adds up is in the score's own column.
template <typename Real>
struct ScoreLogisticByTeam {
  LogisticWork<Real> work;

  template <typename Team>
  STARLING_DEVICE void operator()(const Team& team, std::uint32_t i) const {
    const std::uint32_t weights = work.dim - 1;
    const Real* x = work.x + std::size_t{i} * work.dim;
    Real* s = work.s + std::size_t{i} * work.dim;
    const Real alpha = alpha_of(x[weights]);
    const Real square = team.sum([&](std::uint32_t lane) {
      Real sum = 0;
      for (std::uint32_t a = lane; a < weights; a += Team::lanes)
        sum += x[a] * x[a];
      return sum;
    });
    team.each([&](std::uint32_t lane) {
      for (std::uint32_t a = lane; a < weights; a += Team::lanes)
        s[a] = -alpha * x[a];
      if (lane == 0)
        s[weights] = score_of_log_alpha(square, alpha, weights);
    });
    for (std::uint32_t r = 0; r < work.rows; ++r) {
      const std::size_t row = work.picked ? work.picked[r] : r;
      const Real* f = work.features + row * weights;
      const Real logit = team.sum([&](std::uint32_t lane) {
        Real sum = 0;
        for (std::uint32_t a = lane; a < weights; a += Team::lanes)
          sum += x[a] * f[a];
        return sum;
      });
      const Real times = residual(logit, work.labels[row], work.scale);
      team.each([&](std::uint32_t lane) {
        for (std::uint32_t a = lane; a < weights; a += Team::lanes)
          s[a] += times * f[a];
      });
    }
  }
};

} // namespace starling::cuda
