// Stein thinning and Stein weights: what the definition chooses, and less discrepancy than draws
// have.
#include <starling/judge/thin.hpp>

#include <starling/frame.hpp>
#include <starling/observe/stein.hpp>
#include <starling/random/start.hpp>

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/LU>

#include <chrono>
#include <cmath>
#include <set>
#include <vector>

namespace starling::judge {
namespace {

/// Draws from a normal with unequal scales and a correlation, and their scores.
struct Normals {
  Normals(std::size_t count, std::size_t dim, std::uint64_t seed = 1)
      : n(count), d(dim), x(count * dim), s(count * dim) {
    start_normal(Rows<double>{x.data(), n, d}, seed, 0, 1);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t a = 0; a < d; ++a) // x_a = 10^a (z_a + z_{a-1}/2) + 3
        s[i * d + a] = x[i * d + a];
      for (std::size_t a = d; a-- > 0;)
        x[i * d + a] = scale(a) * (s[i * d + a] + (a > 0 ? s[i * d + a - 1] / 2 : 0)) + 3;
      // score in x: -L^-T z, backwards
      for (std::size_t a = d; a-- > 0;) {
        const double z = s[i * d + a];
        const double after =
            a + 1 < d ? s[i * d + a + 1] * scale(a + 1) / 2 : 0; // s_{a+1} L_{a+1,a}
        s[i * d + a] = (-z - after) / scale(a);
      }
    }
  }
  static double scale(std::size_t a) { return std::pow(10.0, double(a % 3)); }
  Rows<const double> positions() const { return {x.data(), n, d}; }
  Rows<const double> scores() const { return {s.data(), n, d}; }

  std::size_t n, d;
  std::vector<double> x, s;
};

/// The Stein kernel matrix straight from the formula: distances by the inverse covariance, no
/// frame. k = (1 + r2/2h)^(-1/2), r2 = (x - y)^T C^-1 (x - y), and the operator that goes with C:
/// k_pi = tr(C grad_x grad_y k) + grad_y k.C s_x + grad_x k.C s_y + k s_x.C s_y.
Eigen::MatrixXd by_definition(const Normals& c) {
  using Map = Eigen::Map<const Frame::Matrix>;
  const Map x(c.x.data(), Eigen::Index(c.n), Eigen::Index(c.d)),
      s(c.s.data(), Eigen::Index(c.n), Eigen::Index(c.d));
  const Frame::Matrix centred = x.rowwise() - x.colwise().mean();
  const Eigen::MatrixXd cov = centred.transpose() * centred / double(c.n - 1),
                        inverse = cov.inverse();
  const auto n = Eigen::Index(c.n);
  std::vector<double> squared;
  for (Eigen::Index i = 0; i < n; ++i) {
    const Eigen::VectorXd delta = (x.row(i) - x.row((i + n / 2) % n)).transpose();
    squared.push_back(delta.dot(inverse * delta));
  }
  std::sort(squared.begin(), squared.end());
  const double h = (squared[(squared.size() - 1) / 2] + squared[squared.size() / 2]) / 4;
  Eigen::MatrixXd k(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j) {
      const Eigen::VectorXd delta = x.row(i) - x.row(j), si = s.row(i), sj = s.row(j);
      const double r2 = delta.dot(inverse * delta), base = 1 + r2 / (2 * h);
      const double f = std::pow(base, -0.5), f1 = -0.5 / (2 * h) * std::pow(base, -1.5),
                   f2 = 0.75 / (4 * h * h) * std::pow(base, -2.5);
      // grad_x k = 2 f1 C^-1 delta = -grad_y k; tr(C grad_x grad_y k) = -2 d f1 - 4 r2 f2
      k(i, j) = -2 * double(c.d) * f1 - 4 * r2 * f2 - 2 * f1 * delta.dot(si) +
                2 * f1 * delta.dot(sj) + f * si.dot(cov * sj);
    }
  return k;
}

double of(const Eigen::MatrixXd& k, const std::vector<std::size_t>& rows,
          const std::vector<double>& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows.size(); ++j)
      sum += weights[i] * weights[j] * k(Eigen::Index(rows[i]), Eigen::Index(rows[j]));
  return std::sqrt(sum);
}

// The slow twin: at each turn the whole double sum for every candidate.
std::size_t best_beside(const Eigen::MatrixXd& k, const std::vector<std::size_t>& rows) {
  double least = INFINITY;
  std::size_t best = 0;
  for (std::size_t i = 0; i < std::size_t(k.rows()); ++i) {
    if (std::ranges::find(rows, i) != rows.end())
      continue;
    std::vector<std::size_t> with = rows;
    with.push_back(i);
    const double sum = of(k, with, std::vector<double>(with.size(), 1.0));
    if (sum < least) {
      least = sum;
      best = i;
    }
  }
  return best;
}

std::vector<std::size_t> chosen_slowly(const Eigen::MatrixXd& k, std::size_t count) {
  std::vector<std::size_t> rows;
  while (rows.size() < count)
    rows.push_back(best_beside(k, rows));
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t n = 0; n < count; ++n) {
      std::vector<std::size_t> others = rows;
      others.erase(others.begin() + std::ptrdiff_t(n));
      rows[n] = best_beside(k, others);
    }
  return rows;
}

