// Large batches in many dimensions: distances and sums of forces as matrix products, block by
// block, so that no N x N matrix is ever in memory.
#pragma once

#include "cpu/blas.hpp"
#include "cpu/near_pairs.hpp"
#include "cpu/swept_kernel.hpp"
#include "cpu/tournament.hpp"

#include <starling/batches.hpp>
#include <starling/drift/part.hpp>
#include <starling/ensemble.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace starling::cpu {

/// One batch. With W and P the weights and slopes of the pairs of blocks I and J,
///     sums of I += W S_J - P X_J + (row sums of P) X_I,    sums of J likewise with W^T and P^T.
/// Where P = c W (the Gaussian), W (S - c X) needs one product instead of two. Positions are taken
/// from their mean, or a median when some are far away, which keeps |x|^2 + |y|^2 - 2 x.y from
/// cancelling; pairs for which it still does are taken apart, by their difference: see NearPairs.
template <typename Real>
class GemmBatch {
public:
  void gather(const SweptKernel<Real>& kernel, const Ensemble<Real>& particles,
              std::span<const std::uint32_t> members, Threads& threads) {
    passes_ = &work_in_use<ProductWork<Real>>();
    radial_ = radial(kernel.nature);
    proportional_ = kernel.nature == Nature::proportional;
    size_ = members.size();
    dim_ = particles.dim();
    rows_ = {particles.position(), particles.score(), members};
    x_.resize(size_ * dim_);
    s_.resize(size_ * dim_);
    sum_.resize(size_ * dim_);
    centre_.assign(dim_, Real(0));
    if (radial_)
      take_mean(threads);
    ratio_ = kernel.weights.ratio;
    centre_all(threads);
    if (radial_) {
      length2_ = kernel.squared_length();
      if (2 * largest() > far_apart * length2_) { // a stray would pull the mean away from everyone
        median_of_some<Real>(rows_, centre_);
        centre_all(threads);
      }
    }
  }

  std::size_t blocks() const { return (size_ + gemm_block - 1) / gemm_block; }

  /// All pairs of block a with block b, both ways; a = b: those inside it.
  void meet(const SweptKernel<Real>& kernel, std::size_t a, std::size_t b) {
    meet(kernel, a, b, sum_.data(), Real(1));
  }

  /// All pairs of all blocks.
  void meet_all(const SweptKernel<Real>& kernel, Threads& threads) {
    const Tournament tournament{blocks(), gemm_matches};
    aside_.resize(tournament.rounds_at_once(threads) * size_ * dim_);
    const auto begin_of = [&](std::size_t b) { return b * gemm_block * dim_; };
    const auto aside = [&](std::size_t slot) { return aside_.data() + slot * size_ * dim_; };
    tournament.run(
        threads, [&](std::size_t b) { meet(kernel, b, b); },
        [&](std::size_t a, std::size_t slot) {
          std::fill(aside(slot) + begin_of(a), aside(slot) + end_of(a) * dim_, Real(0));
        },
        [&](std::size_t a, std::size_t b, std::size_t slot) {
          meet(kernel, a, b, aside(slot), Real(0));
        },
        [&](std::size_t b, std::size_t slots) {
          for (std::size_t slot = 0; slot < slots; ++slot)
            for (std::size_t n = begin_of(b); n < end_of(b) * dim_; ++n)
              sum_[n] += aside(slot)[n];
        });
  }

  /// phi_i = pair * sum_i + self * F(x_i, x_i)
  void scatter(const SweptKernel<Real>& kernel, Ensemble<Real>& particles,
               std::span<const std::uint32_t> members, Real pair, Real self, Part<Real> part,
               Threads& threads) const {
    const bool far = radial_ && 2 * largest() > far_apart * length2_;
    threads.for_pieces(size_, gemm_block, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const PairWeights<Real> w = kernel.self_weights(square_[i]);
        const Real* score = particles.score()[members[i]].data();
        for (std::size_t a = 0; a < dim_; ++a) {
          const Real x = x_[i * dim_ + a]; // far out, s - c x has lost the last digits of s
          const Real s = far ? score[a] : s_[i * dim_ + a] + ratio_ * x;
          part.put(particles.drift()[members[i]][a],
                   pair * sum_[i * dim_ + a] + self * (w.weight * s + w.lift * x));
        }
      }
    });
  }

