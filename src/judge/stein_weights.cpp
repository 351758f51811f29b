// Stein weights: a quadratic programme on the simplex, solved by exchanging whole sets of rows.
#include <starling/judge/thin.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>

namespace starling::judge {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// u with K u = 1 on the rows in use and 0 elsewhere.
Vector solved(const Matrix& k, const std::vector<bool>& used) {
  std::vector<Eigen::Index> rows;
  for (Eigen::Index i = 0; i < k.rows(); ++i)
    if (used[std::size_t(i)])
      rows.push_back(i);
  const Matrix part = k(rows, rows);
  const Vector found = part.ldlt().solve(Vector::Ones(part.rows()));
  Vector u = Vector::Zero(k.rows());
  for (std::size_t n = 0; n < rows.size(); ++n)
    u[rows[n]] = found[Eigen::Index(n)];
  return u;
}

} // namespace

/// min w^T K w, w >= 0, sum w = 1, is min u^T K u / 2 - sum u, u >= 0, up to the scale of u. It is
/// solved when no weight in use is negative and no slope K u - 1 out of use is: rows for which that
/// fails change sides, all at once as long as they become fewer, else the last of them alone, which
/// is sure to end (block principal pivoting, Judice and Pires).
std::vector<double> stein_weights(std::span<const double> values, std::size_t size) {
  const auto n = static_cast<Eigen::Index>(size);
  Matrix k = Eigen::Map<const Matrix>(values.data(), n, n);
  k.diagonal().array() += 1e-10 * k.diagonal().maxCoeff(); // two rows in one place share a weight
  constexpr double slack = 1e-9;                           // of numbers whose size is about 1
  std::vector<bool> used(size, true);
  Vector u;
  std::size_t fewest = size + 1;
  int patience = 3;
  for (std::size_t turns = 0; turns < 20 * size + 100; ++turns) {
    u = solved(k, used);
    const Vector slope = k * u - Vector::Ones(n);
    const double least = -slack * u.cwiseAbs().maxCoeff();
    std::vector<std::size_t> wrong;
    for (std::size_t i = 0; i < size; ++i)
      if (used[i] ? u[Eigen::Index(i)] < least : slope[Eigen::Index(i)] < -slack)
        wrong.push_back(i);
    if (wrong.empty())
      break;
    if (wrong.size() < fewest) {
      fewest = wrong.size();
      patience = 3;
    } else if (patience-- <= 0) {
      wrong = {wrong.back()};
    }
    for (const std::size_t i : wrong)
      used[i] = !used[i];
  }
  std::vector<double> weights(size);
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i)
    sum += weights[i] = std::max(0.0, u[Eigen::Index(i)]);
  for (double& w : weights)
    w /= sum;
  return weights;
}

} // namespace starling::judge
