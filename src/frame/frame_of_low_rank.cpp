// Frames of low rank: from a covariance beside a diagonal, and from a cloud.
#include <starling/frame.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>

namespace starling {

namespace {

Eigen::MatrixXd orthonormal(const Eigen::MatrixXd& columns) {
  return Eigen::HouseholderQR<Eigen::MatrixXd>(columns).householderQ() *
         Eigen::MatrixXd::Identity(columns.rows(), columns.cols());
}

} // namespace

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

Frame Frame::of_low_rank(const Matrix& centred, const Vector& mean) const {
  constexpr Eigen::Index most = 32;
  constexpr int scalings = 3, turns = 5;
  const Eigen::Index n = centred.rows(), d = centred.cols();
  const Eigen::Index k = std::max<Eigen::Index>(1, std::min({most, n / 4, d / 2})),
                     old = std::min(rank(), d - k);
  const double per_particle = double(d) / double(n),
               edge = std::pow(1 + std::sqrt(per_particle), 2);
  Vector scale = scale_, stretch, seen;
  Eigen::MatrixXd found;
  for (int scaling = 0; scaling <= scalings; ++scaling) {
    const Matrix u = centred * scale.cwiseInverse().asDiagonal();
    Eigen::MatrixXd guide =
        Eigen::MatrixXd::Zero(d, k + old); // rows of the cloud are a good first guess
    guide.leftCols(k) = u.topRows(k).transpose();
    for (int turn = 0; turn < turns; ++turn)
      guide.leftCols(k) = u.transpose() * (u * orthonormal(guide.leftCols(k)));
    guide.rightCols(old) =
        scale.cwiseInverse().asDiagonal() * (scale_.asDiagonal() * directions().leftCols(old));
    const Eigen::MatrixXd q = orthonormal(guide);
    const Eigen::MatrixXd along = u * q;
    const Eigen::MatrixXd covariance = along.transpose() * along / double(n - 1);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> inner(covariance);
    std::vector<Eigen::Index> kept;
    for (Eigen::Index j = 0; j < q.cols(); ++j)
      if (const double l = inner.eigenvalues()[j];
          l > 1.2 * edge || (scaling == scalings && l < 0.5 && l > 0))
        kept.push_back(j); // narrow ones last: before, a scale that is too large looks like one
    found = q * inner.eigenvectors()(Eigen::all, kept);
    seen = inner.eigenvalues()(kept);
    if (scaling == scalings)
      break;
    // What those directions leave of each coordinate is its own scale.
    const Matrix rest = u - (u * found) * found.transpose();
    for (Eigen::Index a = 0; a < d; ++a) {
      const double share = std::max(0.1, 1 - found.row(a).squaredNorm());
      const double own = std::sqrt(rest.col(a).squaredNorm() / double(n - 1) / share);
      scale[a] *= own > 1e-6 && std::isfinite(own) ? own : 1e-6;
    }
  }
  stretch = seen.unaryExpr([&](double l) {
    if (l < edge)
      return std::sqrt(l);
    const double b = l + 1 - per_particle;
    return std::sqrt((b + std::sqrt(std::max(b * b - 4 * l, 0.0))) / 2);
  });
  return low_rank(mean, scale, stretch, found);
}

} // namespace starling
