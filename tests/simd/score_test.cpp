// Scores in vectors against their plain twins: the mixture on the line, the logistic likelihood.
#include "simd/every_level.hpp"

#include <starling/cpu/algebra.hpp>
#include <starling/cpu/mixture.hpp>
#include <starling/random/start.hpp>
#include <starling/target/prediction.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace starling {
namespace {

using simd_tests::at_every_level;

std::vector<MixtureComponent> three() {
  std::vector<MixtureComponent> components;
  for (int c = 0; c < 3; ++c)
    components.push_back({1.0 + c, Eigen::VectorXd::Constant(1, 2.0 * c - 3),
                          Eigen::MatrixXd::Constant(1, 1, 0.5 + c)});
  return components;
}

template <typename Real>
void expect_mixture_twins(const Mixture<Real>& mixture) {
  std::vector<Real> x = {-1000, -10, -3, -1, 0, Real(0.3), 1, 2, 5, 10, 1000}, fast(x.size()),
                    slow(1);
  at_every_level([&] {
    cpu::mixture_score<Real>(mixture, x, fast);
    for (std::size_t i = 0; i < x.size(); ++i) {
      mixture(std::span<const Real>(&x[i], 1), slow);
      // Shares are good to eps times the size of their logarithm, scores of some |x| times that.
      const double size = 1 + std::abs(double(x[i])) * std::abs(double(x[i]));
      EXPECT_NEAR(fast[i], slow[0], 16 * std::numeric_limits<Real>::epsilon() * size) << x[i];
    }
  });
}

TEST(MixtureOnTheLine, EqualsTheLiftedMixture) {
  for (const bool two : {false, true}) { // two components have a shorter formula
    expect_mixture_twins(two ? Mixture<double>::paper() : Mixture<double>(three()));
    expect_mixture_twins(two ? Mixture<float>::paper() : Mixture<float>(three()));
  }
}

TEST(MixtureOnTheLine, IsRefusedInMoreDimensions) {
  std::vector<MixtureComponent> plane;
  plane.push_back({1, Eigen::VectorXd::Zero(2), Eigen::MatrixXd::Identity(2, 2)});
  EXPECT_THROW(cpu::MixtureOnTheLine<double>(Mixture<double>(plane)), std::invalid_argument);
}

template <typename Real>
void expect_logistic_twins() {
  auto data = std::make_shared<LabelledData<Real>>();
  constexpr Eigen::Index rows = 217, weights = 13;
  data->features.resize(rows, weights);
  data->labels.resize(rows);
  start_normal(Rows<Real>{data->features.data(), rows, weights}, 3, 0, 1);
  for (Eigen::Index r = 0; r < rows; ++r)
    data->labels[r] = Real(r % 3 == 0);
  LogisticRegression<Real> plain(data, 50, 1);
  LogisticRegression<Real, cpu::Algebra<Real>> fast(data, 50, 1);
  constexpr std::size_t n = 37;
  std::vector<Real> x(n * (weights + 1)), a(x.size()), b(x.size()), density_a(n), density_b(n);
  const Rows<Real> at{x.data(), n, weights + 1}, score_a{a.data(), n, weights + 1},
      score_b{b.data(), n, weights + 1};
  start_normal(at, 4, 0, 1);
  // 13 + 217 terms of order |z| |f| n/B: sums of some 100, each good to eps times their number.
  const double bound = 250 * 100 * double(std::numeric_limits<Real>::epsilon());
  at_every_level([&] {
    for (const Step k : {0, 3, 4, 5}) {
      plain(k, at, score_a);
      fast(k, at, score_b);
      for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_NEAR(a[i], b[i], bound);
    }
    plain.evaluate(at, score_a, density_a);
    fast.evaluate(at, score_b, density_b);
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_NEAR(density_a[i], density_b[i], 10 * bound);
    const auto one = predict<Real>(*data, at, Threads::alone());
    const auto other = predict<Real, cpu::Algebra<Real>>(*data, at, Threads::alone());
    EXPECT_NEAR(one.accuracy, other.accuracy, 1e-12);
    EXPECT_NEAR(one.log_likelihood, other.log_likelihood, bound);
  });
}

TEST(LogisticAlgebra, EqualsThePlainOne) {
  expect_logistic_twins<double>();
  expect_logistic_twins<float>();
}

template <typename Real>
void expect_exponentials() {
  const double lowest = sizeof(Real) == 8 ? -700 : -86, highest = sizeof(Real) == 8 ? 700 : 87;
  at_every_level([&] {
    for (const std::size_t count : {1, 7, 64, 333}) {
      std::vector<Real> z(count), plain(count);
      for (std::size_t r = 0; r < count; ++r)
        z[r] = plain[r] = Real(lowest + (highest - lowest) * (double(r) + .5) / double(count));
      cpu::Algebra<Real>::exponentials(z.data(), count);
      PlainAlgebra<Real>::exponentials(plain.data(), count);
      for (std::size_t r = 0; r < count; ++r) // two ulp of ours, half a one of the other
        ASSERT_NEAR(double(z[r] / plain[r]), 1, 3 * double(std::numeric_limits<Real>::epsilon()));
      Real below = Real(10 * lowest);
      cpu::Algebra<Real>::exponentials(&below, 1);
      ASSERT_EQ(below, Real(0));
    }
  });
}

TEST(Exponentials, EqualThePlainOnes) {
  expect_exponentials<double>();
  expect_exponentials<float>();
}

TEST(LogisticAlgebra, StaysFiniteFarOut) {
  at_every_level([] {
    double z[] = {-1e4, -800, 0, 800, 1e4}, labels[] = {1, 1, 1, 0, 0};
    cpu::Algebra<double>::residuals(z, 1, labels, 5, 2.0);
    const double expected[] = {2, 2, 1, -2, -2};
    for (int i = 0; i < 5; ++i)
      EXPECT_NEAR(z[i], expected[i], 1e-12);
  });
}

} // namespace
} // namespace starling
