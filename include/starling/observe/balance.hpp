// Whether scores balance: two identities for each parameter that hold under pi.
#pragma once

#include <starling/rows.hpp>
#include <starling/threads.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace starling {

/// What the scores say about one parameter. The standard errors are those of as many independent
/// draws; particles that repel each other lie more evenly, so they err on the careful side.
struct Balance {
  double mean = 0, sd = 0, mean_score = 0;
  /// mean score times sd, 0 in balance: for a normal, by how many sd the mean is off
  double shift = 0, shift_se = 0;
  /// mean of -(x_a - m_a) s_a: 1 when the spread is right, less when it has collapsed
  double spread = 0, spread_se = 0;
};

/// Rows and columns of a block. Sums are taken block by block and the blocks added in order, so that
/// they are the same for any number of threads; up to `balance_rows` rows there is one block of rows.
inline constexpr std::size_t balance_rows = 16384, balance_columns = 512;

namespace balance_sums {

enum : std::size_t { squares, scores, score_squares, products, product_squares, kinds };

/// Four columns at a time, which a compiler turns into vectors.
template <typename One>
inline void for_columns(std::size_t count, One&& one) {
  std::size_t a = 0;
  for (; a + 4 <= count; a += 4)
    for (std::size_t lane = 0; lane < 4; ++lane)
      one(a + lane);
  for (; a < count; ++a)
    one(a);
}

/// Sums of x over rows [first, last) and columns [begin, end).
template <typename Real>
void add_up(Rows<const Real> x, std::size_t first, std::size_t last, std::size_t begin, std::size_t end,
            double* to) {
  double sum[balance_columns] = {};
  for (std::size_t i = first; i < last; ++i) {
    const Real* row = x.data + i * x.dim + begin;
    for_columns(end - begin, [&](std::size_t a) { sum[a] += static_cast<double>(row[a]); });
  }
  std::copy_n(sum, end - begin, to);
}

/// Of the five kinds, with `stride` between kinds.
template <typename Real>
void add_up(Rows<const Real> x, Rows<const Real> score, const double* mean, std::size_t first,
            std::size_t last, std::size_t begin, std::size_t end, double* to, std::size_t stride) {
  double sum[kinds][balance_columns] = {};
  for (std::size_t i = first; i < last; ++i) {
    const Real *row = x.data + i * x.dim + begin, *slope = score.data + i * x.dim + begin;
    for_columns(end - begin, [&](std::size_t a) {
      const double off = static_cast<double>(row[a]) - mean[a];
      const double s = static_cast<double>(slope[a]), product = -off * s;
      sum[squares][a] += off * off;
      sum[scores][a] += s;
      sum[score_squares][a] += s * s;
      sum[products][a] += product;
      sum[product_squares][a] += product * product;
    });
  }
  for (std::size_t kind = 0; kind < kinds; ++kind)
    std::copy_n(sum[kind], end - begin, to + kind * stride);
}

} // namespace balance_sums

/// For every parameter. `sd` divides by N. Two passes, the second near at hand where rows are few:
/// O(N d), shared out among the threads.
template <typename Real>
std::vector<Balance> balance(Rows<const Real> x, Rows<const Real> score,
                             Threads& threads = Threads::alone()) {
  using namespace balance_sums;
  const std::size_t dim = x.dim, tall = std::max<std::size_t>(1, (x.count + balance_rows - 1) / balance_rows);
  const std::size_t wide = (dim + balance_columns - 1) / balance_columns;
  const auto n = static_cast<double>(x.count);
  std::vector<double> mean(dim), sums(tall * kinds * dim);
  const auto for_blocks = [&](auto&& work) {
    threads.for_pieces(tall * wide, 1, [&](std::size_t piece, std::size_t) {
      const std::size_t block = piece / wide, column = piece % wide;
      work(block * balance_rows, std::min(x.count, (block + 1) * balance_rows), column * balance_columns,
           std::min(dim, (column + 1) * balance_columns), sums.data() + block * kinds * dim);
    });
  };
  /// Adds the blocks of one kind in order, into the first.
  const auto gather = [&](std::size_t kind, std::size_t a) {
    for (std::size_t block = 1; block < tall; ++block)
      sums[kind * dim + a] += sums[(block * kinds + kind) * dim + a];
    return sums[kind * dim + a];
  };
  if (tall > 1) {
    for_blocks([&](std::size_t first, std::size_t last, std::size_t begin, std::size_t end, double* to) {
      add_up(x, first, last, begin, end, to + begin);
    });
    for (std::size_t a = 0; a < dim; ++a)
      mean[a] = gather(0, a) / n;
  }
  for_blocks([&](std::size_t first, std::size_t last, std::size_t begin, std::size_t end, double* to) {
    if (tall == 1) {
      add_up(x, first, last, begin, end, mean.data() + begin);
      for (std::size_t a = begin; a < end; ++a)
        mean[a] /= n;
    }
    add_up(x, score, mean.data() + begin, first, last, begin, end, to + begin, dim);
  });
  const auto deviation = [n](double sum, double middle) {
    return std::sqrt(std::max(0.0, sum / n - middle * middle));
  };
  std::vector<Balance> all(dim);
  for (std::size_t a = 0; a < dim; ++a) {
    Balance& one = all[a];
    one.mean = mean[a];
    one.sd = std::sqrt(gather(squares, a) / n);
    one.mean_score = gather(scores, a) / n;
    one.shift = one.mean_score * one.sd;
    one.shift_se = deviation(gather(score_squares, a), one.mean_score) * one.sd / std::sqrt(n);
    one.spread = gather(products, a) / n;
    one.spread_se = deviation(gather(product_squares, a), one.spread) / std::sqrt(n);
  }
  return all;
}

} // namespace starling
