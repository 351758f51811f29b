// Frames: their making, and the way in and out. Out of line, since whoever runs anything would
// compile it again.
#include <starling/frame.hpp>

#include "frame/products.hpp"

#include <starling/error.hpp>

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

namespace starling {

namespace {
constexpr double few_particles = 10; // for each dimension: with fewer, a covariance is not enough
}

Frame::Frame(std::size_t dim)
    : mean_(Vector::Zero(Eigen::Index(dim))), scale_(Vector::Ones(Eigen::Index(dim))) {}

Frame Frame::diagonal(Vector mean, Vector scale) {
  Frame frame;
  frame.mean_ = std::move(mean);
  frame.scale_ = std::move(scale);
  return frame;
}

Frame Frame::dense(Vector mean, Matrix factor) {
  Frame frame;
  frame.mean_ = std::move(mean);
  frame.factor_ = std::move(factor);
  frame.form_ = Form::dense;
  return frame;
}

Frame Frame::low_rank(Vector mean, Vector scale, const Vector& stretch,
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

Frame Frame::from_covariance(Vector mean, const Matrix& covariance) {
  const Eigen::Index d = covariance.rows();
  Vector scale(d);
  for (Eigen::Index a = 0; a < d; ++a) {
    const double variance = covariance(a, a);
    scale[a] = variance > 0 && std::isfinite(variance) ? std::sqrt(variance) : 1.0;
  }
  Eigen::MatrixXd scaled =
      scale.cwiseInverse().asDiagonal() * covariance * scale.cwiseInverse().asDiagonal();
  for (double jitter = 0; jitter<1; jitter = jitter> 0 ? 10 * jitter : 1e-12) {
    Eigen::MatrixXd raised = scaled;
    raised.diagonal().array() += jitter;
    const Eigen::LLT<Eigen::MatrixXd> cholesky(raised);
    const Eigen::MatrixXd factor = cholesky.matrixL();
    if (cholesky.info() == Eigen::Success && factor.allFinite() && factor.diagonal().minCoeff() > 0)
      return dense(std::move(mean), scale.asDiagonal() * factor);
  }
  return dense(std::move(mean), Matrix(scale.asDiagonal()));
}

Frame Frame::refreshed(Rows<const double> x, Rows<const double> score) const {
  const auto n = static_cast<double>(x.count), d = static_cast<double>(x.dim);
  if (form_ == Form::low_rank && score.count > 0)
    return low_rank_of_scores(map(x), map(score));
  if (form_ == Form::low_rank)
    return diagonal(mean_, scale_).refreshed(x).with_few();
  const Matrix y = inverse(x);
  if (is_dense() && score.count > 0 && n < few_particles * d)
    return dense_of_scores(y, pull(y, score));
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
  const double shrink = n < few_particles * d ? std::min(0.5, d / n) : 0.0;
  covariance *= 1 - shrink;
  covariance.diagonal().array() += shrink * covariance.trace() / (d * (1 - shrink));
  const Frame step = from_covariance(Vector::Zero(mean_.size()), covariance);
  return dense(mean_x, factor_.triangularView<Eigen::Lower>() * step.factor_);
}

Frame Frame::bent_by(Bend bend) const {
  Frame frame = *this;
  frame.bend_ = std::move(bend);
  return frame;
}

Frame Frame::densely() const {
  return is_dense() ? *this : dense(mean_, Matrix(scale_.asDiagonal()));
}

Frame Frame::with_few() const {
  return low_rank(mean_, scale_, Vector(), Eigen::MatrixXd(mean_.size(), 0));
}

std::vector<double> Frame::numbers() const {
  if (is_dense())
    return {factor_.data(), factor_.data() + factor_.size()};
  std::vector<double> all(scale_.data(), scale_.data() + scale_.size());
  all.insert(all.end(), wide_.data(), wide_.data() + wide_.size());
  return all;
}

Frame Frame::from_numbers(std::span<const double> mean, std::span<const double> numbers,
                          Form form) {
  const std::size_t n = mean.size(), given = numbers.size();
  const auto d = static_cast<Eigen::Index>(n);
  const std::size_t wanted = form == Form::dense ? n * n : form == Form::diagonal ? n : given;
  if (given != wanted || given < n || (form == Form::low_rank && (given - n) % (n + 1) != 0))
    reject("frame",
           form == Form::low_rank ? "numbers of whole directions"
                                  : std::to_string(wanted) + " numbers",
           std::to_string(given));
  Vector m = Eigen::Map<const Vector>(mean.data(), d);
  if (form == Form::dense)
    return dense(std::move(m), Eigen::Map<const Matrix>(numbers.data(), d, d));
  Frame frame = diagonal(std::move(m), Eigen::Map<const Vector>(numbers.data(), d));
  frame.wide_ = Eigen::Map<const Vector>(numbers.data() + d, Eigen::Index(given) - d);
  frame.form_ = form;
  return frame;
}

void Frame::restored() const {
  const Eigen::Index d = mean_.size();
  const bool dense = is_dense();
  const bool fits = (dense ? factor_.rows() == d && factor_.cols() == d && scale_.size() == 0
                           : scale_.size() == d && factor_.size() == 0) &&
                    (form_ == Form::low_rank ? wide_.size() % (d + 1) == 0 : wide_.size() == 0);
  if (!fits || (bend_ && bend_->dim() != dim()))
    throw std::invalid_argument("state: the numbers of a frame do not fit each other");
}

Frame::Vector Frame::spreads() const {
  if (is_dense())
    return factor_.rowwise().norm();
  if (rank() == 0)
    return scale_;
  const Vector more = stretch().array().square() - 1;
  return scale_.array() * (1 + (directions().array().square().matrix() * more).array()).sqrt();
}

double Frame::log_determinant() const {
  return is_dense() ? factor_.diagonal().array().log().sum()
                    : scale_.array().log().sum() + stretch().array().log().sum();
}

Frame::Vector Frame::log_determinant(const Way& way) const {
  Vector all = Vector::Constant(way.y.rows(), log_determinant());
  if (bend_)
    all += bend_->log_determinant(*way.bent);
  return all;
}

double Frame::log_normal(double squared_norm_of_y) const {
  return -0.5 * squared_norm_of_y - log_determinant() -
         0.5 * static_cast<double>(dim()) * std::log(2 * std::numbers::pi);
}

Frame::Matrix Frame::inverse(Rows<const double> x) const {
  Matrix y = bend_ ? bend_->inverse(x) : Matrix(map(x));
  y.rowwise() -= mean_.transpose();
  if (!is_dense()) {
    y = y * scale_.cwiseInverse().asDiagonal();
    stretch_rows(y, stretch().cwiseInverse());
    return y;
  }
  factor_.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(y);
  return y;
}

Frame::Way Frame::way(Matrix y) const {
  Way way{std::move(y), {}};
  if (bend_)
    way.bent = bend_->way(affine(way.y));
  return way;
}

Frame::Matrix Frame::forward(const Way& way) const {
  return bend_ ? bend_->forward(*way.bent) : affine(way.y);
}

Frame::Matrix Frame::affine(const Matrix& y) const {
  if (is_dense())
    return along_rows(y).rowwise() + mean_.transpose();
  Matrix x = y;
  stretch_rows(x, stretch());
  return (x * scale_.asDiagonal()).rowwise() + mean_.transpose();
}

Frame::Vector Frame::along(const Vector& y) const {
  return is_dense() ? Vector(factor_.triangularView<Eigen::Lower>() * y)
                    : Vector(along_rows(y.transpose()).transpose());
}

Frame::Matrix Frame::along_rows(const Matrix& y) const {
  if (is_dense())
    return times_turned(y, factor_);
  if (rank() == 0)
    return y * scale_.asDiagonal();
  Matrix wide = y;
  stretch_rows(wide, stretch());
  return wide * scale_.asDiagonal();
}

Frame::Matrix Frame::pull(Rows<const double> s) const {
  if (is_dense())
    return times(map(s), factor_);
  Matrix in = map(s) * scale_.asDiagonal();
  stretch_rows(in, stretch());
  return in;
}

Frame::Matrix Frame::pull(const Way& way, Rows<const double> s) const {
  if (!bend_)
    return pull(s);
  const Matrix in_t = bend_->pull(*way.bent, s);
  return pull(rows_of(in_t));
}

Frame::Vector Frame::stretch() const { return wide_.head(rank()); }

void Frame::stretch_rows(Matrix& rows, const Vector& by) const {
  if (rank() == 0)
    return;
  const Eigen::Map<const Matrix> v(wide_.data() + rank(), rank(), mean_.size());
  const Matrix along_v = times_turned(rows, v) * (by.array() - 1).matrix().asDiagonal();
  add_times(along_v, v, rows);
}

} // namespace starling
