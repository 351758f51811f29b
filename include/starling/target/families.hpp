// Families of generalised linear models: what a response says about its linear predictors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace starling {

// A family is a log likelihood l(y | u) of inputs u = (z_1 .. z_C, extras): `predictors` numbers
// that are linear in the features, and parameters of its own that all rows share.
//
//     predictors(), extras(), extra_name(e), extra_prior(e, value, slope)
//     add<Algebra>(z, stride, y, weights, rows, extras, to_extras, wanted)
//         z[c * stride + r] become d l / d z_c, times the row's weight; adds to to_extras the
//         slopes along the extras and answers the sum of l, where that is wanted. `weights` may be
//         null: 1 each.
//     hessian(u, y, h): minus the second derivatives in u, U x U.
//
// Log likelihoods are up to a constant of the data. The loops are plain: exponentials go through
// the Algebra, many at a time, and the rest the compiler makes vectors of.

namespace family {

constexpr std::size_t chunk = 256; ///< rows whose exponentials are taken together

/// Sums over rows in eight parts, since one sum would wait for itself.
struct Parts {
  double part[8] = {};
  void add(std::size_t r, double value) { part[r % 8] += value; }
  double sum() const {
    return ((part[0] + part[1]) + (part[2] + part[3])) +
           ((part[4] + part[5]) + (part[6] + part[7]));
  }
};

/// A family without parameters beside the weights.
struct NoExtras {
  std::size_t extras() const { return 0; }
  std::string extra_name(std::size_t) const { return {}; }
  double extra_prior(std::size_t, double, double&) const { return 0; }
};

/// y is 0 or 1, P(y = 1) = 1 / (1 + e^-z).
struct Logistic : NoExtras {
  std::size_t predictors() const { return 1; }

  /// l = y z - max(z, 0) + log p, p = 1 / (1 + e^-|z|). Where weights are equal, the logarithm of a
  /// product of 256 of the p instead of theirs: each is at least 1/2, so it cannot underflow.
  template <typename Algebra, typename Real>
  double add(Real* z, std::size_t, const Real* y, const Real* weights, std::size_t rows,
             const double*, double*, bool wanted) const {
    double sum = 0;
    Real e[chunk];
    for (std::size_t first = 0; first < rows; first += chunk) {
      const std::size_t m = std::min(chunk, rows - first);
      Real* at = z + first;
      const Real* label = y + first;
      for (std::size_t r = 0; r < m; ++r)
        e[r] = -std::abs(at[r]);
      Algebra::exponentials(e, m);
      Parts linear;
      double product[8] = {1, 1, 1, 1, 1, 1, 1, 1};
      const auto one = [&](std::size_t r, std::size_t lane, Real weight) {
        const Real p = 1 / (1 + e[r]), sigmoid = at[r] >= 0 ? p : e[r] * p;
        const Real line = label[r] * at[r] - std::max(at[r], Real(0));
        if (weights && wanted)
          linear.part[lane] += double(weight) * (double(line) + std::log(double(p)));
        else if (wanted) {
          linear.part[lane] += double(line);
          product[lane] *= double(p);
        }
        at[r] = weight * (label[r] - sigmoid);
      };
      const Real* w = weights ? weights + first : nullptr;
      std::size_t r = 0;
      if (!w)
        for (; r + 8 <= m; r += 8)
          for (std::size_t lane = 0; lane < 8; ++lane)
            one(r + lane, lane, Real(1));
      for (; r < m; ++r)
        one(r, r % 8, w ? w[r] : Real(1));
      sum += linear.sum();
      if (!weights)
        for (const double part : product)
          sum += std::log(part);
    }
    return sum;
  }

  void hessian(const double* u, double, double* h) const {
    const double p = 1 / (1 + std::exp(-std::abs(u[0])));
    h[0] = p * (1 - p);
  }
};

/// y is a number, y ~ N(z, sigma^2). The extra is a = log sigma, and 1/sigma^2 ~ Gamma(1, rate
/// .01).
struct Linear {
  std::size_t predictors() const { return 1; }
  std::size_t extras() const { return 1; }
  std::string extra_name(std::size_t) const { return "log_sigma"; }
  double extra_prior(std::size_t, double a, double& slope) const {
    const double precision = std::exp(std::min(-2 * a, 600.0));
    slope = -2 + 0.02 * precision;
    return -2 * a - 0.01 * precision;
  }

