// A frame: coordinates in which a density has about mean 0 and covariance I.
#pragma once

#include <starling/error.hpp>
#include <starling/rows.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>

namespace starling {

/// x = m + L y, L lower triangular with a positive diagonal, or diagonal. It wraps positions and
/// scores on their way to a density and back; loop and kernels do not know it.
///     y = L^-1 (x - m),   s_y = L^T s_x
class Frame {
public:
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Vector = Eigen::VectorXd;

  Frame() = default;
  /// m = 0, L = I, kept as a diagonal.
  explicit Frame(std::size_t dim)
      : mean_(Vector::Zero(Eigen::Index(dim))), scale_(Vector::Ones(Eigen::Index(dim))) {}

  static Frame diagonal(Vector mean, Vector scale) {
    Frame frame;
    frame.mean_ = std::move(mean);
    frame.scale_ = std::move(scale);
    return frame;
  }
  static Frame dense(Vector mean, Matrix factor) {
    Frame frame;
    frame.mean_ = std::move(mean);
    frame.factor_ = std::move(factor);
    return frame;
  }
  /// From a covariance. One that is not quite positive definite is helped: it is scaled to a
  /// correlation, and its diagonal raised until it has a Cholesky factor.
  static Frame from_covariance(Vector mean, const Matrix& covariance) {
    const Eigen::Index d = covariance.rows();
    Vector scale(d);
    for (Eigen::Index a = 0; a < d; ++a) {
      const double variance = covariance(a, a);
      scale[a] = variance > 0 && std::isfinite(variance) ? std::sqrt(variance) : 1.0;
    }
    Eigen::MatrixXd scaled = scale.cwiseInverse().asDiagonal() * covariance *
                             scale.cwiseInverse().asDiagonal();
    for (double jitter = 0; jitter < 1; jitter = jitter > 0 ? 10 * jitter : 1e-12) {
      Eigen::MatrixXd raised = scaled;
      raised.diagonal().array() += jitter;
      const Eigen::LLT<Eigen::MatrixXd> cholesky(raised);
      const Eigen::MatrixXd factor = cholesky.matrixL();
      if (cholesky.info() == Eigen::Success && factor.allFinite() &&
          factor.diagonal().minCoeff() > 0)
        return dense(std::move(mean), scale.asDiagonal() * factor);
    }
    return dense(std::move(mean), Matrix(scale.asDiagonal()));
  }

  /// The frame of a cloud, seen from this one: mean and covariance of the cloud in y, made into
  /// steps of this frame. Where particles are fewer than ten times the dimensions, the covariance
  /// in y is drawn towards a multiple of I, by d/N and at most half; in y, because there I is the
  /// right guess whatever the scales and correlations in x are. A diagonal frame stays diagonal.
  Frame refreshed(Rows<const double> x) const {
    const auto n = static_cast<double>(x.count), d = static_cast<double>(x.dim);
    const Matrix y = in(x);
    const Eigen::RowVectorXd mean = y.colwise().mean();
    const Matrix centred = y.rowwise() - mean;
    const Vector mean_x = mean_ + along(mean.transpose());
    if (!is_dense()) {
      Vector scale = (centred.colwise().squaredNorm() / std::max(1.0, n - 1)).cwiseSqrt();
      for (double& s : scale)
        s = s > 1e-6 && std::isfinite(s) ? s : 1e-6;
      return diagonal(mean_x, scale_.cwiseProduct(scale));
    }
    Eigen::MatrixXd covariance = centred.transpose() * centred / std::max(1.0, n - 1);
    const double shrink = n < 10 * d ? std::min(0.5, d / n) : 0.0;
    covariance *= 1 - shrink;
    covariance.diagonal().array() += shrink * covariance.trace() / (d * (1 - shrink));
    const Frame step = from_covariance(Vector::Zero(mean_.size()), covariance);
    return dense(mean_x, factor_.template triangularView<Eigen::Lower>() * step.factor_);
  }

