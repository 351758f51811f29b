// A frame: coordinates in which a density has about mean 0 and covariance I.
#pragma once

#include <starling/bend.hpp>
#include <starling/rows.hpp>

#include <Eigen/Core>

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace starling {

/// x = m + L y. L is diagonal; or lower triangular with a positive diagonal; or of low rank beside
/// a diagonal, L = D (I + V (C - I) V^T), V with k orthonormal columns, which stretches k
/// directions by C and costs d k a row. It wraps positions and scores on their way to a density and
/// back; loop and kernels do not know it.
///     y = L^-1 (x - m),   s_y = L^T s_x
/// A frame may bend: then that is its affine part, to coordinates t, and x = bend(m + L y).
class Frame {
public:
  enum class Form { diagonal, dense, low_rank }; // numbers of saved states: new ones at the end
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Vector = Eigen::VectorXd;

  Frame() = default;
  /// m = 0, L = I, kept as a diagonal.
  explicit Frame(std::size_t dim);

  static Frame diagonal(Vector mean, Vector scale);
  static Frame dense(Vector mean, Matrix factor);
  /// Columns of `directions` are orthonormal, stretches are positive.
  static Frame low_rank(Vector mean, Vector scale, const Vector& stretch,
                        const Eigen::MatrixXd& directions);
  /// With the covariance D (I + B M B^T) D, D the scales, B of few columns, M symmetric.
  static Frame low_rank_beside(Vector mean, Vector scale, const Eigen::MatrixXd& b,
                               const Eigen::MatrixXd& m);
  /// From a covariance. One that is not quite positive definite is helped: it is scaled to a
  /// correlation, and its diagonal raised until it has a Cholesky factor.
  static Frame from_covariance(Vector mean, const Matrix& covariance);

  /// The frame of a cloud, seen from this one: mean and covariance of the cloud in y, made into
  /// steps of this frame. Where particles are fewer than ten times the dimensions, scores tell the
  /// covariance together with positions (src/frame/frame_of_scores.cpp); whoever has no scores gets
  /// one that is drawn towards a multiple of I, by d/N and at most half. A diagonal frame stays
  /// diagonal; one of low rank stays so, and needs scores for its directions.
  Frame refreshed(Rows<const double> x, Rows<const double> score = {}) const;

  /// With this as its affine part.
  Frame bent_by(Bend bend) const;
  const std::optional<Bend>& bend() const { return bend_; }

  /// The same frame with room for correlations, all or few; a diagonal one only.
  Frame densely() const;
  Frame with_few() const;

  std::size_t dim() const { return static_cast<std::size_t>(mean_.size()); }
  Form form() const { return form_; }
  bool is_dense() const { return form_ == Form::dense; }
  const Vector& mean() const { return mean_; }
  /// Directions of a low rank; 0 in other forms.
  Eigen::Index rank() const { return wide_.size() / (mean_.size() + 1); }
  /// With the mean, all there is of the affine part: the diagonal, or L row by row, or for a low
  /// rank the diagonal, the stretches and the directions one after another.
  std::vector<double> numbers() const;
  /// The frame with these numbers.
  static Frame from_numbers(std::span<const double> mean, std::span<const double> numbers,
                            Form form);

  // Of the affine part alone, which takes y to x where nothing bends:
  /// How far x goes in each coordinate for a step of length 1 in y, at most: the lengths of L's
  /// rows.
  Vector spreads() const;

  /// Logarithm of L's determinant.
  double log_determinant() const;
  /// Log density of m + L z, z normal, at that place.
  double log_normal(double squared_norm_of_y) const;
  /// L y for a displacement y, and the same for rows of them.
  Vector along(const Vector& y) const;
  Matrix along_rows(const Matrix& y) const;
  /// L^T s for rows s; the same at any place.
  Matrix pull(Rows<const double> s) const;

  // Of the whole frame:
  /// Rows of positions to rows of y.
  Matrix inverse(Rows<const double> x) const;
  /// Rows of y on their way to positions: what is computed once for all that is asked there.
  struct Way {
    Matrix y;
    std::optional<Bend::Way> bent;
  };
  Way way(Matrix y) const;
  /// Rows of y to rows of positions.
  Matrix forward(const Way& way) const;
  Matrix forward(const Matrix& y) const { return forward(way(y)); }
  /// log |dx/dy| at each row of y.
  Vector log_determinant(const Way& way) const;
  Vector log_determinant(const Matrix& y) const { return log_determinant(way(y)); }
  /// Rows of scores in x to rows of scores of the density in y, at y: with the slope of the log
  /// determinant.
  Matrix pull(const Way& way, Rows<const double> s) const;
  Matrix pull(const Matrix& y, Rows<const double> s) const { return pull(way(y), s); }

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("form", self.form_, Form::low_rank);
    visit("mean", self.mean_);
    visit("scale", self.scale_);
    visit("factor", self.factor_);
    visit("wide", self.wide_);
    visit("bend", self.bend_);
  }
  void restored() const;

  static Eigen::Map<const Matrix> map(Rows<const double> rows) {
    return {rows.data, Eigen::Index(rows.count), Eigen::Index(rows.dim)};
  }
  static Eigen::Map<Matrix> map(Rows<double> rows) {
    return {rows.data, Eigen::Index(rows.count), Eigen::Index(rows.dim)};
  }

private:
  /// Of few particles: see src/frame/frame_of_scores.cpp. Positions and scores in y, and in x.
  Frame dense_of_scores(const Matrix& y, const Matrix& score) const;
  static Frame low_rank_of_scores(const Matrix& x, const Matrix& score);

  Matrix affine(const Matrix& y) const;
  Vector stretch() const;
  Eigen::Map<const Eigen::MatrixXd> directions() const {
    return {wide_.data() + rank(), mean_.size(), rank()};
  }
  /// Rows times I + V (by - I) V^T.
  void stretch_rows(Matrix& rows, const Vector& by) const;

  Vector mean_, scale_; // scale_ is empty in a dense frame, factor_ in the others
  Matrix factor_;
  Vector wide_; // of a low rank: stretches, then directions
  Form form_ = Form::diagonal;
  std::optional<Bend> bend_;
};

/// What moves ask of any frame, also of one that bends: x = forward(y), y = inverse(x), scores of
/// the density in y at y from those in x at forward(y), and log |dx/dy|.
template <typename F>
concept AnyFrame = requires(const F& frame, const Frame::Matrix& y, Rows<const double> x) {
  { frame.dim() } -> std::convertible_to<std::size_t>;
  { frame.forward(y) } -> std::convertible_to<Frame::Matrix>;
  { frame.inverse(x) } -> std::convertible_to<Frame::Matrix>;
  { frame.pull(y, x) } -> std::convertible_to<Frame::Matrix>;
  { frame.log_determinant(y) } -> std::convertible_to<Frame::Vector>;
};
static_assert(AnyFrame<Frame>);

/// Rows of a matrix that has them one after another.
inline Rows<double> rows_of(Frame::Matrix& m) {
  return {m.data(), std::size_t(m.rows()), std::size_t(m.cols())};
}
inline Rows<const double> rows_of(const Frame::Matrix& m) {
  return {m.data(), std::size_t(m.rows()), std::size_t(m.cols())};
}

} // namespace starling
