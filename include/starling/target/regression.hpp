// Bayesian generalised linear models with the paper's prior, over rows that need not fit into memory.
#pragma once

#include <starling/row_density.hpp>
#include <starling/target/families.hpp>
#include <starling/target/logistic_regression.hpp>
#include <starling/threads.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace starling {

/// Where rows of features (the constant 1 included, if wanted) and their responses come from.
template <typename Real>
struct RowTable {
  struct Block {
    const Real *features, *responses;
  };
  std::size_t rows = 0, features = 0;
  /// Rows first .. last: where they lie, or read into `room`. Asked by several threads at once.
  std::function<Block(std::size_t first, std::size_t last, std::vector<Real>& room)> block;
};

/// Rows in memory, which the table keeps.
template <typename Real>
RowTable<Real> rows_in_memory(std::shared_ptr<const LabelledData<Real>> data) {
  const auto width = static_cast<std::size_t>(data->features.cols());
  return {static_cast<std::size_t>(data->features.rows()), width,
          [data, width](std::size_t first, std::size_t, std::vector<Real>&) {
            return typename RowTable<Real>::Block{data->features.data() + first * width, data->labels.data() + first};
          }};
}

/// A particle is (w_1 .. w_C, extras of the family, log alpha), each w_c with a weight for every feature,
/// w ~ N(0, I/alpha), alpha ~ Gamma(1, rate .01). Products are in Real, sums over blocks in double. Work is cut by rows, in a way
/// that does not depend on threads. Cost of all rows: two products of N x D by D x rows for each predictor.
template <typename Family, typename Real, typename Algebra = PlainAlgebra<Real>, typename Exact = PlainAlgebra<double>>
class Regression {
public:
  static constexpr double prior_rate = 0.01;
  static constexpr std::size_t row_block = 512, ranges = 64, most_positions = 256;

  Regression(RowTable<Real> table, Family family, Threads& threads = Threads::alone())
      : table_(std::move(table)), family_(std::move(family)), threads_(&threads) {
    if (table_.rows == 0)
      reject("data", "at least one row", "none");
    if (table_.rows > UINT32_MAX)
      reject("data", "fewer than 2^32 rows", std::to_string(table_.rows));
  }

  std::size_t dim() const { return weights() + family_.extras() + 1; }
  std::size_t rows() const { return table_.rows; }
  const Family& family() const { return family_; }

  /// Writes score and log density of the prior.
  void prior(Rows<const double> x, Rows<double> score, std::span<double> density) const {
    const std::size_t count = weights(), last = dim() - 1;
    const double shape = static_cast<double>(count) / 2 + 1;
    for (std::size_t i = 0; i < x.count; ++i) {
      const double alpha = std::exp(std::min(x[i][last], 600.0)); // held below the overflow of alpha |w|^2
      double square = 0;
      for (std::size_t a = 0; a < count; ++a) {
        square += x[i][a] * x[i][a];
        score[i][a] = -alpha * x[i][a];
      }
      const double falls = alpha * (square / 2 + prior_rate);
      score[i][last] = shape - falls;
      density[i] = shape * x[i][last] - falls;
      for (std::size_t e = 0; e < family_.extras(); ++e)
        density[i] += family_.extra_prior(e, x[i][count + e], score[i][count + e]);
    }
  }

  void evaluate(Rows<const double> x, Rows<double> score, std::span<double> density) const {
    prior(x, score, density);
    for (std::size_t first = 0; first < x.count; first += most_positions) {
      const std::size_t last = std::min(x.count, first + most_positions);
      sweep(x.slice(first, last), score.slice(first, last), density.subspan(first, last - first));
    }
  }

  /// Log densities alone: one product instead of two.
  void values(Rows<const double> x, std::span<double> density) const {
    std::vector<double> slopes(x.size());
    prior(x, {slopes.data(), x.count, x.dim}, density);
    for (std::size_t first = 0; first < x.count; first += most_positions) {
      const std::size_t last = std::min(x.count, first + most_positions);
      sweep(x.slice(first, last), {nullptr, 0, x.dim}, density.subspan(first, last - first));
    }
  }

