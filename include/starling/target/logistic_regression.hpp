// Bayesian logistic regression with the paper's prior (section 4.2), on data mini-batches.
#pragma once

#include <starling/target/concepts.hpp>
#include <starling/target/data_batches.hpp>
#include <starling/threads.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace starling {

/// Rows of features (the constant 1 included, if wanted) and their labels, 0 or 1.
template <typename Real>
struct LabelledData {
  Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> features;
  Eigen::Matrix<Real, Eigen::Dynamic, 1> labels;
};

/// The same, wherever the numbers lie.
template <typename Real>
struct LabelledView {
  const Real* features = nullptr; ///< rows x weights, row-major
  const Real* labels = nullptr;
  std::size_t rows = 0, weights = 0;
  std::shared_ptr<const void> owner; ///< of both; empty: somebody else sees to it that they stay
};

/// Throws invalid_argument where labels are too few or too many.
template <typename Real>
LabelledView<Real> view_of(const LabelledData<Real>& data, std::shared_ptr<const void> owner = {}) {
  if (data.labels.size() != data.features.rows())
    reject("labels", "one for each of " + std::to_string(data.features.rows()) + " rows",
           std::to_string(data.labels.size()));
  return {data.features.data(), data.labels.data(), static_cast<std::size_t>(data.features.rows()),
          static_cast<std::size_t>(data.features.cols()), std::move(owner)};
}

/// The three operations that the likelihood consists of, in plain C++. A back end may bring its
/// own.
template <typename Real>
struct PlainAlgebra {
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Strided = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;

  /// logits (n x rows) = w (n x inner, with that stride) times features (rows x inner) transposed.
  static void logits(const Real* w, std::size_t stride, std::size_t n, const Real* features,
                     std::size_t rows, std::size_t inner, Real* logits) {
    Eigen::Map<Matrix>(logits, Eigen::Index(n), Eigen::Index(rows)).noalias() =
        Strided(w, Eigen::Index(n), Eigen::Index(inner),
                Eigen::OuterStride<>(Eigen::Index(stride))) *
        Eigen::Map<const Matrix>(features, Eigen::Index(rows), Eigen::Index(inner)).transpose();
  }
  /// z becomes scale (y - sigmoid(z)), for n particles.
  static void residuals(Real* logits, std::size_t n, const Real* labels, std::size_t rows,
                        Real scale) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t r = 0; r < rows; ++r)
        logits[i * rows + r] = scale * (labels[r] - 1 / (1 + std::exp(-logits[i * rows + r])));
  }
  /// score (n x inner, with that stride) += residuals (n x rows) times features (rows x inner).
  static void gradients(const Real* residuals, std::size_t n, const Real* features,
                        std::size_t rows, std::size_t inner, Real* score, std::size_t stride) {
    Eigen::Map<Matrix, 0, Eigen::OuterStride<>>(score, Eigen::Index(n), Eigen::Index(inner),
                                                Eigen::OuterStride<>(Eigen::Index(stride)))
        .noalias() += Eigen::Map<const Matrix>(residuals, Eigen::Index(n), Eigen::Index(rows)) *
                      Eigen::Map<const Matrix>(features, Eigen::Index(rows), Eigen::Index(inner));
  }
  /// z becomes e^z.
  static void exponentials(Real* z, std::size_t count) {
    for (std::size_t r = 0; r < count; ++r)
      z[r] = std::exp(z[r]);
  }
};

/// A particle is (w, log alpha), with y ~ Bernoulli(sigmoid(w.f)), w ~ N(0, I/alpha),
/// alpha ~ Gamma(1, rate 0.01):
///     log pi = sum over rows of log p(y | w) + (D/2) log alpha - alpha |w|^2 / 2
///              - 0.01 alpha + log alpha         (the last: the Jacobian of log alpha)
/// The score of step k sees one mini-batch of B rows, the same for all particles, times n/B.
/// Cost: two products of N x D by D x B.
template <typename Real, typename Algebra = PlainAlgebra<Real>>
class LogisticRegression {
public:
  static constexpr double prior_rate = 0.01;
  static constexpr std::size_t row_block = 1024; ///< rows of the data taken together

  LogisticRegression(std::shared_ptr<const LabelledData<Real>> data, std::size_t data_batch,
                     std::uint64_t seed, Threads& threads = Threads::alone())
      : LogisticRegression(view_of(*data, data), data_batch, seed, threads) {}
  LogisticRegression(LabelledView<Real> data, std::size_t data_batch, std::uint64_t seed,
                     Threads& threads = Threads::alone())
      : data_(std::move(data)), threads_(&threads), batches_(seed, data_.rows, data_batch) {}

