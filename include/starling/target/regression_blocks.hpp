// What a block of rows adds to a generalised linear model: its likelihood, scores, curvature,
// leverage.
#pragma once

#include <starling/row_density.hpp>
#include <starling/target/families.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace starling {

/// A position is (w_1 .. w_C, extras, ...), each w_c with a weight for every feature. Products are
/// in R, by the Algebra A; sums in double. Each call is on one thread.
template <typename Family>
class RegressionBlocks {
public:
  RegressionBlocks(Family family, std::size_t features)
      : family_(std::move(family)), features_(features) {}

  const Family& family() const { return family_; }
  std::size_t weights() const { return family_.predictors() * features_; }
  std::size_t dim() const { return weights() + family_.extras() + 1; } // log alpha is the last

  /// Adds the likelihood of a block of rows, and its scores where there is room for them;
  /// `row_weights` may be null.
  template <typename R, typename A>
  void add(Rows<const double> x, const R* features, const R* responses, const double* row_weights,
           std::size_t rows, Rows<double> score, std::span<double> density) const {
    const std::size_t n = x.count, wide = features_, count = family_.predictors(), w = weights();
    thread_local std::vector<R> at, z, slopes, weighted;
    at.resize(n * w);
    for (std::size_t i = 0; i < n; ++i)
      std::copy(x[i].begin(), x[i].begin() + std::ptrdiff_t(w), at.begin() + std::ptrdiff_t(i * w));
    z.resize(count * n * rows);
    for (std::size_t c = 0; c < count; ++c)
      A::logits(at.data() + c * wide, w, n, features, rows, wide, z.data() + c * n * rows);
    if (row_weights)
      weighted.assign(row_weights, row_weights + rows);
    std::vector<double> unused(family_.extras() + 1);
    for (std::size_t i = 0; i < n; ++i) {
      const double sum = family_.template add<A>(
          z.data() + i * rows, n * rows, responses, row_weights ? weighted.data() : nullptr, rows,
          x[i].data() + w, score.count ? score[i].data() + w : unused.data(), !density.empty());
      if (!density.empty())
        density[i] += sum;
    }
    if (score.count == 0)
      return;
    slopes.assign(n * w, R(0));
    for (std::size_t c = 0; c < count; ++c)
      A::gradients(z.data() + c * n * rows, n, features, rows, wide, slopes.data() + c * wide, w);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t a = 0; a < w; ++a)
        score[i][a] += static_cast<double>(slopes[i * w + a]);
  }

  /// Adds value, score and curvature at x; of the curvature the lower half.
  template <typename R, typename A>
  void expand(const Eigen::VectorXd& x, const R* features, const R* responses,
              const double* row_weights, std::size_t rows, Expansion& to) const {
    const std::size_t count = family_.predictors(), extra = family_.extras(), all = count + extra;
    const std::size_t wide = features_, w = weights();
    add<R, A>({x.data(), 1, dim()}, features, responses, row_weights, rows,
              {to.score.data(), 1, dim()}, {&to.log_density, 1});
    const std::vector<double> u = inputs<R, A>(x, features, rows);
    std::vector<double> h(rows * all * all);
    for (std::size_t r = 0; r < rows; ++r)
      family_.hessian(u.data() + r * all, static_cast<double>(responses[r]),
                      h.data() + r * all * all);
    std::vector<R> turned(wide * rows), product(wide * wide);
    for (std::size_t a = 0; a < all; ++a)
      for (std::size_t b = 0; b <= a; ++b) {
        const auto weight = [&](std::size_t r) {
          return h[(r * all + a) * all + b] * (row_weights ? row_weights[r] : 1.0);
        };
        const auto row = Index(a < count ? a * wide : w + a - count),
                   column = Index(b < count ? b * wide : w + b - count);
        if (a < count) { // F^T diag(h) F
          for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t f = 0; f < wide; ++f)
              turned[f * rows + r] = R(weight(r)) * features[r * wide + f];
          std::fill(product.begin(), product.end(), R(0));
          A::gradients(turned.data(), wide, features, rows, wide, product.data(), wide);
          to.curvature.block(row, column, Index(wide), Index(wide)) +=
              Eigen::Map<Matrix<R>>(product.data(), Index(wide), Index(wide))
                  .template cast<double>();
        } else {
          for (std::size_t r = 0; r < rows; ++r)
            if (b < count)
              for (std::size_t f = 0; f < wide; ++f)
                to.curvature(row, column + Index(f)) +=
                    weight(r) * static_cast<double>(features[r * wide + f]);
            else
              to.curvature(row, column) += weight(r);
        }
      }
  }

  /// Writes sum over inputs u of h_uu |L^T J_u|^2, J_u a row's derivative of u, L the rows of
  /// `factor`.
  template <typename R, typename A>
  void leverage(const Eigen::VectorXd& mode, const Eigen::MatrixXd& factor, const R* features,
                const R* responses, std::size_t rows, double* to) const {
    const std::size_t count = family_.predictors(), extra = family_.extras(), all = count + extra;
    const std::size_t wide = features_, d = dim();
    const std::vector<double> u = inputs<R, A>(mode, features, rows);
    std::vector<double> h(rows * all * all);
    std::fill(to, to + rows, 0.0);
    for (std::size_t r = 0; r < rows; ++r)
      family_.hessian(u.data() + r * all, static_cast<double>(responses[r]),
                      h.data() + r * all * all);
    std::vector<R> turned(d * wide), product(rows * d);
    for (std::size_t c = 0; c < count; ++c) { // F L_c, a row of d numbers for each row
      for (std::size_t f = 0; f < wide; ++f)
        for (std::size_t a = 0; a < d; ++a)
          turned[a * wide + f] = R(factor(Index(c * wide + f), Index(a)));
      A::logits(features, wide, rows, turned.data(), d, wide, product.data());
      for (std::size_t r = 0; r < rows; ++r) {
        double square = 0;
        for (std::size_t a = 0; a < d; ++a)
          square += double(product[r * d + a]) * double(product[r * d + a]);
        to[r] += square * std::abs(h[(r * all + c) * all + c]);
      }
    }
    for (std::size_t e = 0; e < extra; ++e) {
      const double square = factor.row(Index(weights() + e)).squaredNorm();
      for (std::size_t r = 0; r < rows; ++r)
        to[r] += square * std::abs(h[(r * all + count + e) * all + count + e]);
    }
  }

private:
  using Index = Eigen::Index;
  template <typename R>
  using Matrix = Eigen::Matrix<R, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// The inputs of every row at x: U numbers each.
  template <typename R, typename A>
  std::vector<double> inputs(const Eigen::VectorXd& x, const R* features, std::size_t rows) const {
    const std::size_t count = family_.predictors(), extra = family_.extras(), wide = features_;
    const std::vector<R> at(x.data(), x.data() + weights());
    std::vector<R> z(rows);
    std::vector<double> u(rows * (count + extra));
    for (std::size_t c = 0; c < count; ++c) {
      A::logits(at.data() + c * wide, wide, 1, features, rows, wide, z.data());
      for (std::size_t r = 0; r < rows; ++r)
        u[r * (count + extra) + c] = static_cast<double>(z[r]);
    }
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t e = 0; e < extra; ++e)
        u[r * (count + extra) + count + e] = x[Index(weights() + e)];
    return u;
  }

  Family family_;
  std::size_t features_;
};

} // namespace starling
