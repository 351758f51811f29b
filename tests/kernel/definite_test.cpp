// Kernel matrices of random points have no negative eigenvalue; that of -r^2 has.
#include <starling/domain.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/kernel/inverse_multiquadric.hpp>
#include <starling/kernel/matern.hpp>
#include <starling/kernel/polynomial.hpp>
#include <starling/kernel/sinc.hpp>
#include <starling/kernel/smooth_riesz.hpp>
#include <starling/kernel/sum.hpp>
#include <starling/random/start.hpp>

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

namespace {

using namespace starling;
using namespace starling::kernel;

constexpr Eigen::Index points = 30;

template <typename K, typename Domain = Euclid<double>>
double smallest_eigenvalue(const K& kernel, Eigen::Index dim, Domain domain = {}) {
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> x(points, dim);
  start_normal(Rows<double>{x.data(), std::size_t(points), std::size_t(dim)}, 3, 0.0, 1.0);
  Eigen::MatrixXd matrix(points, points);
  for (Eigen::Index i = 0; i < points; ++i)
    for (Eigen::Index j = 0; j < points; ++j) {
      double r2 = 0;
      for (Eigen::Index a = 0; a < dim; ++a)
        r2 += std::pow(domain.chord(x(i, a) - x(j, a)), 2);
      matrix(i, j) = pair_weights(kernel, r2, x.row(i).dot(x.row(j))).weight;
    }
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix, Eigen::EigenvaluesOnly)
      .eigenvalues()
      .minCoeff();
}

struct MinusSquaredDistance {
  PairWeights<double> at_distance(double r2) const { return {-r2, 2, 0}; }
};
struct SquaredGaussianLess { // a difference of two kernels is none
  PairWeights<double> at_distance(double r2) const {
    return {std::exp(-r2 / 2) - 0.5 * std::exp(-r2), 0, 0};
  }
};

TEST(Kernels, ArePositiveDefinite) {
  for (const Eigen::Index dim : {1, 2, 5}) {
    const auto d = static_cast<std::size_t>(dim);
    EXPECT_GE(smallest_eigenvalue(Gaussian<double>(0.35), dim), -1e-10);
    EXPECT_GE(smallest_eigenvalue(Gaussian<double>(0.35, Height::paper), dim), -1e-10);
    EXPECT_GE(smallest_eigenvalue(InverseMultiquadric<double>(0.35), dim), -1e-10);
    EXPECT_GE(smallest_eigenvalue(Matern32<double>(0.35), dim), -1e-10);
    EXPECT_GE(smallest_eigenvalue(Matern52<double>(0.35), dim), -1e-10);
    EXPECT_GE(smallest_eigenvalue(Polynomial<double>(0.5, 3), dim), -1e-10);
    EXPECT_GE(smallest_eigenvalue(SmoothRiesz<double>(0.9, 0.2, d), dim), -1e-10);
    const Sum<double, Gaussian<double>, Polynomial<double>> sum({1.0, 0.1}, Gaussian<double>(0.5),
                                                                Polynomial<double>(1.0, 1));
    EXPECT_GE(smallest_eigenvalue(sum, dim), -1e-10);
  }
  for (const Eigen::Index dim : {1, 2, 3}) // sin(r)/r is the transform of a sphere in three
    EXPECT_GE(smallest_eigenvalue(Sinc<double>(2.0), dim), -1e-10);
}

TEST(Kernels, ArePositiveDefiniteOnTheTorusToo) {
  for (const Eigen::Index dim : {1, 3}) {
    const Torus<double> torus(3.0);
    EXPECT_GE(smallest_eigenvalue(Gaussian<double>(0.35), dim, torus), -1e-10);
    EXPECT_GE(smallest_eigenvalue(InverseMultiquadric<double>(0.35), dim, torus), -1e-10);
    EXPECT_GE(smallest_eigenvalue(Matern52<double>(0.35), dim, torus), -1e-10);
  }
}

TEST(PositiveDefinite, IsRefutedForMinusTheSquaredDistance) {
  EXPECT_LT(smallest_eigenvalue(MinusSquaredDistance{}, 2), -1.0);
}

TEST(PositiveDefinite, IsRefutedForADifferenceOfKernels) {
  EXPECT_LT(smallest_eigenvalue(SquaredGaussianLess{}, 1), -1e-3);
}

TEST(PositiveDefinite, IsRefutedForSincInMoreThanThreeDimensions) {
  EXPECT_LT(smallest_eigenvalue(Sinc<double>(2.0), 5), -1e-3);
}

} // namespace
