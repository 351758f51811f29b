// Large batches in many dimensions: distances and sums of forces as matrix products, block by block,
// so that no N x N matrix is ever in memory.
#pragma once

#include "cpu/blas.hpp"
#include "cpu/pair_work.hpp"
#include "cpu/tournament.hpp"

#include <starling/batches.hpp>
#include <starling/ensemble.hpp>
#include <starling/kernel/concepts.hpp>

#include <algorithm>
#include <vector>

namespace starling::cpu {

inline constexpr std::size_t gemm_least = 256; ///< members a batch needs for products to pay
inline constexpr std::size_t gemm_block = 256; ///< rows of a block

/// One batch. With W and P the weights and slopes of the pairs of blocks I and J,
///     sums of I += W S_J - P X_J + (row sums of P) X_I,    sums of J likewise with W^T and P^T.
/// Where P = c W (the Gaussian), W (S - c X) needs one product instead of two. Positions are taken
/// from their mean, which keeps |x|^2 + |y|^2 - 2 x.y from cancelling.
template <typename Real, typename K>
class GemmBatch {
  static constexpr bool radial = RadialKernel<K, Real>;
  static constexpr bool proportional = requires(const K& k) { k.repulsion_per_weight(); };

public:
  void gather(const K& kernel, const Ensemble<Real>& particles,
              std::span<const std::uint32_t> members) {
    size_ = members.size();
    dim_ = particles.dim();
    x_.resize(size_ * dim_);
    s_.resize(size_ * dim_);
    sum_.assign(size_ * dim_, Real(0));
    square_.assign(size_, Real(0));
    centre_.assign(dim_, Real(0));
    if (radial)
      for (const std::uint32_t i : members)
        for (std::size_t a = 0; a < dim_; ++a)
          centre_[a] += particles.position()[i][a] / static_cast<Real>(size_);
    Real ratio = 0;
    if constexpr (proportional)
      ratio = kernel.repulsion_per_weight();
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t a = 0; a < dim_; ++a) {
        const Real x = particles.position()[members[i]][a] - centre_[a];
        x_[i * dim_ + a] = x;
        s_[i * dim_ + a] = particles.score()[members[i]][a] - ratio * x;
        square_[i] += x * x;
      }
    ratio_ = ratio;
  }

  std::size_t blocks() const { return (size_ + gemm_block - 1) / gemm_block; }

  /// All pairs of block a with block b, both ways; a = b: those inside it.
  void meet(const PairWork<Real, K>& table, const K& kernel, std::size_t a, std::size_t b) {
    thread_local std::vector<Real> argument, slope;
    const std::size_t i = a * gemm_block, rows = std::min(gemm_block, size_ - i);
    const std::size_t j = b * gemm_block, columns = std::min(gemm_block, size_ - j);
    argument.resize(rows * columns);
    slope.resize(rows * columns);
    const Matrix<Real> w{argument.data(), columns}, p{slope.data(), columns};
    multiply<Real>(Turn::none, Turn::transpose, rows, columns, dim_, radial ? Real(-2) : Real(1),
                   at(x_, i), at(x_, j), Real(0), w);
    if (radial)
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c)
          w.data[r * columns + c] =
              std::max(Real(0), square_[i + r] + square_[j + c] + w.data[r * columns + c]);
    table.weights(kernel, w.data, w.data, proportional ? nullptr : p.data, rows * columns);
    if (a == b)
      for (std::size_t r = 0; r < rows; ++r) // the self term has a weight of its own
        w.data[r * columns + r] = p.data[r * columns + r] = 0;
    add(Turn::none, rows, columns, i, j, w, p);
    if (a != b)
      add(Turn::transpose, columns, rows, j, i, w, p);
    add_slopes(rows, columns, i, j, proportional ? w : p, a != b);
  }

  /// phi_i = pair * sum_i + self * F(x_i, x_i)
  void scatter(const K& kernel, Ensemble<Real>& particles, std::span<const std::uint32_t> members,
               Real pair, Real self) const {
    for (std::size_t i = 0; i < size_; ++i) {
      const PairWeights<Real> w = pair_weights(kernel, Real(0), square_[i]);
      for (std::size_t a = 0; a < dim_; ++a) {
        const Real x = x_[i * dim_ + a], s = s_[i * dim_ + a] + ratio_ * x;
        particles.drift()[members[i]][a] =
            pair * sum_[i * dim_ + a] + self * (w.weight * s + w.lift * x);
      }
    }
  }

