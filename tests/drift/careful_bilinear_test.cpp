// The careful bilinear part: where particles are few, what is noise in A is shrunk, and its norm is
// known.
#include "support/normals.hpp"

#include <starling/deal/shuffle.hpp>
#include <starling/drift/bilinear.hpp>
#include <starling/random/philox.hpp>

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>

namespace careful_tests {

using namespace starling;
using Matrix = Eigen::MatrixXd;
constexpr double weight = .7;

using support::normals;

/// A cloud and its scores, rows of both.
struct Seen {
  Matrix x, s;
  Matrix about() const { return x.rowwise() - x.colwise().mean(); }
  /// mean of s (x - m)^T, from the formula.
  Matrix a() const { return s.transpose() * about() / double(x.rows()); }
};

struct Answer {
  Matrix drift;
  double norm;
};

template <typename Real = double>
Answer answer(const Seen& seen, bool careful) {
  using Rowwise = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Ensemble<Real> all(std::size_t(seen.x.rows()), std::size_t(seen.x.cols()));
  const auto map = [&](Rows<Real> rows) {
    return Eigen::Map<Rowwise>(rows.data, seen.x.rows(), seen.x.cols());
  };
  map(all.position()) = seen.x.template cast<Real>();
  map(all.score()) = seen.s.template cast<Real>();
  std::ranges::fill(all.drift(), Real(0));
  Shuffle deal(1, 2);
  BilinearPart<Real> part(Real(weight), Threads::alone(), careful);
  part.add(all, deal(0, all));
  return {map(all.drift()).template cast<double>(), double(part.norm())};
}

/// The A that made these drifts: c mean(s) + c (A + I)(x - m); more particles than dimensions.
Matrix a_of(const Seen& seen, const Matrix& drift) {
  const Matrix about = seen.about();
  const Matrix pull =
      about.householderQr().solve(Matrix((drift / weight).rowwise() - seen.s.colwise().mean()));
  return pull.transpose() - Matrix::Identity(pull.rows(), pull.rows());
}

Matrix off_diagonal(Matrix a) {
  a.diagonal().setZero();
  return a;
}

/// The slow twin: the share of squares off the diagonal beyond the variances of all elements, each
/// of which is a mean of products.
double kept_by_formula(const Seen& seen) {
  const Matrix a = seen.a(), about = seen.about();
  const double n = double(seen.x.rows());
  double noise = 0;
  for (Eigen::Index j = 0; j < about.rows(); ++j)
    noise += (seen.s.row(j).transpose() * about.row(j) - a).squaredNorm() / (n * n);
  return std::max(0.0, 1 - noise / off_diagonal(a).squaredNorm());
}

/// Scores of a normal whose precision has .9 beside its diagonal, or of one with independent
/// coordinates.
Seen of_normal(Eigen::Index n, Eigen::Index d, double beside, std::uint64_t seed) {
  const Matrix x = normals(n, d, seed);
  const Matrix b = (1 - beside) * Matrix::Identity(d, d) + beside * Matrix::Ones(d, d);
  return {x, -x * b};
}

TEST(CarefulBilinear, IsThePlainOneFromTenParticlesADimensionOn) {
  const Seen enough = of_normal(70, 7, .9, 1), few = of_normal(69, 7, .9, 1);
  EXPECT_EQ(answer(enough, true).drift, answer(enough, false).drift);
  EXPECT_NE(answer(few, true).drift, answer(few, false).drift);
}

TEST(CarefulBilinear, ShrinksAsTheFormulaSays) {
  for (const auto& [n, d, beside] :
       {std::tuple{40, 20, .9}, std::tuple{101, 13, .5}, std::tuple{31, 30, .9}, {45, 9, 0.}})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Seen seen = of_normal(n, d, beside, seed);
      const double kept = kept_by_formula(seen);
      Matrix wanted = kept * seen.a();
      wanted.diagonal() = seen.a().diagonal();
      const Matrix found = a_of(seen, answer(seen, true).drift);
      EXPECT_LT((found - wanted).norm(), 1e-9 * seen.a().norm()) << n << " x " << d;
      EXPECT_LT((a_of(seen, answer(seen, false).drift) - seen.a()).norm(), 1e-9 * seen.a().norm());
    }
}

