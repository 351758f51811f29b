// Normal approximations in many dimensions: a diagonal, and a few directions beside it.
#include <starling/scout/candidates.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <utility>

namespace starling::scout {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Eigen::Index block = 20, blocks = 3;     // of directions tried
constexpr std::size_t exact_diagonal_up_to = 4000; // dimensions: 2 d gradients; above, random signs
constexpr double least_curvature = 1e-8, worth_moving = 1e-6;
constexpr double worth_a_direction = 2; // times the curvature of the rest, or its inverse

MatrixXd orthonormal(const MatrixXd& columns) {
  return Eigen::HouseholderQR<MatrixXd>(columns).householderQ() *
         MatrixXd::Identity(columns.rows(), columns.cols());
}

/// The curvature along columns of v (scaled), by differences of scores: D H D v. One call.
MatrixXd bent(const Place& at, const VectorXd& scale, const MatrixXd& v, CountedDensity& density) {
  constexpr double far = 1e-2; // of a width: as far as the whole curvature goes
  const Eigen::Index d = v.rows(), k = v.cols();
  Frame::Matrix x(2 * k, d), score(2 * k, d);
  std::vector<double> log_density(static_cast<std::size_t>(2 * k));
  for (Eigen::Index j = 0; j < k; ++j) {
    const Eigen::RowVectorXd delta = far * scale.cwiseProduct(v.col(j)).transpose();
    x.row(2 * j) = at.x.transpose() + delta;
    x.row(2 * j + 1) = at.x.transpose() - delta;
  }
  density(rows_of(std::as_const(x)), rows_of(score), log_density);
  MatrixXd along(d, k);
  for (Eigen::Index j = 0; j < k; ++j)
    if (std::isfinite(log_density[std::size_t(2 * j)] + log_density[std::size_t(2 * j + 1)]))
      along.col(j) =
          (score.row(2 * j + 1) - score.row(2 * j)).transpose().cwiseProduct(scale) / (2 * far);
    else
      along.col(j) = v.col(j); // it fails there: as the rest
  return along;
}

/// The diagonal of the curvature, a coordinate at a time; blocks of them, so that memory is d x
/// block.
VectorXd diagonal_of(const Place& at, const VectorXd& scale, CountedDensity& density) {
  constexpr Eigen::Index some = 256;
  const Eigen::Index d = at.x.size();
  VectorXd diagonal(d);
  for (Eigen::Index first = 0; first < d; first += some) {
    const Eigen::Index count = std::min(some, d - first);
    MatrixXd units = MatrixXd::Zero(d, count);
    for (Eigen::Index j = 0; j < count; ++j)
      units(first + j, j) = 1;
    const MatrixXd along = bent(at, scale, units, density);
    for (Eigen::Index j = 0; j < count; ++j)
      diagonal[first + j] = along(first + j, j) / (scale[first + j] * scale[first + j]);
  }
  return diagonal;
}

/// Where to look first: the last steps of the way up, which are long where the density is wide, and
/// random signs for what is missing.
MatrixXd first_guess(const std::vector<Place>& path, const VectorXd& scale, const Philox& philox,
                     Step address) {
  const Eigen::Index d = scale.size(), k = std::clamp<Eigen::Index>(d / 2, 1, block);
  MatrixXd guess(d, k);
  const auto steps = std::min<Eigen::Index>(k, Eigen::Index(path.size()) - 1);
  for (Eigen::Index j = 0; j < k; ++j)
    if (const std::size_t at = path.size() - 1 - std::size_t(j); j < steps)
      guess.col(j) = (path[at].x - path[at - 1].x).cwiseQuotient(scale).normalized();
    else
      for (Eigen::Index a = 0; a < d; ++a)
        guess(a, j) = philox(Stream::scout, address, std::uint64_t(j * d + a))[0] & 1 ? 1.0 : -1.0;
  return guess;
}

struct Bends {
  VectorXd curvature; ///< along each direction, of the scaled density
  MatrixXd directions;
};

/// Directions whose curvature is far from 1, by Rayleigh and Ritz in a block Krylov space.
Bends bends(const Place& at, const VectorXd& scale, MatrixXd guess, CountedDensity& density) {
  const Eigen::Index d = scale.size(), k = guess.cols();
  MatrixXd all(d, 0), along(d, 0);
  for (Eigen::Index n = 0; n < blocks && all.cols() + k <= d; ++n) {
    for (int again = 0; again < 3;
         ++again) { // once is not enough, least of all where little is left
      const MatrixXd known = all.transpose() * guess, held = all * known;
      guess = orthonormal(guess - held);
    }
    const MatrixXd next = bent(at, scale, guess, density);
    all.conservativeResize(d, all.cols() + k);
    along.conservativeResize(d, along.cols() + k);
    all.rightCols(k) = guess;
    along.rightCols(k) = next;
    guess = next;
  }
  const MatrixXd inner = all.transpose() * along;
  const MatrixXd even = (inner + inner.transpose()) / 2;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> ritz(even);
  std::vector<Eigen::Index> kept;
  for (Eigen::Index j = 0; j < all.cols(); ++j)
    if (const double c = ritz.eigenvalues()[j]; c > worth_a_direction || c < 1 / worth_a_direction)
      kept.push_back(j);
  return {ritz.eigenvalues()(kept), all * ritz.eigenvectors()(Eigen::all, kept)};
}

} // namespace

