// The precision of a cloud along each coordinate: one over its variance.
#pragma once

#include <starling/rows.hpp>
#include <starling/threads.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace starling {

/// What makes kernels of single coordinates free of units. Measured of all rows that are here, in
/// two passes; sums of pieces are added in order, so that it is the same on any number of threads.
/// A coordinate that is the same for everyone has precision 1. The room is kept from call to call.
template <typename Real>
class Precisions {
public:
  template <typename C>
  std::span<const Real> operator()(const C& rows, Threads& threads) {
    const std::size_t count = rows.count, dim = rows.dim;
    const std::size_t grain = std::max<std::size_t>(1024, (count + 63) / 64);
    const std::size_t pieces = (count + grain - 1) / grain;
    sums_.resize((pieces + 1) * dim);
    values_.resize(dim);
    double* const total = sums_.data() + pieces * dim;
    const auto add_up = [&](auto&& of) {
      threads.for_pieces(count, grain, [&](std::size_t begin, std::size_t end) {
        double* const sum = sums_.data() + begin / grain * dim;
        std::fill(sum, sum + dim, 0.0);
        for (std::size_t i = begin; i < end; ++i) {
          const auto x = rows[i];
          for (std::size_t a = 0; a < dim; ++a)
            sum[a] += of(static_cast<double>(x[a]), a);
        }
      });
    };
    add_up([](double x, std::size_t) { return x; });
    for (std::size_t a = 0; a < dim; ++a) {
      total[a] = 0;
      for (std::size_t piece = 0; piece < pieces; ++piece)
        total[a] += sums_[piece * dim + a];
      total[a] /= static_cast<double>(count);
    }
    add_up([total](double x, std::size_t a) { return (x - total[a]) * (x - total[a]); });
    for (std::size_t a = 0; a < dim; ++a) {
      double sum = 0;
      for (std::size_t piece = 0; piece < pieces; ++piece)
        sum += sums_[piece * dim + a];
      const auto precision = static_cast<Real>(static_cast<double>(count) / sum);
      values_[a] = sum > 0 && std::isfinite(precision) ? precision : Real(1);
    }
    return values_;
  }

  Real operator[](std::size_t a) const { return values_[a]; }

private:
  std::vector<double> sums_; // a row for each piece, and the means
  std::vector<Real> values_;
};

} // namespace starling