private:
  std::size_t end_of(std::size_t block) const { return std::min(size_, (block + 1) * gemm_block); }

  /// Adds to `sums` (keep = 1), or writes there (keep = 0), what the pairs of the two blocks make.
  void meet(const SweptKernel<Real>& kernel, std::size_t a, std::size_t b, Real* sums, Real keep) {
    thread_local std::vector<Real> argument, slope;
    thread_local NearPairs<Real> near;
    const std::size_t i = a * gemm_block, rows = end_of(a) - i;
    const std::size_t j = b * gemm_block, columns = end_of(b) - j;
    Real *const of_i = sums + i * dim_, *const of_j = a == b ? nullptr : sums + j * dim_;
    argument.resize(rows * columns);
    slope.resize(rows * columns);
    const Matrix<Real> w{argument.data(), columns}, p{slope.data(), columns};
    multiply<Real>(Turn::none, Turn::transpose, rows, columns, dim_, radial_ ? Real(-2) : Real(1),
                   at(x_, i), at(x_, j), Real(0), w);
    near.clear();
    if (radial_) {
      passes_->distances(w.data, rows, columns, square_.data() + i, square_.data() + j);
      if (largest_[a] + largest_[b] > wide_apart * length2_)
        near.find({w.data, rows, columns}, square_.data() + i, square_.data() + j,
                  wide_apart * length2_, a == b);
      near.measure(rows_, i, j, w.data);
    }
    kernel.weights.of(kernel.weights.kernel, w.data, w.data, proportional_ ? nullptr : p.data,
                      rows * columns);
    if (a == b)
      for (std::size_t r = 0; r < rows; ++r) // the self term has a weight of its own
        w.data[r * columns + r] = p.data[r * columns + r] = 0;
    near.take_out(w.data, proportional_ ? nullptr : p.data, ratio_);
    add(Turn::none, rows, columns, j, w, p, keep, of_i);
    if (of_j)
      add(Turn::transpose, columns, rows, i, w, p, keep, of_j);
    add_slopes(rows, columns, i, j, proportional_ ? w : p, of_i, of_j);
    near.add(rows_, i, j, of_i, of_j);
  }

  /// Of each block, then of the blocks.
  void take_mean(Threads& threads) {
    const Real share =
        Real(1) / static_cast<Real>(size_); // of each row, so that no sum grows beyond the rows
    means_.assign(blocks() * dim_, Real(0));
    threads.for_pieces(size_, gemm_block, [&](std::size_t begin, std::size_t end) {
      Real* const mean = means_.data() + begin / gemm_block * dim_;
      for (std::size_t i = begin; i < end; ++i)
        for (std::size_t a = 0; a < dim_; ++a)
          mean[a] += share * rows_.x(i)[a];
    });
    for (std::size_t b = 0; b < blocks(); ++b)
      for (std::size_t a = 0; a < dim_; ++a)
        centre_[a] += means_[b * dim_ + a];
  }

  void centre_all(Threads& threads) {
    square_.assign(size_, Real(0));
    largest_.assign(blocks(), Real(0));
    threads.for_pieces(size_, gemm_block, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Real *from = rows_.x(i), *score = rows_.s(i);
        for (std::size_t a = 0; a < dim_; ++a) {
          const Real x = from[a] - centre_[a];
          x_[i * dim_ + a] = x;
          sum_[i * dim_ + a] = 0;
          s_[i * dim_ + a] = score[a] - ratio_ * x;
          square_[i] += x * x;
        }
        largest_[i / gemm_block] = std::max(largest_[i / gemm_block], square_[i]);
      }
    });
  }
  Real largest() const { return *std::max_element(largest_.begin(), largest_.end()); }

  Matrix<const Real> at(const std::vector<Real>& column, std::size_t row) const {
    return {column.data() + row * dim_, dim_};
  }

  // sums = keep sums + op(W) S_j, and for radial kernels - op(P) X_j unless W S says it already
  void add(Turn turn, std::size_t rows, std::size_t inner, std::size_t j, Matrix<Real> w,
           Matrix<Real> p, Real keep, Real* sums) const {
    const Matrix<Real> to{sums, dim_};
    multiply<Real>(turn, Turn::none, rows, dim_, inner, Real(1), {w.data, w.stride}, at(s_, j),
                   keep, to);
    if (radial_ && !proportional_)
      multiply<Real>(turn, Turn::none, rows, dim_, inner, Real(-1), {p.data, p.stride}, at(x_, j),
                     Real(1), to);
  }

  // sums of I += (row sums of P) X_I, and where J has any, they += (column sums of P) X_J
  void add_slopes(std::size_t rows, std::size_t columns, std::size_t i, std::size_t j,
                  Matrix<Real> p, Real* of_i, Real* of_j) const {
    thread_local std::array<Real, gemm_block> across, down;
    passes_->sums(p.data, rows, columns, across.data(), down.data());
    for (std::size_t r = 0; r < rows; ++r)
      add_scaled(i + r, across[r], of_i + r * dim_);
    if (of_j)
      for (std::size_t c = 0; c < columns; ++c)
        add_scaled(j + c, down[c], of_j + c * dim_);
  }
  void add_scaled(std::size_t i, Real factor, Real* to) const {
    if (proportional_)
      factor *= ratio_;
    for (std::size_t a = 0; a < dim_; ++a)
      to[a] += factor * x_[i * dim_ + a];
  }

  const ProductWork<Real>* passes_ = nullptr;
  std::size_t size_ = 0, dim_ = 0;
  bool radial_ = true, proportional_ = false;
  Real ratio_ = 0, length2_ = 0;
  MemberRows<Real> rows_;
  std::vector<Real> x_, s_, sum_, square_, centre_;
  std::vector<Real> means_, largest_; // of each block: its share of the mean, its largest square
  std::vector<Real> aside_;           // what matches add, in the slots of their rounds
};