Frame laplace_low_rank(const Place& mode, const std::vector<Place>& path, CountedDensity& density,
                       const Philox& philox, Step address) {
  const Eigen::Index d = mode.x.size();
  const Frame rough = laplace_diagonal(mode, density, philox, address);
  const std::vector<double> first = rough.numbers();
  VectorXd scale = Eigen::Map<const VectorXd>(first.data(), d);
  const bool exact = mode.x.size() <= Eigen::Index(exact_diagonal_up_to);
  VectorXd diagonal;
  if (exact) {
    diagonal = diagonal_of(mode, scale, density);
    const double typical = std::max(diagonal.cwiseAbs().mean(), 1e-200);
    scale = diagonal.cwiseAbs().cwiseMax(least_curvature * typical).cwiseSqrt().cwiseInverse();
  }
  MatrixXd guess = first_guess(path, scale, philox, address + 1);
  Bends found = bends(mode, scale, guess, density);
  for (int again = 0; exact && again < 2; ++again) {
    // A coordinate's own curvature is what those directions leave of it.
    VectorXd next = scale;
    for (Eigen::Index a = 0; a < d; ++a) {
      const Eigen::RowVectorXd row = found.directions.row(a);
      const double whole = diagonal[a] * scale[a] * scale[a];
      const double rest = whole - row.cwiseAbs2().dot(found.curvature.transpose());
      const double own = rest / std::max(0.1, 1 - row.squaredNorm());
      if (own > 1e-6 * std::abs(whole) && std::isfinite(own))
        next[a] = scale[a] / std::sqrt(own);
    }
    guess = first_guess(path, next, philox, address + 1);
    const Eigen::Index known = std::min(guess.cols(), found.directions.cols());
    guess.leftCols(known) =
        next.cwiseInverse().asDiagonal() * (scale.asDiagonal() * found.directions.leftCols(known));
    scale = next;
    found = bends(mode, scale, guess, density);
  }
  const VectorXd stretch = found.curvature.cwiseMax(least_curvature).cwiseSqrt().cwiseInverse();
  Frame frame = Frame::low_rank(mode.x, scale, stretch, found.directions);
  const Frame::Matrix uphill = frame.pull({mode.score.data(), 1, frame.dim()});
  const Frame::Matrix x = mode.x.transpose() + frame.along_rows(uphill); // Newton's step
  Frame::Matrix score(1, d);
  double log_density = 0;
  density(rows_of(x), rows_of(score), {&log_density, 1});
  if (log_density > mode.log_density + worth_moving)
    frame = Frame::low_rank(x.transpose(), scale, stretch, found.directions);
  return frame;
}

// Byrd, Nocedal and Schnabel: the inverse of BFGS after steps S and changes Y is
//     diag(alpha) + [alpha Y, S] [[0, -R^-1], [-R^-T, R^-T (E + Y^T alpha Y) R^-1]] [alpha Y, S]^T
// with R the upper triangle of S^T Y and E its diagonal.
Frame from_history(const Eigen::VectorXd& at, const Eigen::VectorXd& score,
                   const Eigen::VectorXd& alpha,
                   const std::deque<std::pair<Eigen::VectorXd, Eigen::VectorXd>>& pairs) {
  const Eigen::Index d = at.size(), j = Eigen::Index(pairs.size());
  MatrixXd s(d, j), y(d, j);
  for (Eigen::Index n = 0; n < j; ++n) {
    s.col(n) = pairs[std::size_t(n)].first;
    y.col(n) = pairs[std::size_t(n)].second;
  }
  const MatrixXd sy = s.transpose() * y, ay = alpha.asDiagonal() * y;
  const MatrixXd r = sy.triangularView<Eigen::Upper>();
  const MatrixXd inverse = r.triangularView<Eigen::Upper>().solve(MatrixXd::Identity(j, j));
  MatrixXd centre = y.transpose() * ay;
  centre.diagonal() += sy.diagonal();
  MatrixXd middle = MatrixXd::Zero(2 * j, 2 * j), both(d, 2 * j);
  middle.topRightCorner(j, j) = -inverse;
  middle.bottomLeftCorner(j, j) = -inverse.transpose();
  middle.bottomRightCorner(j, j) = inverse.transpose() * centre * inverse;
  both << ay, s;
  const VectorXd mean =
      at + alpha.cwiseProduct(score) + both * (middle * (both.transpose() * score));
  const VectorXd scale = alpha.cwiseSqrt();
  return Frame::low_rank_beside(mean, scale, scale.cwiseInverse().asDiagonal() * both, middle);
}

} // namespace starling::scout
