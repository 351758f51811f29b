// A root of a kernel matrix that may be all but singular: Cholesky with pivots, stopped in time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace starling {

/// L with L L^T = K. The largest diagonal entry that is left comes next, and when all that are left
/// are below `tolerance` times the largest of K, the rest is taken for zero: then every entry of
/// L L^T is right to that, also where two particles stand in one place and K has no inverse.
/// (Without pivots a column would be divided by the root of rounding errors.) Cost: size rank^2
/// flops.
class SemidefiniteRoot {
public:
  /// K row after row; only the lower half is read.
  void take(std::span<const double> k, std::size_t size, double tolerance) {
    size_ = size;
    rank_ = 0;
    columns_.resize(size * size);
    pivots_.resize(size);
    left_.resize(size);
    for (std::size_t i = 0; i < size; ++i)
      left_[i] = k[i * size + i];
    const double enough = tolerance * (size > 0 ? *std::ranges::max_element(left_) : 0);
    while (rank_ < size) {
      const auto m = static_cast<std::size_t>(std::ranges::max_element(left_) - left_.begin());
      if (!(left_[m] > enough)) // also where a number is none
        return;
      add_column(k, m);
    }
  }

  std::size_t rank() const { return rank_; }
  /// Entry of row i in column c.
  double at(std::size_t i, std::size_t c) const { return columns_[c * size_ + i]; }
  /// The row on which column c was built: in this order L is lower triangular.
  std::size_t pivot(std::size_t c) const { return pivots_[c]; }

private:
  void add_column(std::span<const double> k, std::size_t m) {
    double* column = columns_.data() + rank_ * size_;
    for (std::size_t i = 0; i < size_; ++i)
      column[i] = i < m ? k[m * size_ + i] : k[i * size_ + m];
    for (std::size_t c = 0; c < rank_; ++c) {
      const double* earlier = columns_.data() + c * size_;
      for (std::size_t i = 0; i < size_; ++i)
        column[i] -= earlier[m] * earlier[i];
    }
    const double diagonal = std::sqrt(left_[m]);
    for (std::size_t i = 0; i < size_; ++i) {
      column[i] /= diagonal;
      left_[i] -= column[i] * column[i];
    }
    for (std::size_t c = 0; c < rank_; ++c) // exactly, where rounding left a little
      column[pivots_[c]] = 0;
    column[m] = diagonal;
    for (std::size_t c = 0; c < rank_; ++c)
      left_[pivots_[c]] = 0;
    left_[m] = 0;
    pivots_[rank_++] = m;
  }

  std::size_t size_ = 0, rank_ = 0;
  std::vector<double> columns_, left_; // left: the diagonal of K - L L^T
  std::vector<std::size_t> pivots_;
};

} // namespace starling
