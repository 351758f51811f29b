// Whether scores balance: two identities for each parameter that hold under pi.
#pragma once

#include <starling/rows.hpp>
#include <starling/threads.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>
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

/// Rows and columns of a block. Sums are taken block by block and the blocks added in order, so
/// that they are the same for any number of threads; up to `balance_rows` rows there is one block
/// of rows.
inline constexpr std::size_t balance_rows = 2048, balance_columns = 512;

namespace balance_sums {

enum : std::size_t { squares, scores, score_squares, products, product_squares, kinds };

/// Four columns at a time, which a compiler turns into vectors: `one` is told where, and how many.
template <typename One>
inline void for_columns(std::size_t count, One&& one) {
  std::size_t a = 0;
  for (; a + 4 <= count; a += 4)
    one(a, std::integral_constant<std::size_t, 4>());
  for (; a < count; ++a)
    one(a, std::integral_constant<std::size_t, 1>());
}

/// Four rows at a time: their sums are then fetched and put back once, and added to in order as
/// ever.
template <typename Few>
inline void for_rows(std::size_t first, std::size_t last, Few&& few) {
  for (; first + 4 <= last; first += 4)
    few(first, std::integral_constant<std::size_t, 4>());
  for (; first < last; ++first)
    few(first, std::integral_constant<std::size_t, 1>());
}

/// Sums of x over rows [first, last) and columns [begin, end).
template <typename Real>
void add_up(Rows<const Real> x, std::size_t first, std::size_t last, std::size_t begin,
            std::size_t end, double* to) {
  double sum[balance_columns] = {};
  for_rows(first, last, [&](std::size_t i, auto rows) {
    const Real* row = x.data + i * x.dim + begin;
    for_columns(end - begin, [&](std::size_t a, auto lanes) {
      double own[lanes];
      std::copy_n(sum + a, std::size_t(lanes), own);
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t lane = 0; lane < lanes; ++lane)
          own[lane] += static_cast<double>(row[r * x.dim + a + lane]);
      std::copy_n(own, std::size_t(lanes), sum + a);
    });
  });
  std::copy_n(sum, end - begin, to);
}

/// Of the five kinds, each a row of `sum`.
template <typename Real>
void add_up(Rows<const Real> x, Rows<const Real> score, const double* mean, std::size_t first,
            std::size_t last, std::size_t begin, std::size_t end,
            double (&sum)[kinds][balance_columns]) {
  for (auto& row : sum)
    std::fill_n(row, end - begin, 0.0);
  for_rows(first, last, [&](std::size_t i, auto rows) {
    const Real *row = x.data + i * x.dim + begin, *slope = score.data + i * x.dim + begin;
    for_columns(end - begin, [&](std::size_t a, auto lanes) {
      double own[kinds][lanes];
      for (std::size_t kind = 0; kind < kinds; ++kind)
        std::copy_n(sum[kind] + a, std::size_t(lanes), own[kind]);
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t lane = 0; lane < lanes; ++lane) {
          const double off = static_cast<double>(row[r * x.dim + a + lane]) - mean[a + lane];
          const double s = static_cast<double>(slope[r * x.dim + a + lane]), product = -off * s;
          own[squares][lane] += off * off;
          own[scores][lane] += s;
          own[score_squares][lane] += s * s;
          own[products][lane] += product;
          own[product_squares][lane] += product * product;
        }
      for (std::size_t kind = 0; kind < kinds; ++kind)
        std::copy_n(own[kind], std::size_t(lanes), sum[kind] + a);
    });
  });
}

/// What one parameter's sums over n rows come to; `sum(kind)` answers them.
template <typename Sum>
Balance balance_of(double mean, double n, Sum&& sum) {
  const auto deviation = [n](double of_squares, double middle) {
    return std::sqrt(std::max(0.0, of_squares / n - middle * middle));
  };
  Balance one;
  one.mean = mean;
  one.sd = std::sqrt(sum(squares) / n);
  one.mean_score = sum(scores) / n;
  one.shift = one.mean_score * one.sd;
  one.shift_se = deviation(sum(score_squares), one.mean_score) * one.sd / std::sqrt(n);
  one.spread = sum(products) / n;
  one.spread_se = deviation(sum(product_squares), one.spread) / std::sqrt(n);
  return one;
}

} // namespace balance_sums

/// For every parameter, into `all`. `sd` divides by N. Two passes, the second near at hand where
/// rows are few: O(N d), shared out among the threads.
template <typename Real>
void balance(Rows<const Real> x, Rows<const Real> score, Threads& threads,
             std::vector<Balance>& all) {
  using namespace balance_sums;
  const std::size_t dim = x.dim,
                    tall = std::max<std::size_t>(1, (x.count + balance_rows - 1) / balance_rows);
  const std::size_t wide = (dim + balance_columns - 1) / balance_columns;
  const auto n = static_cast<double>(x.count);
  all.resize(dim);
  const auto for_blocks = [&](auto&& work) {
    threads.for_pieces(tall * wide, 1, [&](std::size_t piece, std::size_t) {
      const std::size_t block = piece / wide, column = piece % wide;
      work(block, block * balance_rows, std::min(x.count, (block + 1) * balance_rows),
           column * balance_columns, std::min(dim, (column + 1) * balance_columns));
    });
  };
  if (tall == 1)
    return for_blocks([&](std::size_t, std::size_t first, std::size_t last, std::size_t begin,
                          std::size_t end) {
      double mean[balance_columns], sums[kinds][balance_columns];
      add_up(x, first, last, begin, end, mean);
      for (std::size_t a = 0; a < end - begin; ++a)
        mean[a] /= n;
      add_up(x, score, mean, first, last, begin, end, sums);
      for (std::size_t a = begin; a < end; ++a)
        all[a] =
            balance_of(mean[a - begin], n, [&](std::size_t kind) { return sums[kind][a - begin]; });
    });

  std::vector<double> mean(dim), sums(tall * kinds * dim);
  /// Of all blocks of rows, in order.
  const auto gather = [&](std::size_t kind, std::size_t a) {
    double sum = sums[kind * dim + a];
    for (std::size_t block = 1; block < tall; ++block)
      sum += sums[(block * kinds + kind) * dim + a];
    return sum;
  };
  for_blocks([&](std::size_t block, std::size_t first, std::size_t last, std::size_t begin,
                 std::size_t end) {
    add_up(x, first, last, begin, end, sums.data() + block * kinds * dim + begin);
  });
  for (std::size_t a = 0; a < dim; ++a)
    mean[a] = gather(0, a) / n;
  for_blocks([&](std::size_t block, std::size_t first, std::size_t last, std::size_t begin,
                 std::size_t end) {
    double own[kinds][balance_columns];
    add_up(x, score, mean.data() + begin, first, last, begin, end, own);
    for (std::size_t kind = 0; kind < kinds; ++kind)
      std::copy_n(own[kind], end - begin, sums.data() + (block * kinds + kind) * dim + begin);
  });
  for (std::size_t a = 0; a < dim; ++a)
    all[a] = balance_of(mean[a], n, [&](std::size_t kind) { return gather(kind, a); });
}

extern template void balance(Rows<const double>, Rows<const double>, Threads&,
                             std::vector<Balance>&);
extern template void balance(Rows<const float>, Rows<const float>, Threads&, std::vector<Balance>&);

template <typename Real>
std::vector<Balance> balance(Rows<const Real> x, Rows<const Real> score,
                             Threads& threads = Threads::alone()) {
  std::vector<Balance> all;
  balance(x, score, threads, all);
  return all;
}

} // namespace starling
