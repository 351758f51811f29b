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

/// A particle is (w, log alpha), with y ~ Bernoulli(sigmoid(w.f)), w ~ N(0, I/alpha),
/// alpha ~ Gamma(1, rate 0.01):
///     log pi = sum over rows of log p(y | w) + (D/2) log alpha - alpha |w|^2 / 2
///              - 0.01 alpha + log alpha         (the last: the Jacobian of log alpha)
/// The score of step k sees one mini-batch of B rows, the same for all particles, times n/B.
/// Cost: two products of N x D by D x B.
template <typename Real>
class LogisticRegression {
public:
  static constexpr double prior_rate = 0.01;

  LogisticRegression(std::shared_ptr<const LabelledData<Real>> data, std::size_t data_batch,
                     std::uint64_t seed, Threads& threads = Threads::alone())
      : data_(std::move(data)), threads_(&threads),
        batches_(seed, static_cast<std::size_t>(data_->features.rows()), data_batch) {
    if (data_->labels.size() != data_->features.rows())
      reject("labels", "one for each of " + std::to_string(data_->features.rows()) + " rows",
             std::to_string(data_->labels.size()));
  }

  std::size_t dim() const { return static_cast<std::size_t>(data_->features.cols()) + 1; }

  void operator()(Step k, Rows<const Real> x, Rows<Real> score) {
    const auto rows = batches_(k);
    const auto n = static_cast<Real>(data_->features.rows());
    features_.resize(Index(rows.size()), data_->features.cols());
    labels_.resize(Index(rows.size()));
    for (std::size_t r = 0; r < rows.size(); ++r) { // gathered once, for all particles
      features_.row(Index(r)) = data_->features.row(rows[r]);
      labels_[Index(r)] = data_->labels[rows[r]];
    }
    threads_->for_pieces(x.count, 128, [&](std::size_t begin, std::size_t end) {
      const Rows<const Real> from = x.slice(begin, end);
      const Rows<Real> to = score.slice(begin, end);
      prior(from, to, {});
      likelihood(from, features_, labels_, n / static_cast<Real>(rows.size()), to, {});
    });
  }

  /// From all the data, in blocks of rows.
  void evaluate(Rows<const Real> x, Rows<Real> score, std::span<Real> log_density) {
    constexpr Index block = 1024;
    threads_->for_pieces(x.count, 128, [&](std::size_t begin, std::size_t end) {
      const Rows<const Real> from = x.slice(begin, end);
      const Rows<Real> to = score.slice(begin, end);
      const auto density = log_density.subspan(begin, end - begin);
      prior(from, to, density);
      for (Index r = 0; r < data_->features.rows(); r += block) {
        const Index size = std::min(block, data_->features.rows() - r);
        likelihood(from, data_->features.middleRows(r, size), data_->labels.segment(r, size),
                   Real(1), to, density);
      }
    });
  }

private:
  using Index = Eigen::Index;
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  using Strided = Eigen::OuterStride<>;

  void prior(Rows<const Real> x, Rows<Real> score, std::span<Real> density) const {
    const std::size_t weights = dim() - 1;
    for (std::size_t i = 0; i < x.count; ++i) {
      // Held below the overflow of alpha |w|^2 for any w up to 1e3.
      const Real alpha = std::exp(std::min(x[i][weights], sizeof(Real) == 8 ? Real(600) : Real(50)));
      Real square = 0;
      for (std::size_t a = 0; a < weights; ++a) {
        square += x[i][a] * x[i][a];
        score[i][a] = -alpha * x[i][a];
      }
      const Real shape = static_cast<Real>(weights) / 2 + 1;
      const Real falls = alpha * (square / 2 + Real(prior_rate));
      score[i][weights] = shape - falls;
      if (!density.empty())
        density[i] = shape * x[i][weights] - falls;
    }
  }

  // Adds scale * sum over rows of (y - sigmoid(w.f)) f, and of log p(y | w) where density is asked.
  template <typename Features, typename Labels>
  void likelihood(Rows<const Real> x, const Features& features, const Labels& labels, Real scale,
                  Rows<Real> score, std::span<Real> density) const {
    const Index weights = features.cols();
    const Eigen::Map<const Matrix, 0, Strided> w(x.data, Index(x.count), weights,
                                                 Strided(Index(x.dim)));
    Eigen::Map<Matrix, 0, Strided> s(score.data, Index(x.count), weights, Strided(Index(x.dim)));
    thread_local Matrix logits; // particles x rows
    logits.noalias() = w * features.transpose();
    if (!density.empty()) // log p = y z - log(1 + e^z), without overflow
      for (Index i = 0; i < logits.rows(); ++i)
        for (Index r = 0; r < logits.cols(); ++r) {
          const Real z = logits(i, r);
          density[std::size_t(i)] += scale * (labels[r] * z - std::max(z, Real(0)) -
                                              std::log1p(std::exp(-std::abs(z))));
        }
    logits.array() = scale * (labels.transpose().replicate(logits.rows(), 1).array() -
                              (Real(1) + (-logits.array()).exp()).inverse());
    s.noalias() += logits * features;
  }

  std::shared_ptr<const LabelledData<Real>> data_;
  Threads* threads_;
  DataBatches batches_;
  Matrix features_; // the mini-batch of the step
  Vector labels_;
};

/// What the particles together predict: p = mean over particles of sigmoid(w.f), as in SVGD's code.
struct Prediction {
  double accuracy = 0;
  double log_likelihood = 0; ///< mean over rows of log p(label)
};

template <typename Real>
Prediction predict(const LabelledData<Real>& data, Rows<const Real> x, Threads& threads) {
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Eigen::Index;
  const Index weights = data.features.cols(), rows = data.features.rows();
  const Eigen::Map<const Matrix, 0, Eigen::OuterStride<>> w(x.data, Index(x.count), weights,
                                                            Eigen::OuterStride<>(Index(x.dim)));
  constexpr std::size_t block = 512;
  std::vector<Prediction> parts((static_cast<std::size_t>(rows) + block - 1) / block);
  threads.for_pieces(static_cast<std::size_t>(rows), block, [&](std::size_t begin, std::size_t end) {
    const auto size = Index(end - begin);
    const Matrix logits = data.features.middleRows(Index(begin), size) * w.transpose();
    const Eigen::Matrix<double, Eigen::Dynamic, 1> p =
        (Real(1) + (-logits.array()).exp()).inverse().matrix().rowwise().mean().template cast<double>();
    Prediction& part = parts[begin / block];
    for (Index r = 0; r < size; ++r) {
      const bool positive = data.labels[Index(begin) + r] > Real(0.5);
      part.accuracy += (p[r] > 0.5) == positive;
      part.log_likelihood += std::log(std::max(positive ? p[r] : 1 - p[r], 1e-300));
    }
  });
  Prediction total;
  for (const Prediction& part : parts) { // in order, whoever finished first
    total.accuracy += part.accuracy / static_cast<double>(rows);
    total.log_likelihood += part.log_likelihood / static_cast<double>(rows);
  }
  return total;
}

} // namespace starling