  std::size_t dim() const { return data_.weights + 1; }

  /// Mini-batches of more rows than a block are taken block by block, so that memory does not grow
  /// with them: a thread holds 256 x row_block logits.
  void operator()(Step k, Rows<const Real> x, Rows<Real> score) {
    const auto rows = batches_(k);
    const Real scale = static_cast<Real>(data_.rows) / static_cast<Real>(rows.size());
    for (std::size_t first = 0; first < rows.size(); first += row_block) {
      const auto some = rows.subspan(first, std::min(row_block, rows.size() - first));
      gather(some);
      threads_->for_pieces(x.count, 256, [&](std::size_t begin, std::size_t end) {
        const Rows<const Real> from = x.slice(begin, end);
        const Rows<Real> to = score.slice(begin, end);
        if (first == 0)
          prior(from, to, {});
        likelihood(from, features_.data(), labels_.data(), some.size(), scale, to, {});
      });
    }
  }

  /// From all the data, in blocks of rows.
  void evaluate(Rows<const Real> x, Rows<Real> score, std::span<Real> log_density) {
    threads_->for_pieces(x.count, 128, [&](std::size_t begin, std::size_t end) {
      const Rows<const Real> from = x.slice(begin, end);
      const Rows<Real> to = score.slice(begin, end);
      const auto density = log_density.subspan(begin, end - begin);
      prior(from, to, density);
      for (std::size_t r = 0; r < data_.rows; r += row_block)
        likelihood(from, data_.features + r * data_.weights, data_.labels + r,
                   std::min(row_block, data_.rows - r), Real(1), to, density);
    });
  }

private:
  using Index = Eigen::Index;
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

  // Once for all particles.
  void gather(std::span<const std::uint32_t> rows) {
    features_.resize(Index(rows.size()), Index(data_.weights));
    labels_.resize(Index(rows.size()));
    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::copy_n(data_.features + rows[r] * data_.weights, data_.weights,
                  features_.row(Index(r)).data());
      labels_[Index(r)] = data_.labels[rows[r]];
    }
  }

  void prior(Rows<const Real> x, Rows<Real> score, std::span<Real> density) const {
    const std::size_t weights = dim() - 1;
    for (std::size_t i = 0; i < x.count; ++i) {
      // Held below the overflow of alpha |w|^2 for any w up to 1e3.
      const Real alpha =
          std::exp(std::min(x[i][weights], sizeof(Real) == 8 ? Real(600) : Real(50)));
      const Real* w = x[i].data();
      Real* to = score[i].data();
      Real squares[4] = {}; // one sum would wait for itself
      for (std::size_t a = 0; a < weights; ++a)
        to[a] = -alpha * w[a];
      for (std::size_t a = 0; a < weights / 4 * 4; a += 4)
        for (std::size_t k = 0; k < 4; ++k)
          squares[k] += w[a + k] * w[a + k];
      for (std::size_t a = weights / 4 * 4; a < weights; ++a)
        squares[0] += w[a] * w[a];
      const Real square = (squares[0] + squares[1]) + (squares[2] + squares[3]);
      const Real shape = static_cast<Real>(weights) / 2 + 1;
      const Real falls = alpha * (square / 2 + Real(prior_rate));
      score[i][weights] = shape - falls;
      if (!density.empty())
        density[i] = shape * x[i][weights] - falls;
    }
  }

  // Adds scale * sum over rows of (y - sigmoid(w.f)) f, and of log p(y | w) where density is asked.
  void likelihood(Rows<const Real> x, const Real* features, const Real* labels, std::size_t rows,
                  Real scale, Rows<Real> score, std::span<Real> density) const {
    const std::size_t weights = dim() - 1;
    thread_local std::vector<Real> logits; // particles x rows
    logits.resize(x.count * rows);
    Algebra::logits(x.data, x.dim, x.count, features, rows, weights, logits.data());
    if (!density.empty()) // log p = y z - log(1 + e^z), without overflow
      for (std::size_t i = 0; i < x.count; ++i)
        for (std::size_t r = 0; r < rows; ++r) {
          const Real z = logits[i * rows + r];
          density[i] +=
              scale * (labels[r] * z - std::max(z, Real(0)) - std::log1p(std::exp(-std::abs(z))));
        }
    Algebra::residuals(logits.data(), x.count, labels, rows, scale);
    Algebra::gradients(logits.data(), x.count, features, rows, weights, score.data, score.dim);
  }

  LabelledView<Real> data_;
  Threads* threads_;
  DataBatches batches_;
  Matrix features_; // a block of the step's mini-batch
  Vector labels_;
};

} // namespace starling
