// Frames from positions and scores. Under a normal density scores are a linear function of
// positions, s = -S^-1 (x - m), so that the covariances of the two in any sample tell S without the
// noise of the sample:
//     S cov(s) S = cov(x),   S the geometric mean of cov(x) and cov(s)^-1
#include "frame/products.hpp"

#include <starling/frame.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace starling {

namespace {

constexpr double most_robust_sds = 10;       // of a score: a stray one would hide all others
constexpr double normal_mad = 1.4826;        // sd of a normal over its median deviation
constexpr double towards_one = 0.02;         // how far both covariances are drawn to I
constexpr Eigen::Index most_directions = 24; // of a low rank
constexpr int turns = 5, scalings = 2;       // of the power method; of the diagonal beside it
constexpr int steps_to_it = 4;               // of a covariance, from I
constexpr double unlike = 1.4;               // a direction counts from this stretch on

Eigen::MatrixXd orthonormal(const Eigen::MatrixXd& columns) {
  return Eigen::HouseholderQR<Eigen::MatrixXd>(columns).householderQ() *
         Eigen::MatrixXd::Identity(columns.rows(), columns.cols());
}

/// Columns about their means.
Frame::Matrix centred(const Frame::Matrix& rows) { return rows.rowwise() - rows.colwise().mean(); }

/// Columns about their medians, with nothing farther out than some robust sds; 0 for what is not a
/// number.
Frame::Matrix tame(Frame::Matrix rows) {
  std::vector<double> column(std::size_t(rows.rows()));
  const auto median_of = [&](const auto& values) {
    Eigen::Map<Eigen::ArrayXd>(column.data(), rows.rows()) = values;
    const auto middle = column.begin() + std::ptrdiff_t(column.size() / 2);
    std::ranges::nth_element(column, middle);
    return *middle;
  };
  for (Eigen::Index a = 0; a < rows.cols(); ++a) {
    for (Eigen::Index i = 0; i < rows.rows(); ++i)
      if (!std::isfinite(rows(i, a)))
        rows(i, a) = 0;
    const double median = median_of(rows.col(a).array());
    const double most =
        most_robust_sds * normal_mad * median_of((rows.col(a).array() - median).abs());
    if (most > 0)
      rows.col(a) = (rows.col(a).array() - median).max(-most).min(most);
  }
  return centred(rows);
}

/// The scales at which positions and scores are as wide as each other.
Frame::Vector balanced_scales(const Frame::Matrix& x, const Frame::Matrix& score) {
  Frame::Vector scale = (x.colwise().squaredNorm().array() / score.colwise().squaredNorm().array())
                            .pow(0.25)
                            .matrix()
                            .transpose();
  for (double& one : scale)
    one = one > 1e-100 && std::isfinite(one) ? one : 1.0;
  return scale;
}

Eigen::MatrixXd covariance(const Eigen::MatrixXd& columns, double towards) {
  Eigen::MatrixXd c = columns.transpose() * columns / double(columns.rows() - 1);
  c *= 1 - towards;
  c.diagonal().array() += towards;
  return c;
}

/// A^1/2 (A^1/2 B A^1/2)^-1/2 A^1/2: the M with M B M = A.
Eigen::MatrixXd geometric_mean(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> of_a(a);
  const Eigen::MatrixXd root = of_a.eigenvectors() *
                               of_a.eigenvalues().cwiseMax(1e-300).cwiseSqrt().asDiagonal() *
                               of_a.eigenvectors().transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> inner(root * b * root);
  const Eigen::MatrixXd half = root * inner.eigenvectors();
  return half * inner.eigenvalues().cwiseMax(1e-300).cwiseSqrt().cwiseInverse().asDiagonal() *
         half.transpose();
}

/// The covariance that columns of positions and of scores tell together. Drawn to I, a direction c
/// times as wide as the rest is left c^1/2 / 2.6 times too wide; seen from there it is drawn less,
/// so that after a few times widths of 1e4 and 1e-4 are found.
Eigen::MatrixXd told_by_both(Eigen::MatrixXd u, Eigen::MatrixXd g) {
  Eigen::MatrixXd factor = Eigen::MatrixXd::Identity(u.cols(), u.cols());
  for (int again = 0; again < steps_to_it; ++again) {
    const Eigen::LLT<Eigen::MatrixXd> seen(
        geometric_mean(covariance(u, towards_one), covariance(g, towards_one)));
    if (seen.info() != Eigen::Success)
      break;
    const Eigen::MatrixXd l = seen.matrixL();
    factor *= l;
    u = seen.matrixL().solve(u.transpose()).transpose().eval();
    g *= l;
  }
  return factor * factor.transpose();
}

} // namespace