  /// The likelihood of these rows, weighted, in double: what is left of few rows after their mean is taken away
  /// is small against them.
  DensityOfRows some(RowNumbers rows, std::span<const double> weights) const {
    auto few = gathered(rows, weights);
    return [this, few](Rows<const double> x, Rows<double> score, std::span<double> density) {
      std::fill(score.begin(), score.end(), 0.0);
      std::fill(density.begin(), density.end(), 0.0);
      threads_->for_pieces(x.count, 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = 0; r < few->responses.size(); r += row_block) {
          const std::size_t m = std::min(row_block, few->responses.size() - r);
          add<double, Exact>(x.slice(begin, end), few->features.data() + r * table_.features, few->responses.data() + r,
                             few->weights.data() + r, m, score.slice(begin, end),
                             density.empty() ? density : density.subspan(begin, end - begin));
        }
      });
    };
  }

  Expansion expand(const Eigen::VectorXd& x) const {
    const std::size_t pieces = range_count();
    std::vector<Expansion> parts(pieces, nothing());
    threads_->for_pieces(pieces, 1, [&](std::size_t q, std::size_t) {
      for_blocks(q, [&](const auto& block, std::size_t m) {
        expand_block<Real, Algebra>(x, block.features, block.responses, nullptr, m, parts[q]);
      });
    });
    return total(parts);
  }

  ExpandAt expand_some(RowNumbers rows, std::span<const double> weights) const {
    return [this, few = gathered(rows, weights)](const Eigen::VectorXd& x) {
      std::vector<Expansion> parts((few->responses.size() + row_block - 1) / row_block, nothing());
      threads_->for_pieces(parts.size(), 1, [&](std::size_t q, std::size_t) {
        const std::size_t r = q * row_block, m = std::min(row_block, few->responses.size() - r);
        expand_block<double, Exact>(x, few->features.data() + r * table_.features, few->responses.data() + r,
                                    few->weights.data() + r, m, parts[q]);
      });
      return total(parts);
    };
  }

  /// sum over inputs u of h_uu |L^T J_u|^2, J_u the row's derivative of u: for logistic regression |L^T f|^2 s (1 - s).
  std::vector<double> leverage(const Eigen::VectorXd& mode, const Frame& frame) const {
    std::vector<double> all(table_.rows);
    const Eigen::MatrixXd factor = frame.along_rows(Frame::Matrix::Identity(Eigen::Index(dim()), Eigen::Index(dim()))).transpose();
    threads_->for_pieces(range_count(), 1, [&](std::size_t q, std::size_t) {
      std::size_t r = range(q).first;
      for_blocks(q, [&](const auto& block, std::size_t m) {
        leverage_block(mode, factor, block, m, all.data() + r);
        r += m;
      });
    });
    return all;
  }