template <typename Real>
void gemm_sweep(const SweptKernel<Real>& kernel, Ensemble<Real>& particles, const Batches& batches,
                Threads& threads, Part<Real> part) {
  const Real self = static_cast<Real>(batches.self_weight()) * part.weight;
  const auto pair_of = [&](std::size_t q) {
    return static_cast<Real>(batches.pair_weight(batches[q].size())) * part.weight;
  };
  if (batches[0].size() < shared_products) // many batches: each on one thread
    return threads.for_pieces(batches.count(), 1, [&](std::size_t first, std::size_t last) {
      thread_local GemmBatch<Real> batch;
      for (std::size_t q = first; q < last; ++q) {
        batch.gather(kernel, particles, batches[q], Threads::alone());
        for (std::size_t b = 0; b < batch.blocks(); ++b)
          for (std::size_t a = 0; a <= b; ++a)
            batch.meet(kernel, a, b);
        batch.scatter(kernel, particles, batches[q], pair_of(q), self, part, Threads::alone());
      }
    });
  thread_local GemmBatch<Real> own; // the crew shares the caller's
  GemmBatch<Real>& batch = own;
  for (std::size_t q = 0; q < batches.count(); ++q) {
    batch.gather(kernel, particles, batches[q], threads);
    batch.meet_all(kernel, threads);
    batch.scatter(kernel, particles, batches[q], pair_of(q), self, part, threads);
  }
}

} // namespace starling::cpu