Frame Frame::dense_of_scores(const Matrix& y, const Matrix& score) const {
  const Vector mean = mean_ + along(y.colwise().mean().transpose());
  const Matrix about = centred(y), tamed = tame(score);
  const Vector scale = balanced_scales(about, tamed);
  const Eigen::MatrixXd u = about * scale.cwiseInverse().asDiagonal(),
                        g = tamed * scale.asDiagonal();
  const Matrix m = scale.asDiagonal() *
                   geometric_mean(covariance(u, towards_one), covariance(g, towards_one)) *
                   scale.asDiagonal();
  const Frame step = from_covariance(Vector::Zero(mean_.size()), m);
  return dense(mean, factor_.triangularView<Eigen::Lower>() * step.factor_);
}

/// Beside the scales, the directions in which positions are widest and those in which scores are.
/// What these leave of each coordinate tells its scale: few very wide directions would hide it.
Frame Frame::low_rank_of_scores(const Matrix& x, const Matrix& score) {
  const Eigen::Index n = x.rows(), d = x.cols();
  const Eigen::Index k = std::max<Eigen::Index>(1, std::min({most_directions, n / 4, d / 2}));
  const Matrix about = centred(x), tamed = tame(score);
  const auto widest = [&](const Matrix& rows) {
    Matrix q = rows.topRows(k).transpose(); // a good first guess
    for (int turn = 0; turn < turns; ++turn)
      q = turned_times(rows, times(rows, Matrix(orthonormal(q))));
    return q;
  };
  Vector scale = balanced_scales(about, tamed), stretch;
  Matrix found;
  for (int scaling = 0;; ++scaling) {
    const Matrix u = about * scale.cwiseInverse().asDiagonal(), g = tamed * scale.asDiagonal();
    Eigen::MatrixXd both(d, 2 * k);
    both << widest(u), widest(g);
    const Matrix q = orthonormal(both);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> inner(
        told_by_both(times(u, q), times(g, q)));
    const Vector all = inner.eigenvalues().cwiseMax(1e-300).cwiseSqrt();
    std::vector<Eigen::Index> kept;
    for (Eigen::Index j = 0; j < all.size(); ++j)
      if (all[j] > unlike || all[j] < 1 / unlike)
        kept.push_back(j);
    stretch = all(kept);
    found = q * inner.eigenvectors()(Eigen::all, kept);
    if (scaling == scalings)
      break;
    const auto without_found = [&](const Matrix& rows) -> Matrix {
      return rows - times_turned(times(rows, found), found);
    };
    scale = scale.cwiseProduct(balanced_scales(without_found(u), without_found(g)));
  }
  return low_rank(x.colwise().mean().transpose(), scale, stretch, found);
}

Frame Frame::low_rank_beside(Vector mean, Vector scale, const Eigen::MatrixXd& b,
                             const Eigen::MatrixXd& m) {
  const bool few = b.cols() < b.rows(); // else every direction there is
  const Eigen::MatrixXd q = few ? orthonormal(b) : Eigen::MatrixXd::Identity(b.rows(), b.rows());
  const Eigen::MatrixXd r = q.transpose() * b;
  const Eigen::MatrixXd rm = r * m, seen = rm * r.transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> inner(seen);
  const Vector stretch = (1 + inner.eigenvalues().array()).max(1e-12).sqrt();
  return low_rank(std::move(mean), std::move(scale), stretch, q * inner.eigenvectors());
}

} // namespace starling
