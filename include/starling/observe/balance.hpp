// Whether scores balance: two identities for each parameter that hold under pi.
#pragma once

#include <starling/rows.hpp>

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

/// For every parameter. `sd` divides by N. Two passes: O(N d).
template <typename Real>
std::vector<Balance> balance(Rows<const Real> x, Rows<const Real> score) {
  std::vector<Balance> all(x.dim);
  std::vector<double> score_squares(x.dim), product_squares(x.dim);
  const auto n = static_cast<double>(x.count);
  for (std::size_t i = 0; i < x.count; ++i)
    for (std::size_t a = 0; a < x.dim; ++a)
      all[a].mean += static_cast<double>(x[i][a]);
  for (Balance& one : all)
    one.mean /= n;
  for (std::size_t i = 0; i < x.count; ++i)
    for (std::size_t a = 0; a < x.dim; ++a) {
      Balance& one = all[a];
      const double off = static_cast<double>(x[i][a]) - one.mean;
      const double s = static_cast<double>(score[i][a]), product = -off * s;
      one.sd += off * off;
      one.mean_score += s;
      score_squares[a] += s * s;
      one.spread += product;
      product_squares[a] += product * product;
    }
  const auto deviation = [n](double squares, double mean) {
    return std::sqrt(std::max(0.0, squares / n - mean * mean));
  };
  for (std::size_t a = 0; a < x.dim; ++a) {
    Balance& one = all[a];
    one.sd = std::sqrt(one.sd / n);
    one.mean_score /= n;
    one.shift = one.mean_score * one.sd;
    one.shift_se = deviation(score_squares[a], one.mean_score) * one.sd / std::sqrt(n);
    one.spread /= n;
    one.spread_se = deviation(product_squares[a], one.spread) / std::sqrt(n);
  }
  return all;
}

} // namespace starling
