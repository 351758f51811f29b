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
/// collapse in many dimensions, and adds no noise. Cost: 2 N d^2. Where not everyone is dealt, the
/// means are those of the dealt, whose scores are of this step, and the others keep their drift.
template <typename Real, typename Drift>
class WithBilinear {
public:
  WithBilinear(Drift drift, Real weight, Threads& threads = Threads::alone())
      : drift_(std::move(drift)), weight_(weight), threads_(&threads) {}

  void operator()(Step k, Ensemble<Real>& particles, const Batches& batches) {
    drift_(k, particles, batches);
    const Rows<const Real> x = std::as_const(particles).position(), s = std::as_const(particles).score();
    if (batches.whole())
      return add(x, s, particles.drift());
    const auto order = batches.order();
    const std::size_t count = order.size() * x.dim;
    dealt_.resize(3 * count);
    const auto column = [&](std::size_t n) {
      return Rows<Real>{dealt_.data() + n * count, order.size(), x.dim};
    };
    for (std::size_t n = 0; n < order.size(); ++n) {
      std::ranges::copy(x[order[n]], column(0)[n].begin());
      std::ranges::copy(s[order[n]], column(1)[n].begin());
      std::ranges::copy(particles.drift()[order[n]], column(2)[n].begin());
    }
    add(column(0), column(1), column(2));
    for (std::size_t n = 0; n < order.size(); ++n)
      std::ranges::copy(column(2)[n], particles.drift()[order[n]].begin());
  }

private:
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Row = Eigen::Matrix<Real, 1, Eigen::Dynamic>;
  using Index = Eigen::Index;

  // What a piece needs to itself: its rows about the mean, and their product with the scores.
  struct Piece {
    Matrix off, sum;
  };

  // There Eigen goes through a column in one pass and needs no room; a few rows, and matrices, it
  // would copy first, so it gets them copied already.
  static bool on_the_line(Index dim, Index count) { return dim == 1 && count >= 20; }

  template <typename Scalar>
  static auto rows(Rows<Scalar> view) {
    using Mapped = std::conditional_t<std::is_const_v<Scalar>, const Matrix, Matrix>;
    return Eigen::Map<Mapped>(view.data, Index(view.count), Index(view.dim));
  }

  void add(Rows<const Real> positions, Rows<const Real> scores, Rows<Real> drifts) {
    const auto x = rows(positions), s = rows(scores);
    auto drift = rows(drifts);
    mean_ = x.colwise().mean();
    shift_ = s.colwise().mean();
    shift_ *= weight_;

    // Sums of pieces, added in order: the same on any number of threads.
    const std::size_t n = positions.count, grain = std::max<std::size_t>(256, (n + 63) / 64);
    pieces_.resize((n + grain - 1) / grain);
    threads_->for_pieces(n, grain, [&](std::size_t begin, std::size_t end) {
      const Index first = Index(begin), count = Index(end - begin);
      Piece& piece = pieces_[begin / grain];
      piece.off = x.middleRows(first, count).rowwise() - mean_;
      piece.sum.resize(x.cols(), x.cols());
      if (on_the_line(x.cols(), count))
        piece.sum.noalias() =
            (x.middleRows(first, count).rowwise() - mean_).transpose() * s.middleRows(first, count);
      else
        piece.sum.noalias() = piece.off.transpose() * s.middleRows(first, count);
    });
    pull_.setZero(x.cols(), x.cols()); // (A + I)^T, for rows
    for (const Piece& piece : pieces_)
      pull_ += piece.sum;
    pull_ /= static_cast<Real>(n);
    pull_.diagonal().array() += Real(1);
    threads_->for_pieces(n, grain, [&](std::size_t begin, std::size_t end) {
      const Index first = Index(begin), count = Index(end - begin);
      auto some = drift.middleRows(first, count);
      Piece& piece = pieces_[begin / grain];
      if (on_the_line(x.cols(), count))
        some.noalias() += weight_ * ((x.middleRows(first, count).rowwise() - mean_) * pull_);
      else
        some.noalias() += weight_ * (piece.off * pull_);
      some.rowwise() += shift_;
    });
  }

  Drift drift_;
  Real weight_;
  Threads* threads_;
  Row mean_, shift_; // shift: c mean(s)
  Matrix pull_;
  std::vector<Piece> pieces_;
  std::vector<Real> dealt_; // where not everyone is: their positions, scores and drifts together
};

} // namespace starling