  /// The same frame with room for correlations.
  Frame densely() const { return is_dense() ? *this : dense(mean_, Matrix(scale_.asDiagonal())); }

  std::size_t dim() const { return static_cast<std::size_t>(mean_.size()); }
  bool is_dense() const { return factor_.size() > 0; }
  const Vector& mean() const { return mean_; }
  /// The diagonal of a diagonal frame, or L row by row: with the mean, all there is to save.
  std::span<const double> numbers() const {
    return is_dense() ? std::span<const double>(factor_.data(), std::size_t(factor_.size()))
                      : std::span<const double>(scale_.data(), std::size_t(scale_.size()));
  }
  /// The frame with these numbers.
  static Frame from_numbers(std::span<const double> mean, std::span<const double> numbers,
                            bool is_dense) {
    const auto d = static_cast<Eigen::Index>(mean.size());
    const std::size_t wanted = is_dense ? mean.size() * mean.size() : mean.size();
    if (numbers.size() != wanted)
      reject("frame", std::to_string(wanted) + " numbers", std::to_string(numbers.size()));
    Vector m = Eigen::Map<const Vector>(mean.data(), d);
    if (is_dense)
      return dense(std::move(m), Eigen::Map<const Matrix>(numbers.data(), d, d));
    return diagonal(std::move(m), Eigen::Map<const Vector>(numbers.data(), d));
  }

  /// How far x goes in each coordinate for a step of length 1 in y, at most: the lengths of L's rows.
  Vector spreads() const { return is_dense() ? Vector(factor_.rowwise().norm()) : scale_; }

  /// Sum of the logarithms of L's diagonal.
  double log_determinant() const {
    return is_dense() ? factor_.diagonal().array().log().sum() : scale_.array().log().sum();
  }
  /// Log density of m + L z, z normal, at that place.
  double log_normal(double squared_norm_of_y) const {
    return -0.5 * squared_norm_of_y - log_determinant() -
           0.5 * static_cast<double>(dim()) * std::log(2 * std::numbers::pi);
  }

  /// Rows of positions to rows of y.
  Matrix in(Rows<const double> x) const {
    Matrix y = map(x).rowwise() - mean_.transpose();
    if (!is_dense())
      return y * scale_.cwiseInverse().asDiagonal();
    factor_.template triangularView<Eigen::Lower>().transpose().template solveInPlace<Eigen::OnTheRight>(y);
    return y;
  }
  /// Rows of y to rows of positions.
  Matrix out(const Matrix& y) const { return along_rows(y).rowwise() + mean_.transpose(); }
  /// L y for a displacement y, and the same for rows of them.
  Vector along(const Vector& y) const {
    return is_dense() ? Vector(factor_.template triangularView<Eigen::Lower>() * y)
                      : Vector(scale_.cwiseProduct(y));
  }
  Matrix along_rows(const Matrix& y) const {
    return is_dense() ? Matrix(y * factor_.transpose()) : Matrix(y * scale_.asDiagonal());
  }
  /// Rows of scores in x to rows of scores in y.
  Matrix score_in(Rows<const double> s) const {
    return is_dense() ? Matrix(map(s) * factor_) : Matrix(map(s) * scale_.asDiagonal());
  }

  static Eigen::Map<const Matrix> map(Rows<const double> rows) {
    return {rows.data, Eigen::Index(rows.count), Eigen::Index(rows.dim)};
  }
  static Eigen::Map<Matrix> map(Rows<double> rows) {
    return {rows.data, Eigen::Index(rows.count), Eigen::Index(rows.dim)};
  }

private:
  Vector mean_, scale_; // scale_ is empty in a dense frame, factor_ in a diagonal one
  Matrix factor_;
};

/// Rows of a matrix that has them one after another.
inline Rows<double> rows_of(Frame::Matrix& m) {
  return {m.data(), std::size_t(m.rows()), std::size_t(m.cols())};
}
inline Rows<const double> rows_of(const Frame::Matrix& m) {
  return {m.data(), std::size_t(m.rows()), std::size_t(m.cols())};
}

} // namespace starling
