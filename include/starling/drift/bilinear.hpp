// A bilinear part of the kernel, exact over all particles: it needs two means and no batches.
#pragma once

#include <starling/batches.hpp>
#include <starling/ensemble.hpp>
#include <starling/threads.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <utility>
#include <vector>

namespace starling {

/// Adds to another drift that of the kernel c (1 + (x - m).(y - m)), m the mean of the cloud, over all
/// N and not over a batch:
///     Phi_i += c [ mean(s) + (A + I)(x_i - m) ],   A = mean over j of s_j (x_j - m)^T
/// Under pi mean(s) = 0 and A = -I: it sets mean and covariance right, which local kernels let
/// collapse in many dimensions, and adds no noise. Cost: 2 N d^2. Everyone must be dealt, so that all
/// scores are those of this step.
template <typename Real, typename Drift>
class WithBilinear {
public:
  WithBilinear(Drift drift, Real weight, Threads& threads = Threads::alone())
      : drift_(std::move(drift)), weight_(weight), threads_(&threads) {}

  void operator()(Step k, Ensemble<Real>& particles, const Batches& batches) {
    drift_(k, particles, batches);
    const auto rows = [](auto view) {
      using Scalar = std::remove_pointer_t<decltype(view.data)>;
      using Mapped = std::conditional_t<std::is_const_v<Scalar>, const Matrix, Matrix>;
      return Eigen::Map<Mapped>(view.data, Eigen::Index(view.count), Eigen::Index(view.dim));
    };
    const auto x = rows(std::as_const(particles).position()), s = rows(std::as_const(particles).score());
    auto drift = rows(particles.drift());
    const Row mean = x.colwise().mean(), mean_score = s.colwise().mean();

    // Sums of pieces, added in order: the same on any number of threads.
    const std::size_t n = particles.count(), grain = std::max<std::size_t>(256, (n + 63) / 64);
    sums_.resize((n + grain - 1) / grain);
    const auto slice = [](std::size_t begin, std::size_t end) {
      return std::pair(Eigen::Index(begin), Eigen::Index(end - begin));
    };
    threads_->for_pieces(n, grain, [&](std::size_t begin, std::size_t end) {
      const auto [first, count] = slice(begin, end);
      sums_[begin / grain].noalias() =
          (x.middleRows(first, count).rowwise() - mean).transpose() * s.middleRows(first, count);
    });
    Matrix pull = Matrix::Zero(x.cols(), x.cols()); // (A + I)^T, for rows
    for (const Matrix& sum : sums_)
      pull += sum;
    pull /= static_cast<Real>(n);
    pull.diagonal().array() += Real(1);
    threads_->for_pieces(n, grain, [&](std::size_t begin, std::size_t end) {
      const auto [first, count] = slice(begin, end);
      auto some = drift.middleRows(first, count);
      some.noalias() += weight_ * ((x.middleRows(first, count).rowwise() - mean) * pull);
      some.rowwise() += weight_ * mean_score;
    });
  }

private:
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Row = Eigen::Matrix<Real, 1, Eigen::Dynamic>;

  Drift drift_;
  Real weight_;
  Threads* threads_;
  std::vector<Matrix> sums_;
};

} // namespace starling
