// Normal distribution with any covariance.
#pragma once

#include <starling/target/concepts.hpp>
#include <starling/threads.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <string>
#include <utility>

namespace starling {

/// log pi = -(1/2) (x - m)^T P (x - m), P the inverse covariance; score = -P (x - m).
template <typename Real>
class Normal {
public:
  Normal(const Eigen::VectorXd& mean, const Eigen::MatrixXd& covariance,
         Threads& threads = Threads::alone())
      : mean_(mean.cast<Real>().transpose()), threads_(&threads) {
    const Eigen::Index d = mean.size();
    if (covariance.rows() != d || covariance.cols() != d)
      reject("covariance", std::to_string(d) + " x " + std::to_string(d),
             std::to_string(covariance.rows()) + " x " + std::to_string(covariance.cols()));
    if (!mean.allFinite())
      reject("mean", "finite", "one that is not");
    if (!covariance.allFinite() || !covariance.isApprox(covariance.transpose(), 1e-12))
      reject("covariance", "finite and symmetric", "one that is not");
    const Eigen::LLT<Eigen::MatrixXd> cholesky(covariance);
    if (cholesky.info() != Eigen::Success)
      reject("covariance", "positive definite", "one that is not");
    precision_ = cholesky.solve(Eigen::MatrixXd::Identity(d, d)).template cast<Real>();
  }
  /// The standard normal in d dimensions.
  explicit Normal(std::size_t dim, Threads& threads = Threads::alone())
      : Normal(Eigen::VectorXd::Zero(Eigen::Index(dim)),
               Eigen::MatrixXd::Identity(Eigen::Index(dim), Eigen::Index(dim)), threads) {}

  std::size_t dim() const { return static_cast<std::size_t>(mean_.size()); }

  void operator()(Step, Rows<const Real> x, Rows<Real> score) {
    constexpr std::size_t block = 256; // rows of a product
    const std::size_t blocks =
        std::max<std::size_t>(1, 32768 / (block * x.dim * x.dim)); // long against taking a piece
    threads_->for_pieces(x.count, blocks * block, [&](std::size_t begin, std::size_t end) {
      thread_local Block off; // kept from step to step
      for (std::size_t first = begin; first < end; first += block) {
        const std::size_t last = std::min(first + block, end);
        const Rows<const Real> from = x.slice(first, last);
        const Rows<Real> to = score.slice(first, last);
        Eigen::Map<Block> s(to.data, Eigen::Index(to.count), Eigen::Index(to.dim));
        const Eigen::Map<const Block> y(from.data, Eigen::Index(from.count),
                                        Eigen::Index(from.dim));
        off = mean_.replicate(y.rows(), 1) - y;
        s.noalias() = off * precision_;
      }
    });
  }

  void evaluate(Rows<const Real> x, Rows<Real> score, std::span<Real> log_density) {
    (*this)(0, x, score);
    threads_->for_pieces(x.count, 1 + 32768 / x.dim, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        log_density[i] = 0;
        for (std::size_t a = 0; a < x.dim; ++a)
          log_density[i] += (x[i][a] - mean_[Eigen::Index(a)]) * score[i][a] / 2;
      }
    });
  }

private:
  using Block = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Matrix<Real, 1, Eigen::Dynamic> mean_;
  Block precision_;
  Threads* threads_;
};

} // namespace starling