TEST(Thin, ChoosesWhatTheDefinitionChooses) {
  for (const auto& [n, d] : {std::pair<std::size_t, std::size_t>{61, 1}, {120, 2}, {130, 5}}) {
    const Normals cloud(n, d);
    const Eigen::MatrixXd k = by_definition(cloud);
    const Thinned fast = thin(cloud.positions(), cloud.scores(), 12, false);
    EXPECT_EQ(fast.chosen, chosen_slowly(k, 12)) << d;
    EXPECT_NEAR(fast.discrepancy, of(k, fast.chosen, fast.weights), 1e-6 * fast.discrepancy) << d;
    EXPECT_NEAR(fast.of_independent, std::sqrt(k.trace() / double(n) / 12), 1e-6) << d;
  }
}

TEST(Thin, IsTheSameOnAnyNumberOfThreads) {
  const Normals cloud(3001, 3);
  const Thinned alone = thin(cloud.positions(), cloud.scores(), 40, true);
  for (const std::size_t count : {2u, 7u}) {
    Threads threads(count);
    const Thinned many = thin(cloud.positions(), cloud.scores(), 40, true, threads);
    EXPECT_EQ(many.chosen, alone.chosen);
    EXPECT_EQ(many.weights, alone.weights);
  }
  EXPECT_EQ(std::set<std::size_t>(alone.chosen.begin(), alone.chosen.end()).size(), 40u);
}

/// Nothing on the simplex is better: the slope K w is the same where w > 0 and no less elsewhere.
TEST(SteinWeights, AreTheBestOnTheSimplex) {
  for (const std::size_t n : {1u, 2u, 30u, 150u}) {
    const Normals cloud(200, 3);
    const Eigen::MatrixXd all = by_definition(cloud);
    std::vector<double> k(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        k[i * n + j] = all(Eigen::Index(i), Eigen::Index(j));
    const std::vector<double> w = stein_weights(k, n);
    double sum = 0, square = 0;
    std::vector<double> slope(n);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_GE(w[i], 0);
      sum += w[i];
      for (std::size_t j = 0; j < n; ++j)
        slope[i] += k[i * n + j] * w[j];
      square += w[i] * slope[i];
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_GT(slope[i], square - 1e-6) << n << " " << i;
      if (w[i] > 0) {
        EXPECT_NEAR(slope[i], square, 1e-6) << n << " " << i;
      }
    }
  }
}

TEST(SteinWeights, OfTwoRowsInOnePlaceAreFinite) {
  const std::vector<double> k = {1, 1, 0, 1, 1, 0, 0, 0, 1};
  const std::vector<double> w = stein_weights(k, 3);
  EXPECT_NEAR(w[0] + w[1], 0.5, 1e-6);
  EXPECT_NEAR(w[2], 0.5, 1e-6);
}

TEST(Thin, HasAThirdOfTheDiscrepancyOfIndependentDraws) {
  const Normals cloud(20000, 2);
  const Thinned plain = thin(cloud.positions(), cloud.scores(), 100, false);
  const Thinned weighed = thin(cloud.positions(), cloud.scores(), 100, true);
  EXPECT_LT(plain.discrepancy, plain.of_independent / 3);
  EXPECT_LT(weighed.discrepancy, plain.discrepancy);
  // The control: the first hundred of the cloud, which are independent draws, have what is said of
  // them.
  const Normals few(100, 2);
  const Thinned all = thin(few.positions(), few.scores(), 100, false);
  EXPECT_GT(all.discrepancy, all.of_independent / 2);
  EXPECT_LT(all.discrepancy, all.of_independent * 2);
}

// A cloud that is wrong is thinned towards the right one as far as its particles allow.
TEST(Thin, WeighsAgainstACloudThatIsTooWide) {
  Normals cloud(4000, 1);
  for (std::size_t i = 0; i < cloud.n; ++i) { // 1.5 times too wide, scores of the right density
    cloud.x[i] = 3 + 1.5 * (cloud.x[i] - 3);
    cloud.s[i] *= 1.5;
  }
  const Thinned weighed = thin(cloud.positions(), cloud.scores(), 200, true);
  double mean = 0, square = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    const double x = cloud.x[weighed.chosen[i]];
    mean += weighed.weights[i] * x;
    square += weighed.weights[i] * x * x;
  }
  EXPECT_NEAR(std::sqrt(square - mean * mean), 1, 0.05);
}

TEST(Thin, LeavesOutRowsThatAreNoNumbers) {
  Normals cloud(50, 2);
  cloud.s[2 * 7] = NAN;
  cloud.x[2 * 9 + 1] = INFINITY;
  const Thinned all = thin(cloud.positions(), cloud.scores(), 48, false);
  EXPECT_EQ(std::ranges::count(all.chosen, 7u) + std::ranges::count(all.chosen, 9u), 0);
  EXPECT_THROW(thin(cloud.positions(), cloud.scores(), 49, false), std::invalid_argument);
  EXPECT_THROW(thin(cloud.positions(), cloud.scores(), 0, false), std::invalid_argument);
}

} // namespace
} // namespace starling::judge
