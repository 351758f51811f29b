// Bayesian generalised linear models with the paper's prior, over rows that need not fit into
// memory.
#pragma once

#include <starling/row_density.hpp>
#include <starling/target/logistic_regression.hpp>
#include <starling/target/regression_blocks.hpp>
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
RowTable<Real> rows_in_memory(LabelledView<Real> data) {
  return {data.rows, data.weights, [data](std::size_t first, std::size_t, std::vector<Real>&) {
            return typename RowTable<Real>::Block{data.features + first * data.weights,
                                                  data.labels + first};
          }};
}
template <typename Real>
RowTable<Real> rows_in_memory(std::shared_ptr<const LabelledData<Real>> data) {
  return rows_in_memory(view_of(*data, data));
}

/// A particle is (w_1 .. w_C, extras of the family, log alpha), each w_c with a weight for every
/// feature, w ~ N(0, I/alpha), alpha ~ Gamma(1, rate .01). Products are in Real, sums over blocks
/// in double. Work is cut by rows, in a way that does not depend on threads. Cost of all rows: two
/// products of N x D by D x rows for each predictor.
template <typename Family, typename Real, typename Algebra = PlainAlgebra<Real>,
          typename Exact = PlainAlgebra<double>>
class Regression {
public:
  static constexpr double prior_rate = 0.01;
  static constexpr std::size_t row_block = 512, ranges = 64, most_positions = 256;

  Regression(RowTable<Real> table, Family family, Threads& threads = Threads::alone())
      : table_(std::move(table)), blocks_(std::move(family), table_.features), threads_(&threads) {
    if (table_.rows == 0)
      reject("data", "at least one row", "none");
    if (table_.rows > UINT32_MAX)
      reject("data", "fewer than 2^32 rows", std::to_string(table_.rows));
  }

  std::size_t dim() const { return blocks_.dim(); }
  std::size_t rows() const { return table_.rows; }

  /// Writes score and log density of the prior.
  void prior(Rows<const double> x, Rows<double> score, std::span<double> density) const {
    const Family& family = blocks_.family();
    const std::size_t count = blocks_.weights(), last = dim() - 1;
    const double shape = static_cast<double>(count) / 2 + 1;
    for (std::size_t i = 0; i < x.count; ++i) {
      const double alpha =
          std::exp(std::min(x[i][last], 600.0)); // held below the overflow of alpha |w|^2
      double square = 0;
      for (std::size_t a = 0; a < count; ++a) {
        square += x[i][a] * x[i][a];
        score[i][a] = -alpha * x[i][a];
      }
      const double falls = alpha * (square / 2 + prior_rate);
      score[i][last] = shape - falls;
      density[i] = shape * x[i][last] - falls;
      for (std::size_t e = 0; e < family.extras(); ++e)
        density[i] += family.extra_prior(e, x[i][count + e], score[i][count + e]);
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

  /// The likelihood of these rows, weighted, in double: what is left of few rows after their mean
  /// is taken away is small against them.
  DensityOfRows some(RowNumbers rows, std::span<const double> weights) const {
    auto few = gathered(rows, weights);
    return [this, few](Rows<const double> x, Rows<double> score, std::span<double> density) {
      std::fill(score.begin(), score.end(), 0.0);
      std::fill(density.begin(), density.end(), 0.0);
      threads_->for_pieces(x.count, 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = 0; r < few->responses.size(); r += row_block) {
          const std::size_t m = std::min(row_block, few->responses.size() - r);
          blocks_.template add<double, Exact>(
              x.slice(begin, end), few->features.data() + r * table_.features,
              few->responses.data() + r, few->weights.data() + r, m, score.slice(begin, end),
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
        blocks_.template expand<Real, Algebra>(x, block.features, block.responses, nullptr, m,
                                               parts[q]);
      });
    });
    return total(parts);
  }

  ExpandAt expand_some(RowNumbers rows, std::span<const double> weights) const {
    return [this, few = gathered(rows, weights)](const Eigen::VectorXd& x) {
      std::vector<Expansion> parts((few->responses.size() + row_block - 1) / row_block, nothing());
      threads_->for_pieces(parts.size(), 1, [&](std::size_t q, std::size_t) {
        const std::size_t r = q * row_block, m = std::min(row_block, few->responses.size() - r);
        blocks_.template expand<double, Exact>(x, few->features.data() + r * table_.features,
                                               few->responses.data() + r, few->weights.data() + r,
                                               m, parts[q]);
      });
      return total(parts);
    };
  }

  /// sum over inputs u of h_uu |L^T J_u|^2, J_u the row's derivative of u: for logistic regression
  /// |L^T f|^2 s (1 - s).
  std::vector<double> leverage(const Eigen::VectorXd& mode, const Frame& frame) const {
    std::vector<double> all(table_.rows);
    const Eigen::MatrixXd factor =
        frame.along_rows(Frame::Matrix::Identity(Eigen::Index(dim()), Eigen::Index(dim())))
            .transpose();
    threads_->for_pieces(range_count(), 1, [&](std::size_t q, std::size_t) {
      std::size_t r = range(q).first;
      for_blocks(q, [&](const auto& block, std::size_t m) {
        blocks_.template leverage<Real, Algebra>(mode, factor, block.features, block.responses, m,
                                                 all.data() + r);
        r += m;
      });
    });
    return all;
  }

private:
  using Index = Eigen::Index;
  struct Gathered {
    std::vector<double> features, responses, weights;
  };

  std::size_t range_count() const {
    return std::min(ranges, (table_.rows + row_block - 1) / row_block);
  }
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
        blocks_.template add<Real, Algebra>(x, block.features, block.responses, nullptr, m, to,
                                            densities[q]);
      });
    });
    for (std::size_t q = 0; q < pieces; ++q) {
      for (std::size_t i = 0; i < n; ++i)
        density[i] += densities[q][i];
      for (std::size_t a = 0; a < scores[q].size(); ++a)
        score.data[a] += scores[q][a];
    }
  }

  RowTable<Real> table_;
  RegressionBlocks<Family> blocks_;
  Threads* threads_;
};

/// The calls of a regression, which they keep.
template <typename R>
RowDensity row_density(std::shared_ptr<const R> model) {
  RowDensity made;
  made.rows = model->rows();
  made.dim = model->dim();
  made.all = [model](Rows<const double> x, Rows<double> s, std::span<double> l) {
    model->evaluate(x, s, l);
  };
  made.prior = [model](Rows<const double> x, Rows<double> s, std::span<double> l) {
    model->prior(x, s, l);
  };
  made.some = [model](RowNumbers rows, std::span<const double> weights) {
    return model->some(rows, weights);
  };
  made.values = [model](Rows<const double> x, std::span<double> l) { model->values(x, l); };
  made.expand = [model](const Eigen::VectorXd& x) { return model->expand(x); };
  made.expand_some = [model](RowNumbers rows, std::span<const double> weights) {
    return model->expand_some(rows, weights);
  };
  made.leverage = [model](const Eigen::VectorXd& mode, const Frame& frame) {
    return model->leverage(mode, frame);
  };
  return made;
}

} // namespace starling