// Independent coordinates: what stands beside the diagonal is noise, and its share is known to a
// few hundredths, so that no more than their root is left of it; the diagonal is as it was. The
// plain part, the negative control, keeps all of it.
TEST(CarefulBilinear, LeavesLittleOfNoise) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Seen seen = of_normal(60, 30, 0, seed);
    const Matrix careful = a_of(seen, answer(seen, true).drift),
                 plain = a_of(seen, answer(seen, false).drift);
    EXPECT_LT(off_diagonal(careful).norm(), .2 * off_diagonal(plain).norm()) << seed;
    EXPECT_GT(off_diagonal(plain).norm(), 2) << seed; // sqrt(30 29 / 60) = 3.8
    EXPECT_LT((careful - plain).diagonal().norm(), 1e-9 * plain.norm());
  }
}

// Correlations that are there stay: .9 beside the diagonal, of 60 and 100 particles in 12
// dimensions. The noise, |x|^2 |s|^2 / N, is about 12 / N of the squares: a fifth and an eighth.
TEST(CarefulBilinear, KeepsATrueCorrelation) {
  for (const Eigen::Index n : {60, 100})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Seen seen = of_normal(n, 12, .9, seed);
      const Matrix careful = off_diagonal(a_of(seen, answer(seen, true).drift)),
                   plain = off_diagonal(a_of(seen, answer(seen, false).drift));
      EXPECT_GT(careful.norm(), .65 * plain.norm()) << n << ", " << seed;
      EXPECT_LT(careful.norm(), plain.norm());
    }
}

// The power method comes from below; twelve turns leave a twentieth where singular values are
// close together, and nothing where one stands out.
TEST(CarefulBilinear, KnowsItsNorm) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    for (const auto& [n, d, beside, below] :
         {std::tuple{80, 40, 0., .05}, std::tuple{400, 20, 0., .05}, std::tuple{80, 20, .9, 1e-6},
          std::tuple{50, 1, 0., 1e-12}}) {
      Seen seen = of_normal(n, d, beside, seed);
      seen.s *= 3; // else A + I is about 0, and has no norm to speak of
      const Answer careful = answer(seen, true);
      const Matrix pull =
          a_of(seen, careful.drift) + Matrix::Identity(seen.x.cols(), seen.x.cols());
      const double norm = weight * Eigen::JacobiSVD<Matrix>(pull).singularValues()[0];
      EXPECT_LT(careful.norm, norm * (1 + 1e-9)) << n << " x " << d;
      EXPECT_GT(careful.norm, norm * (1 - below - 1e-9)) << n << " x " << d;
      EXPECT_NEAR(answer<float>(seen, true).norm, careful.norm, 1e-3 * norm);
      EXPECT_EQ(answer(seen, false).norm, 0);
    }
}

/// Mean square, in sds, of a cloud after 60 steps by the bilinear part alone, from exact draws of a
/// stiff normal: one coordinate in ten is a third as wide as the rest, so that the means take the
/// steps (.2 .7 / .3^2 < 2).
double after_steps(Eigen::Index n, Eigen::Index d, bool careful) {
  constexpr double step_size = .2;
  Eigen::VectorXd sd = Eigen::VectorXd::Ones(d);
  for (Eigen::Index a = 0; a < d; a += 10)
    sd[a] = .3;
  Seen seen{normals(n, d, 5) * sd.asDiagonal(), {}};
  for (int step = 0; step < 60; ++step) {
    seen.s = -seen.x * sd.array().square().inverse().matrix().asDiagonal();
    const Answer now = answer(seen, careful);
    seen.x += (now.norm > 0 ? std::min(step_size, 1 / now.norm) : step_size) * now.drift;
    if (!(seen.x.norm() < 1e50))
      return INFINITY;
  }
  return (seen.x * sd.cwiseInverse().asDiagonal()).squaredNorm() / double(n * d);
}

// d/N = .6. Plain steps explode, which is what the care is for.
TEST(CarefulBilinear, DoesNotExplodeWhereParticlesAreFew) {
  EXPECT_NEAR(after_steps(128, 77, true), 1, .1);
  EXPECT_GT(after_steps(128, 77, false), 100);
}

} // namespace careful_tests
