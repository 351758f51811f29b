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
#include <string>
#include <utility>
#include <vector>

namespace starling {

/// x = m + L y. L is diagonal; or lower triangular with a positive diagonal; or of low rank beside a
/// diagonal, L = D (I + V (C - I) V^T), V with k orthonormal columns, which stretches k directions by
/// C and costs d k a row. It wraps positions and scores on their way to a density and back; loop and
/// kernels do not know it.
///     y = L^-1 (x - m),   s_y = L^T s_x
class Frame {
public:
  enum class Form { diagonal, dense, low_rank }; // numbers of saved states: new ones at the end
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
    frame.form_ = Form::dense;
    return frame;
  }
  /// Columns of `directions` are orthonormal, stretches are positive.
  static Frame low_rank(Vector mean, Vector scale, const Vector& stretch,
                        const Eigen::MatrixXd& directions) {
    Frame frame;
    frame.mean_ = std::move(mean);
    frame.scale_ = std::move(scale);
    frame.wide_.resize(stretch.size() + directions.size());
    frame.wide_.head(stretch.size()) = stretch;
    frame.wide_.tail(directions.size()) = directions.reshaped();
    frame.form_ = Form::low_rank;
    return frame;
  }
  /// With the covariance D (I + B M B^T) D, D the scales, B of few columns, M symmetric.
  static Frame low_rank_beside(Vector mean, Vector scale, const Eigen::MatrixXd& b,
                               const Eigen::MatrixXd& m);
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
  /// right guess whatever the scales and correlations in x are. A diagonal frame stays diagonal;
  /// one of low rank stays so, see below.
  Frame refreshed(Rows<const double> x) const {
    const auto n = static_cast<double>(x.count), d = static_cast<double>(x.dim);
    if (form_ == Form::low_rank) {
      const Vector mean = map(x).colwise().mean().transpose();
      return of_low_rank(map(x).rowwise() - mean.transpose(), mean);
    }
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

  /// The same frame with room for correlations, all or few; a diagonal one only.
  Frame densely() const { return is_dense() ? *this : dense(mean_, Matrix(scale_.asDiagonal())); }
  Frame with_few() const { return low_rank(mean_, scale_, Vector(), Eigen::MatrixXd(mean_.size(), 0)); }

  std::size_t dim() const { return static_cast<std::size_t>(mean_.size()); }
  Form form() const { return form_; }
  bool is_dense() const { return form_ == Form::dense; }
  const Vector& mean() const { return mean_; }
  /// Directions of a low rank; 0 in other forms.
  Eigen::Index rank() const { return wide_.size() / (mean_.size() + 1); }
  /// With the mean, all there is to save: the diagonal, or L row by row, or for a low rank the
  /// diagonal, the stretches and the directions one after another.
  std::vector<double> numbers() const {
    if (is_dense())
      return {factor_.data(), factor_.data() + factor_.size()};
    std::vector<double> all(scale_.data(), scale_.data() + scale_.size());
    all.insert(all.end(), wide_.data(), wide_.data() + wide_.size());
    return all;
  }
  /// The frame with these numbers.
  static Frame from_numbers(std::span<const double> mean, std::span<const double> numbers, Form form) {
    const std::size_t n = mean.size(), given = numbers.size();
    const auto d = static_cast<Eigen::Index>(n);
    const std::size_t wanted = form == Form::dense ? n * n : form == Form::diagonal ? n : given;
    if (given != wanted || given < n || (form == Form::low_rank && (given - n) % (n + 1) != 0))
      reject("frame", form == Form::low_rank ? "numbers of whole directions" : std::to_string(wanted) + " numbers",
             std::to_string(given));
    Vector m = Eigen::Map<const Vector>(mean.data(), d);
    if (form == Form::dense)
      return dense(std::move(m), Eigen::Map<const Matrix>(numbers.data(), d, d));
    Frame frame = diagonal(std::move(m), Eigen::Map<const Vector>(numbers.data(), d));
    frame.wide_ = Eigen::Map<const Vector>(numbers.data() + d, Eigen::Index(given) - d);
    frame.form_ = form;
    return frame;
  }

  /// How far x goes in each coordinate for a step of length 1 in y, at most: the lengths of L's rows.
  Vector spreads() const {
    if (is_dense())
      return factor_.rowwise().norm();
    if (rank() == 0)
      return scale_;
    const Vector more = stretch().array().square() - 1;
    return scale_.array() * (1 + (directions().array().square().matrix() * more).array()).sqrt();
  }

  /// Logarithm of L's determinant.
  double log_determinant() const {
    return is_dense() ? factor_.diagonal().array().log().sum()
                      : scale_.array().log().sum() + stretch().array().log().sum();
  }
  /// Log density of m + L z, z normal, at that place.
  double log_normal(double squared_norm_of_y) const {
    return -0.5 * squared_norm_of_y - log_determinant() -
           0.5 * static_cast<double>(dim()) * std::log(2 * std::numbers::pi);
  }

  /// Rows of positions to rows of y.
  Matrix in(Rows<const double> x) const {
    Matrix y = map(x).rowwise() - mean_.transpose();
    if (!is_dense()) {
      y = y * scale_.cwiseInverse().asDiagonal();
      stretch_rows(y, stretch().cwiseInverse());
      return y;
    }
    factor_.template triangularView<Eigen::Lower>().transpose().template solveInPlace<Eigen::OnTheRight>(y);
    return y;
  }
  /// Rows of y to rows of positions.
  Matrix out(const Matrix& y) const { return along_rows(y).rowwise() + mean_.transpose(); }
  /// L y for a displacement y, and the same for rows of them.
  Vector along(const Vector& y) const {
    return is_dense() ? Vector(factor_.template triangularView<Eigen::Lower>() * y)
                      : Vector(along_rows(y.transpose()).transpose());
  }
  Matrix along_rows(const Matrix& y) const {
    if (is_dense())
      return y * factor_.transpose();
    if (rank() == 0)
      return y * scale_.asDiagonal();
    Matrix wide = y;
    stretch_rows(wide, stretch());
    return wide * scale_.asDiagonal();
  }
  /// Rows of scores in x to rows of scores in y.
  Matrix score_in(Rows<const double> s) const {
    if (is_dense())
      return map(s) * factor_;
    Matrix in = map(s) * scale_.asDiagonal();
    stretch_rows(in, stretch());
    return in;
  }

  static Eigen::Map<const Matrix> map(Rows<const double> rows) {
    return {rows.data, Eigen::Index(rows.count), Eigen::Index(rows.dim)};
  }
  static Eigen::Map<Matrix> map(Rows<double> rows) {
    return {rows.data, Eigen::Index(rows.count), Eigen::Index(rows.dim)};
  }

private:
  Vector stretch() const { return wide_.head(rank()); }
  Eigen::Map<const Eigen::MatrixXd> directions() const {
    return {wide_.data() + rank(), mean_.size(), rank()};
  }
  /// Rows times I + V (by - I) V^T.
  void stretch_rows(Matrix& rows, const Vector& by) const {
    if (rank() == 0)
      return;
    const Eigen::MatrixXd along_v = rows * directions() * (by.array() - 1).matrix().asDiagonal();
    rows.noalias() += along_v * directions().transpose();
  }

  /// The frame of a cloud of few particles in many dimensions: a diagonal, and beside it what the
  /// cloud shows of directions that are wider than the rest, or of this frame's that are narrower.
  /// A direction of covariance I looks as wide as (1 + sqrt(d/N))^2 when it is chosen among all in N
  /// draws, so only wider ones count, and their width is taken back by what the choice added: the
  /// sample's l is that of a true w with l = w (1 + (d/N) / (w - 1)).
  Frame of_low_rank(const Matrix& centred, const Vector& mean) const;

  Vector mean_, scale_; // scale_ is empty in a dense frame, factor_ in the others
  Matrix factor_;
  Vector wide_; // of a low rank: stretches, then directions
  Form form_ = Form::diagonal;
};

/// Rows of a matrix that has them one after another.
inline Rows<double> rows_of(Frame::Matrix& m) {
  return {m.data(), std::size_t(m.rows()), std::size_t(m.cols())};
}
inline Rows<const double> rows_of(const Frame::Matrix& m) {
  return {m.data(), std::size_t(m.rows()), std::size_t(m.cols())};
}

} // namespace starling
