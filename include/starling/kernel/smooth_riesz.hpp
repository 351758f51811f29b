// Riesz kernel mollified by a Gaussian: K = E |x - y + s Z|^-a, Z ~ N(0, I). Smooth, long range.
#pragma once

#include <starling/kernel/check.hpp>
#include <starling/kernel/concepts.hpp>

#include <algorithm>
#include <vector>

namespace starling::kernel {

/// 1F1(a; b; -z) for 0 < a < b, z >= 0, whose own series cancels: by Kummer's transformation, and
/// for large z by the asymptotic series, which wants z above a b as well, or it never falls.
inline double confluent_decay(double a, double b, double z) {
  if (z > std::max(50.0, 2 * std::max(a, 1.0) * b)) {
    // Gamma(b)/Gamma(b-a) z^-a sum (a)_n (a-b+1)_n / n! z^-n, to its smallest term
    double term = 1, sum = 1;
    for (int n = 0; n < 60; ++n) {
      const double next = term * (a + n) * (a - b + 1 + n) / ((n + 1) * z);
      if (std::abs(next) >= std::abs(term) || std::abs(next) < 1e-18)
        break;
      sum += term = next;
    }
    return std::exp(std::lgamma(b) - std::lgamma(b - a) - a * std::log(z)) * sum;
  }
  double term = 1, sum = 1, log_scale = -z; // exp(-z) 1F1(b - a; b; z): all terms positive
  for (int n = 0; term > 1e-18 * sum; ++n) {
    sum += term *= (b - a + n) / (b + n) * z / (n + 1);
    if (sum > 1e200) { // it grows like exp(z), which overflows at 710
      log_scale += std::log(sum);
      term /= sum;
      sum = 1;
    }
  }
  return std::exp(log_scale) * sum;
}

/// With z = r2 / 2s^2: K = (2 s^2)^(-a/2) Gamma((d-a)/2)/Gamma(d/2) 1F1(a/2; d/2; -z), 0 < a < d,
/// and -2 f' = K's factor * (1/s^2) (a/d) 1F1(a/2 + 1; d/2 + 1; -z). Both profiles are tabulated
/// once: with c = max(1, d/2), times (1 + z/c)^(a/2) and (1 + z/c)^(a/2 + 1) they are smooth in
/// v = z/(c + z) on all of [0, 1], so one even grid serves every distance, with no far branch. (z
/// turns at about d/2: with c = 1 the error would grow to 1e-5 in 200 dimensions.)
template <typename Real>
class SmoothRiesz {
public:
  SmoothRiesz(Real exponent, Real smoothing, std::size_t dim)
      : half_exponent_(positive("exponent", exponent) / 2),
        inverse_(Real(0.5) / (positive("smoothing", smoothing) * smoothing)) {
    const double c = std::max(1.0, static_cast<double>(dim) / 2);
    inverse_ /= static_cast<Real>(c);
    const double a = static_cast<double>(exponent), d = static_cast<double>(dim);
    if (!(a < d))
      reject("exponent", "below the dimension " + std::to_string(dim), shown(exponent));
    const double s2 = static_cast<double>(smoothing) * static_cast<double>(smoothing);
    const double top =
        std::exp(std::lgamma((d - a) / 2) - std::lgamma(d / 2)) * std::pow(2 * s2, -a / 2);
    weight_ = tabulate(a / 2, d / 2, c, top);
    repulsion_ = tabulate(a / 2 + 1, d / 2 + 1, c, top * a / (d * s2));
  }

  PairWeights<Real> at_distance(Real r2) const {
    const Real z = r2 * inverse_, grown = 1 + z; // z/c
    const Real decay = std::exp(-half_exponent_ * std::log(grown));
    const Real place = z / grown * Real(cells);
    return {decay * interpolate(weight_, place), decay / grown * interpolate(repulsion_, place),
            Real(0)};
  }

private:
  static constexpr std::size_t cells = 2048;

  // Values of factor * (1 + z/c)^a 1F1(a; b; -z) at v = -1/cells, 0, ..., 1, 1 + 1/cells.
  static std::vector<Real> tabulate(double a, double b, double c, double factor) {
    std::vector<double> node(cells + 3);
    for (std::size_t i = 0; i <= cells; ++i) {
      const double v = static_cast<double>(i) / cells, z = c * v / (1 - v);
      node[i + 1] = i < cells ? std::pow(1 + z / c, a) * confluent_decay(a, b, z)
                              : std::exp(std::lgamma(b) - std::lgamma(b - a) - a * std::log(c));
    }
    // One node beyond each end, by cubic extrapolation.
    node[0] = 4 * node[1] - 6 * node[2] + 4 * node[3] - node[4];
    node[cells + 2] = 4 * node[cells + 1] - 6 * node[cells] + 4 * node[cells - 1] - node[cells - 2];
    std::vector<Real> table(node.size());
    for (std::size_t i = 0; i < node.size(); ++i)
      table[i] = static_cast<Real>(factor * node[i]);
    return table;
  }

  // Cubic through the four nodes around the place (Lagrange); error of order cells^-4.
  static Real interpolate(const std::vector<Real>& table, Real place) {
    const std::size_t i = std::min(static_cast<std::size_t>(place), cells - 1);
    const Real t = place - Real(i);
    const Real *p = table.data() + i, u = t - 1, w = t - 2, q = t + 1;
    return -t * u * w / 6 * p[0] + q * u * w / 2 * p[1] - q * t * w / 2 * p[2] +
           q * t * u / 6 * p[3];
  }

  Real half_exponent_, inverse_; // a/2, 1/(2 c s^2)
  std::vector<Real> weight_, repulsion_;
};

} // namespace starling::kernel