private:
  using Index = Eigen::Index;
  template <typename R>
  using Matrix = Eigen::Matrix<R, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  struct Gathered {
    std::vector<double> features, responses, weights;
  };

  std::size_t weights() const { return family_.predictors() * table_.features; }
  std::size_t range_count() const { return std::min(ranges, (table_.rows + row_block - 1) / row_block); }
  std::pair<std::size_t, std::size_t> range(std::size_t q) const {
    return {table_.rows * q / range_count(), table_.rows * (q + 1) / range_count()};
  }
  template <typename Work>
  void for_blocks(std::size_t q, Work&& work) const {
    std::vector<Real> room;
    const auto [first, last] = range(q);
    for (std::size_t r = first; r < last; r += row_block) {
      const std::size_t end = std::min(last, r + row_block);
      work(table_.block(r, end, room), end - r);
    }
  }
  Expansion nothing() const {
    const auto d = Index(dim());
    return {0, Eigen::VectorXd::Zero(d), Eigen::MatrixXd::Zero(d, d)};
  }
  Expansion total(const std::vector<Expansion>& parts) const {
    Expansion sum = nothing();
    for (const Expansion& part : parts) { // in order, whoever finished first
      sum.log_density += part.log_density;
      sum.score += part.score;
      sum.curvature += part.curvature;
    }
    sum.curvature = sum.curvature.template selfadjointView<Eigen::Lower>();
    return sum;
  }

  std::shared_ptr<const Gathered> gathered(RowNumbers rows, std::span<const double> weights) const {
    auto few = std::make_shared<Gathered>();
    std::vector<Real> room;
    for (const std::uint32_t r : rows) {
      const auto one = table_.block(r, r + std::size_t{1}, room);
      few->features.insert(few->features.end(), one.features, one.features + table_.features);
      few->responses.push_back(static_cast<double>(*one.responses));
    }
    few->weights.assign(weights.begin(), weights.end());
    return few;
  }

  /// Adds all rows to what is there; no score where there is no room for one.
  void sweep(Rows<const double> x, Rows<double> score, std::span<double> density) const {
    const std::size_t pieces = range_count(), n = x.count, d = dim();
    std::vector<std::vector<double>> scores(pieces), densities(pieces);
    threads_->for_pieces(pieces, 1, [&](std::size_t q, std::size_t) {
      densities[q].assign(n, 0.0);
      scores[q].assign(score.data ? n * d : 0, 0.0);
      const Rows<double> to{score.data ? scores[q].data() : nullptr, score.data ? n : 0, d};
      for_blocks(q, [&](const auto& block, std::size_t m) {
        add<Real, Algebra>(x, block.features, block.responses, nullptr, m, to, densities[q]);
      });
    });
    for (std::size_t q = 0; q < pieces; ++q) {
      for (std::size_t i = 0; i < n; ++i)
        density[i] += densities[q][i];
      for (std::size_t a = 0; a < scores[q].size(); ++a)
        score.data[a] += scores[q][a];
    }
  }

  template <typename R, typename A>
  void add(Rows<const double> x, const R* features, const R* responses, const double* row_weights, std::size_t rows,
           Rows<double> score, std::span<double> density) const {
    const std::size_t n = x.count, wide = table_.features, count = family_.predictors(), w = weights();
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
      const double sum = family_.template add<A>(z.data() + i * rows, n * rows, responses,
                                                 row_weights ? weighted.data() : nullptr, rows, x[i].data() + w,
                                                 score.count ? score[i].data() + w : unused.data(), !density.empty());
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

  /// The inputs of every row at x: U numbers each.
  template <typename R, typename A>
  std::vector<double> inputs(const Eigen::VectorXd& x, const R* features, std::size_t rows) const {
    const std::size_t count = family_.predictors(), extra = family_.extras(), wide = table_.features;
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

  template <typename R, typename A>
  void expand_block(const Eigen::VectorXd& x, const R* features, const R* responses, const double* row_weights,
                    std::size_t rows, Expansion& to) const {
    const std::size_t count = family_.predictors(), extra = family_.extras(), all = count + extra;
    const std::size_t wide = table_.features, w = weights();
    add<R, A>({x.data(), 1, dim()}, features, responses, row_weights, rows, {to.score.data(), 1, dim()}, {&to.log_density, 1});
    const std::vector<double> u = inputs<R, A>(x, features, rows);
    std::vector<double> h(rows * all * all);
    for (std::size_t r = 0; r < rows; ++r)
      family_.hessian(u.data() + r * all, static_cast<double>(responses[r]), h.data() + r * all * all);
    std::vector<R> turned(wide * rows), product(wide * wide);
    for (std::size_t a = 0; a < all; ++a)
      for (std::size_t b = 0; b <= a; ++b) {
        const auto weight = [&](std::size_t r) {
          return h[(r * all + a) * all + b] * (row_weights ? row_weights[r] : 1.0);
        };
        const auto row = Index(a < count ? a * wide : w + a - count), column = Index(b < count ? b * wide : w + b - count);
        if (a < count) { // F^T diag(h) F
          for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t f = 0; f < wide; ++f)
              turned[f * rows + r] = R(weight(r)) * features[r * wide + f];
          std::fill(product.begin(), product.end(), R(0));
          A::gradients(turned.data(), wide, features, rows, wide, product.data(), wide);
          to.curvature.block(row, column, Index(wide), Index(wide)) +=
              Eigen::Map<Matrix<R>>(product.data(), Index(wide), Index(wide)).template cast<double>();
        } else {
          for (std::size_t r = 0; r < rows; ++r)
            if (b < count)
              for (std::size_t f = 0; f < wide; ++f)
                to.curvature(row, column + Index(f)) += weight(r) * static_cast<double>(features[r * wide + f]);
            else
              to.curvature(row, column) += weight(r);
        }
      }
  }

  void leverage_block(const Eigen::VectorXd& mode, const Eigen::MatrixXd& factor, const typename RowTable<Real>::Block& block,
                      std::size_t rows, double* to) const {
    const std::size_t count = family_.predictors(), extra = family_.extras(), all = count + extra;
    const std::size_t wide = table_.features, d = dim();
    const std::vector<double> u = inputs<Real, Algebra>(mode, block.features, rows);
    std::vector<double> h(rows * all * all);
    std::fill(to, to + rows, 0.0);
    for (std::size_t r = 0; r < rows; ++r)
      family_.hessian(u.data() + r * all, static_cast<double>(block.responses[r]), h.data() + r * all * all);
    std::vector<Real> turned(d * wide), product(rows * d);
    for (std::size_t c = 0; c < count; ++c) { // F L_c, a row of d numbers for each row
      for (std::size_t f = 0; f < wide; ++f)
        for (std::size_t a = 0; a < d; ++a)
          turned[a * wide + f] = Real(factor(Index(c * wide + f), Index(a)));
      Algebra::logits(block.features, wide, rows, turned.data(), d, wide, product.data());
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

  RowTable<Real> table_;
  Family family_;
  Threads* threads_;
};

/// The calls of a regression, which they keep.
template <typename R>
RowDensity row_density(std::shared_ptr<const R> model) {
  RowDensity made;
  made.rows = model->rows();
  made.dim = model->dim();
  made.all = [model](Rows<const double> x, Rows<double> s, std::span<double> l) { model->evaluate(x, s, l); };
  made.prior = [model](Rows<const double> x, Rows<double> s, std::span<double> l) { model->prior(x, s, l); };
  made.some = [model](RowNumbers rows, std::span<const double> weights) { return model->some(rows, weights); };
  made.values = [model](Rows<const double> x, std::span<double> l) { model->values(x, l); };
  made.expand = [model](const Eigen::VectorXd& x) { return model->expand(x); };
  made.expand_some = [model](RowNumbers rows, std::span<const double> weights) {
    return model->expand_some(rows, weights);
  };
  made.leverage = [model](const Eigen::VectorXd& mode, const Frame& frame) { return model->leverage(mode, frame); };
  return made;
}

} // namespace starling