  template <typename Algebra, typename Real>
  double add(Real* z, std::size_t, const Real* y, const Real* weights, std::size_t rows,
             const double* extras, double* to_extras, bool) const {
    const double a = extras[0], precision = std::exp(std::min(-2 * a, 600.0));
    Parts squares, total;
    for (std::size_t r = 0; r < rows; ++r) {
      const double weight = weights ? double(weights[r]) : 1, off = double(y[r]) - double(z[r]);
      squares.add(r, weight * off * off);
      total.add(r, weight);
      z[r] = Real(weight * off * precision);
    }
    const double square = squares.sum() * precision, all = total.sum();
    to_extras[0] += square - all;
    return -a * all - square / 2;
  }

  void hessian(const double* u, double y, double* h) const {
    const double precision = std::exp(-2 * u[1]), off = y - u[0];
    h[0] = precision;
    h[1] = h[2] = 2 * off * precision;
    h[3] = 2 * off * off * precision;
  }
};

/// y is a count, y ~ Poisson(e^z).
struct Poisson : NoExtras {
  std::size_t predictors() const { return 1; }

  template <typename Algebra, typename Real>
  double add(Real* z, std::size_t, const Real* y, const Real* weights, std::size_t rows,
             const double*, double*, bool wanted) const {
    constexpr Real highest =
        sizeof(Real) == 8 ? Real(600) : Real(80); // beyond it the density is as good as 0
    Parts sum;
    Real rate[chunk];
    for (std::size_t first = 0; first < rows; first += chunk) {
      const std::size_t m = std::min(chunk, rows - first);
      for (std::size_t r = 0; r < m; ++r)
        rate[r] = std::min(z[first + r], highest);
      Algebra::exponentials(rate, m);
      for (std::size_t r = 0; r < m; ++r) {
        const Real weight = weights ? weights[first + r] : Real(1), label = y[first + r];
        if (wanted)
          sum.add(r, double(weight) * (double(label) * double(z[first + r]) - double(rate[r])));
        z[first + r] = weight * (label - rate[r]);
      }
    }
    return sum.sum();
  }

  void hessian(const double* u, double, double* h) const { h[0] = std::exp(std::min(u[0], 600.0)); }
};

/// y is one of K classes 0 .. K-1, P(y = c) = e^z_c / (1 + sum of e^z); z of the last class is 0.
class Multinomial : public NoExtras {
public:
  explicit Multinomial(std::size_t classes) : classes_(classes) {}
  std::size_t predictors() const { return classes_ - 1; }

  template <typename Algebra, typename Real>
  double add(Real* z, std::size_t stride, const Real* y, const Real* weights, std::size_t rows,
             const double*, double*, bool wanted) const {
    const std::size_t count = predictors();
    Parts sum;
    std::vector<Real> top(rows, Real(0)), total(rows);
    for (std::size_t c = 0; c < count; ++c)
      for (std::size_t r = 0; r < rows; ++r)
        top[r] = std::max(top[r], z[c * stride + r]);
    for (std::size_t r = 0; r < rows; ++r) {
      const auto label = static_cast<std::size_t>(y[r]);
      const double chosen = label < count ? double(z[label * stride + r]) : 0.0;
      sum.add(r, (weights ? double(weights[r]) : 1) * (chosen - double(top[r])));
      total[r] = -top[r];
    }
    Algebra::exponentials(total.data(), rows);
    for (std::size_t c = 0; c < count; ++c) {
      Real* at = z + c * stride;
      for (std::size_t r = 0; r < rows; ++r)
        at[r] -= top[r];
      Algebra::exponentials(at, rows);
      for (std::size_t r = 0; r < rows; ++r)
        total[r] += at[r];
    }
    for (std::size_t c = 0; c < count; ++c)
      for (std::size_t r = 0; r < rows; ++r) {
        const Real hit = static_cast<std::size_t>(y[r]) == c ? Real(1) : Real(0);
        z[c * stride + r] = (weights ? weights[r] : Real(1)) * (hit - z[c * stride + r] / total[r]);
      }
    for (std::size_t r = 0; wanted && r < rows; ++r)
      sum.add(r, (weights ? -double(weights[r]) : -1) * std::log(double(total[r])));
    return sum.sum();
  }

  void hessian(const double* u, double, double* h) const {
    const std::size_t count = predictors();
    double top = 0, total = 0;
    for (std::size_t c = 0; c < count; ++c)
      top = std::max(top, u[c]);
    total = std::exp(-top);
    for (std::size_t c = 0; c < count; ++c)
      total += std::exp(u[c] - top);
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t b = 0; b < count; ++b) {
        const double pa = std::exp(u[a] - top) / total, pb = std::exp(u[b] - top) / total;
        h[a * count + b] = (a == b ? pa : 0) - pa * pb;
      }
  }

private:
  std::size_t classes_;
};

} // namespace family
} // namespace starling
