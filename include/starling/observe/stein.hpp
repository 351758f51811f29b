// What the scores say about the cloud: identities that hold under pi, without knowing pi's constant.
#pragma once

#include <starling/concepts.hpp>
#include <starling/random/philox.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace starling {

/// mean over particles of -(x_a - m_a) s_a, for each coordinate a. It is 1 when the cloud has the
/// right spread, below 1 when it has collapsed, above when it is too wide. O(N d).
template <typename Real>
std::vector<double> spread_identity(Rows<const Real> x, Rows<const Real> score) {
  std::vector<double> mean(x.dim), identity(x.dim);
  const auto n = static_cast<double>(x.count);
  for (std::size_t i = 0; i < x.count; ++i)
    for (std::size_t a = 0; a < x.dim; ++a)
      mean[a] += static_cast<double>(x[i][a]) / n;
  for (std::size_t i = 0; i < x.count; ++i)
    for (std::size_t a = 0; a < x.dim; ++a)
      identity[a] -= (static_cast<double>(x[i][a]) - mean[a]) * static_cast<double>(score[i][a]) / n;
  return identity;
}

struct Discrepancy {
  double value = 0; ///< squared kernel Stein discrepancy: 0 when the cloud is a sample of pi
  double se = 0;    ///< its standard error
};

/// Squared kernel Stein discrepancy from `pairs` pairs of different particles drawn by address, an
/// incomplete U-statistic, with the inverse multiquadric k = (1 + r2 / 2h)^(-1/2):
///     k_pi = div_x div_y k + s_x . grad_y k + s_y . grad_x k + k s_x . s_y
template <typename Real>
Discrepancy stein_discrepancy(Rows<const Real> x, Rows<const Real> score, double bandwidth,
                              std::size_t pairs, std::uint64_t seed, Step step = 0) {
  if (!(bandwidth > 0))
    reject("bandwidth", "positive", shown(bandwidth));
  if (x.count < 2 || pairs == 0)
    return {};
  const Philox philox(seed);
  const auto n = static_cast<std::uint32_t>(x.count);
  double sum = 0, squares = 0;
  for (std::size_t m = 0; m < pairs; ++m) {
    const std::uint32_t i = philox.below(n, Stream::diagnosis, step, 2 * m);
    std::uint32_t j = philox.below(n - 1, Stream::diagnosis, step, 2 * m + 1);
    j += j >= i;
    double r2 = 0, across = 0, both = 0; // |x - y|^2, (s_x - s_y).(x - y), s_x.s_y
    for (std::size_t a = 0; a < x.dim; ++a) {
      const double delta = static_cast<double>(x[i][a]) - static_cast<double>(x[j][a]);
      const double sx = static_cast<double>(score[i][a]), sy = static_cast<double>(score[j][a]);
      r2 += delta * delta;
      across += (sx - sy) * delta;
      both += sx * sy;
    }
    // k = f(r2): grad_y k = -2 f' (x - y), grad_x k = 2 f' (x - y), div div = -2 d f' - 4 r2 f''
    const double base = 1 + r2 / (2 * bandwidth), f = 1 / std::sqrt(base);
    const double slope = -f / (4 * bandwidth * base), bend = -3 * slope / (4 * bandwidth * base);
    const double value = -2 * static_cast<double>(x.dim) * slope - 4 * r2 * bend -
                         2 * slope * across + f * both;
    sum += value;
    squares += value * value;
  }
  const auto count = static_cast<double>(pairs);
  const double mean = sum / count;
  return {mean, std::sqrt(std::max(0.0, squares / count - mean * mean) / count)};
}

} // namespace starling