private:
  Matrix<const Real> at(const std::vector<Real>& column, std::size_t row) const {
    return {column.data() + row * dim_, dim_};
  }

  // sums of rows i += op(W) S_j, and for radial kernels - op(P) X_j unless W S says it already
  void add(Turn turn, std::size_t rows, std::size_t inner, std::size_t i, std::size_t j,
           Matrix<Real> w, Matrix<Real> p) {
    const Matrix<Real> to{sum_.data() + i * dim_, dim_};
    multiply<Real>(turn, Turn::none, rows, dim_, inner, Real(1), {w.data, w.stride}, at(s_, j),
                   Real(1), to);
    if constexpr (radial && !proportional)
      multiply<Real>(turn, Turn::none, rows, dim_, inner, Real(-1), {p.data, p.stride}, at(x_, j),
                     Real(1), to);
  }

  // sums of I += (row sums of P) X_I, sums of J += (column sums of P) X_J
  void add_slopes(std::size_t rows, std::size_t columns, std::size_t i, std::size_t j,
                  Matrix<Real> p, bool both) {
    thread_local std::vector<Real> down;
    down.assign(columns, Real(0));
    for (std::size_t r = 0; r < rows; ++r) {
      Real across = 0;
      for (std::size_t c = 0; c < columns; ++c) {
        across += p.data[r * columns + c];
        down[c] += p.data[r * columns + c];
      }
      add_scaled(i + r, across);
    }
    if (both)
      for (std::size_t c = 0; c < columns; ++c)
        add_scaled(j + c, down[c]);
  }
  void add_scaled(std::size_t i, Real factor) {
    if constexpr (proportional)
      factor *= ratio_;
    for (std::size_t a = 0; a < dim_; ++a)
      sum_[i * dim_ + a] += factor * x_[i * dim_ + a];
  }

  std::size_t size_ = 0, dim_ = 0;
  Real ratio_ = 0;
  std::vector<Real> x_, s_, sum_, square_, centre_;
};

template <typename Real, typename K>
void gemm_sweep(const PairWork<Real, K>& table, const K& kernel, Ensemble<Real>& particles,
                const Batches& batches, Threads& threads) {
  const auto self = static_cast<Real>(batches.self_weight());
  const auto pair_of = [&](std::size_t q) {
    return static_cast<Real>(batches.pair_weight(batches[q].size()));
  };
  if (batches[0].size() < 2 * gemm_block) // many batches: each on one thread
    return threads.for_pieces(batches.count(), 1, [&](std::size_t first, std::size_t last) {
      thread_local GemmBatch<Real, K> batch;
      for (std::size_t q = first; q < last; ++q) {
        batch.gather(kernel, particles, batches[q]);
        for (std::size_t b = 0; b < batch.blocks(); ++b)
          for (std::size_t a = 0; a <= b; ++a)
            batch.meet(table, kernel, a, b);
        batch.scatter(kernel, particles, batches[q], pair_of(q), self);
      }
    });
  thread_local GemmBatch<Real, K> own; // the crew shares the caller's
  GemmBatch<Real, K>& batch = own;
  for (std::size_t q = 0; q < batches.count(); ++q) {
    batch.gather(kernel, particles, batches[q]);
    tournament(
        threads, batch.blocks(), [&](std::size_t b) { batch.meet(table, kernel, b, b); },
        [&](std::size_t a, std::size_t b) { batch.meet(table, kernel, a, b); });
    batch.scatter(kernel, particles, batches[q], pair_of(q), self);
  }
}

} // namespace starling::cpu
