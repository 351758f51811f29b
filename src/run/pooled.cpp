// Moments over exact moves, and the cloud brought to them.
#include <starling/run/journey.hpp>

#include <algorithm>
#include <cmath>

namespace starling::run {

/// Adds the walkers to the pool: their count, sums and sums of products in y.
void Journey::pool(const Frame::Matrix& x) {
  const Frame::Matrix y = frame_.in(rows_of(x));
  const std::size_t products = frame_.is_dense() ? dim_ * dim_ : dim_;
  pool_.resize(1 + dim_ + products);
  pool_[0] += static_cast<double>(y.rows());
  Eigen::Map<Eigen::RowVectorXd>(pool_.data() + 1, y.cols()) += y.colwise().sum();
  double* rest = pool_.data() + 1 + dim_;
  if (frame_.is_dense())
    Eigen::Map<Eigen::MatrixXd>(rest, y.cols(), y.cols()) += y.transpose() * y;
  else
    Eigen::Map<Eigen::RowVectorXd>(rest, y.cols()) += y.colwise().squaredNorm();
}

/// Brings the cloud's mean and covariance to those of the pool, which has many more places in it, by the
/// one affine map that is lower triangular in y. With few particles a dimension, the widths only.
void Journey::align() {
  next_ = cloud_.x;
  if (pool_.empty())
    return;
  const auto d = Eigen::Index(dim_);
  const auto n = static_cast<double>(cloud_.count());
  const double* rest = pool_.data() + 1 + dim_;
  const Eigen::VectorXd mean = Eigen::Map<const Eigen::VectorXd>(pool_.data() + 1, d) / pool_[0];
  const Frame::Matrix y = frame_.in(cloud_.position());
  const Eigen::RowVectorXd own = y.colwise().mean();
  const Frame::Matrix centred = y.rowwise() - own;
  if (frame_.is_dense() && n >= 10 * static_cast<double>(dim_)) {
    const Eigen::MatrixXd wanted =
        Eigen::Map<const Eigen::MatrixXd>(rest, d, d) / pool_[0] - mean * mean.transpose();
    const Eigen::MatrixXd there = centred.transpose() * centred / (n - 1);
    const Frame from = Frame::from_covariance(Eigen::VectorXd::Zero(d), there);
    const Frame to = Frame::from_covariance(mean, wanted);
    next_ = frame_.out(to.out(from.in(rows_of(centred))));
    return;
  }
  Eigen::VectorXd ratio(d);
  for (Eigen::Index a = 0; a < d; ++a) {
    const double square = rest[frame_.is_dense() ? a * d + a : a] / pool_[0] - mean[a] * mean[a];
    ratio[a] = std::sqrt(std::max(square, 0.0) * (n - 1) / centred.col(a).squaredNorm());
    if (!std::isfinite(ratio[a]))
      ratio[a] = 1;
  }
  next_ = frame_.out((centred * ratio.asDiagonal()).rowwise() + mean.transpose());
}

/// Of the clouds along the polish, the one whose means and sds are nearest to the pool's in the worst
/// column. The polish mends the noise of few draws, then may go too far where tails are heavy.
void Journey::keep_if_better() {
  const Frame::Matrix all = columns(cloud_.x);
  const auto n = static_cast<double>(all.rows());
  double misfit = 0;
  for (Eigen::Index a = 0; a < all.cols(); ++a) {
    const double sd = pooled_sds_[std::size_t(a)];
    if (!(sd > 0))
      continue;
    const double mean = all.col(a).mean();
    const double own = std::sqrt((all.col(a).array() - mean).square().sum() / (n - 1));
    misfit = std::max({misfit, std::abs(mean - pooled_means_[std::size_t(a)]) / sd,
                       std::abs(own / sd - 1)});
  }
  if (best_.count() > 0 && !(misfit < misfit_))
    return;
  best_ = cloud_;
  misfit_ = misfit;
}

} // namespace starling::run
