// Generalised linear models over rows: against the formula written out, and against each other.
#include <starling/cpu/algebra.hpp>
#include <starling/random/philox.hpp>
#include <starling/target/regression.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

namespace {

using namespace starling;

constexpr std::size_t features = 5;

double normal(std::uint64_t index) { return normal_pair(Philox(3)(Stream::user, 0, index))[0]; }

template <typename Real>
std::shared_ptr<const LabelledData<Real>> data(std::size_t rows, std::size_t classes) {
  auto made = std::make_shared<LabelledData<Real>>();
  made->features.resize(Eigen::Index(rows), Eigen::Index(features));
  made->labels.resize(Eigen::Index(rows));
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < features; ++c)
      made->features(Eigen::Index(r), Eigen::Index(c)) =
          c + 1 == features ? Real(1) : Real(float(normal(10 * r + c)));
    made->labels[Eigen::Index(r)] =
        Real(Philox(4).below(std::uint32_t(classes), Stream::user, 1, r));
  }
  return made;
}

/// The log likelihood of one row, straight from the formula.
double row_of(const family::Logistic&, const std::vector<double>& u, double y) {
  return std::log(y > 0 ? 1 / (1 + std::exp(-u[0])) : 1 / (1 + std::exp(u[0])));
}
double row_of(const family::Linear&, const std::vector<double>& u, double y) {
  const double sigma = std::exp(u[1]), z = (y - u[0]) / sigma;
  return -std::log(sigma) - z * z / 2;
}
double row_of(const family::Poisson&, const std::vector<double>& u, double y) {
  return y * u[0] - std::exp(u[0]);
}
double row_of(const family::Multinomial&, const std::vector<double>& u, double y) {
  double total = 1;
  for (const double z : u)
    total += std::exp(z);
  return (std::size_t(y) < u.size() ? u[std::size_t(y)] : 0.0) - std::log(total);
}

/// The slow twin: log likelihood of given rows with weights, at one place.
template <typename Family>
double likelihood(const Family& family, const LabelledData<double>& d,
                  const std::vector<std::uint32_t>& rows, const std::vector<double>& weights,
                  const Eigen::VectorXd& x) {
  double sum = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::vector<double> u;
    for (std::size_t c = 0; c < family.predictors(); ++c)
      u.push_back(d.features.row(rows[k]).dot(
          x.segment(Eigen::Index(c * features), Eigen::Index(features))));
    for (std::size_t e = 0; e < family.extras(); ++e)
      u.push_back(x[Eigen::Index(family.predictors() * features + e)]);
    sum += weights[k] * row_of(family, u, d.labels[rows[k]]);
  }
  return sum;
}

template <typename Family>
class Regressions : public testing::Test {
public:
  static Family family() {
    if constexpr (std::is_same_v<Family, family::Multinomial>)
      return Family(4);
    else
      return Family();
  }
  static constexpr std::size_t classes = std::is_same_v<Family, family::Logistic> ? 2 : 4;
};
using Families =
    testing::Types<family::Logistic, family::Linear, family::Poisson, family::Multinomial>;
TYPED_TEST_SUITE(Regressions, Families);

Eigen::VectorXd place(std::size_t dim, std::uint64_t which) {
  Eigen::VectorXd x(static_cast<Eigen::Index>(dim));
  for (Eigen::Index a = 0; a < x.size(); ++a)
    x[a] = .4 * normal(100'000 + 1000 * which + std::uint64_t(a));
  return x;
}

// Sizes around the block and the number of ranges, so that every cut of the work is met.
const std::vector<std::size_t> sizes = {1, 511, 512, 513, 1500};

TYPED_TEST(Regressions, SayWhatTheFormulaSays) {
  using Model = Regression<TypeParam, double, cpu::Algebra<double>, cpu::Algebra<double>>;
  for (const std::size_t n : sizes) {
    const auto rows = data<double>(n, TestFixture::classes);
    Threads threads(3);
    const auto model =
        std::make_shared<const Model>(rows_in_memory<double>(rows), TestFixture::family(), threads);
    const RowDensity density = row_density<Model>(model);
    std::vector<std::uint32_t> all(n);
    for (std::size_t r = 0; r < n; ++r)
      all[r] = std::uint32_t(r);
    const std::vector<double> ones(n, 1.0);
    const std::size_t d = density.dim;
    const Eigen::VectorXd x = place(d, 1);
    Eigen::VectorXd score(x.size()), prior_score(x.size());
    double log_density = 0, prior = 0, value = 0;
    density.all({x.data(), 1, d}, {score.data(), 1, d}, {&log_density, 1});
    density.prior({x.data(), 1, d}, {prior_score.data(), 1, d}, {&prior, 1});
    density.values({x.data(), 1, d}, {&value, 1});
    const double twin = likelihood(TestFixture::family(), *rows, all, ones, x);
    const double size = std::abs(twin) + double(n);
    EXPECT_NEAR(log_density - prior, twin, 1e-12 * size) << n;
    EXPECT_EQ(value, log_density) << n; // the same sums
    for (Eigen::Index a = 0; a + 1 < x.size(); ++a) {
      Eigen::VectorXd up = x, down = x;
      const double h = 1e-5;
      up[a] += h;
      down[a] -= h;
      const double slope = (likelihood(TestFixture::family(), *rows, all, ones, up) -
                            likelihood(TestFixture::family(), *rows, all, ones, down)) /
                           (2 * h);
      EXPECT_NEAR(score[a] - prior_score[a], slope, 1e-6 * size)
          << n << " " << a; // rounding eps size / h, third order h^2 size
    }
    EXPECT_EQ(score[x.size() - 1], prior_score[x.size() - 1]);
  }
}

TYPED_TEST(Regressions, ExpandToSecondOrder) {
  using Model = Regression<TypeParam, double, cpu::Algebra<double>, cpu::Algebra<double>>;
  const auto rows = data<double>(700, TestFixture::classes);
  const auto model =
      std::make_shared<const Model>(rows_in_memory<double>(rows), TestFixture::family());
  const RowDensity density = row_density<Model>(model);
  const std::vector<std::uint32_t> some = {3, 690, 3, 17, 400};
  const std::vector<double> weights = {1.5, .25, 2, 100, 7};
  const auto few = density.some(some, weights);
  const Eigen::VectorXd x = place(density.dim, 2);
  const Expansion at = density.expand_some(some, weights)(x);
  const std::size_t d = density.dim;
  EXPECT_NEAR(at.log_density, likelihood(TestFixture::family(), *rows, some, weights, x), 1e-10);
  for (Eigen::Index a = 0; a < x.size(); ++a) {
    Eigen::VectorXd up = x, down = x, above(x.size()), below(x.size());
    const double h = 1e-5;
    up[a] += h;
    down[a] -= h;
    few({up.data(), 1, d}, {above.data(), 1, d}, {});
    few({down.data(), 1, d}, {below.data(), 1, d}, {});
    const Eigen::VectorXd bend = (below - above) / (2 * h);
    for (Eigen::Index b = 0; b < x.size(); ++b)
      EXPECT_NEAR(at.curvature(a, b), bend[b], 1e-5 * (1 + at.curvature.cwiseAbs().maxCoeff()))
          << a << " " << b;
  }
  // All rows are those with weight 1.
  std::vector<std::uint32_t> all(700);
  for (std::size_t r = 0; r < all.size(); ++r)
    all[r] = std::uint32_t(r);
  const std::vector<double> ones(700, 1.0);
  const Expansion whole = density.expand(x), twin = density.expand_some(all, ones)(x);
  EXPECT_NEAR(whole.log_density, twin.log_density, 1e-9);
  EXPECT_LT((whole.curvature - twin.curvature).norm(), 1e-10 * twin.curvature.norm());
  EXPECT_LT((whole.score - twin.score).norm(), 1e-10 * (700 + twin.score.norm()));
}

TYPED_TEST(Regressions, LeverageIsTheTraceOfItsShareOfTheCurvature) {
  using Model = Regression<TypeParam, double, cpu::Algebra<double>, cpu::Algebra<double>>;
  const auto rows = data<double>(40, TestFixture::classes);
  const auto model =
      std::make_shared<const Model>(rows_in_memory<double>(rows), TestFixture::family());
  const RowDensity density = row_density<Model>(model);
  const auto d = Eigen::Index(density.dim);
  Frame::Matrix factor = Frame::Matrix::Zero(d, d);
  for (Eigen::Index a = 0; a < d; ++a)
    for (Eigen::Index b = 0; b <= a; ++b)
      factor(a, b) = a == b ? 1 + .1 * double(a) : .2 * normal(std::uint64_t(50'000 + a * d + b));
  const Eigen::VectorXd x = place(density.dim, 3);
  const std::vector<double> leverage = density.leverage(x, Frame::dense(x, factor));
  // Only the inputs' own second derivatives count, not those between them: so the traces agree
  // where there is one.
  if (TestFixture::family().predictors() + TestFixture::family().extras() > 1)
    return;
  for (std::uint32_t r = 0; r < 40; ++r) {
    const std::vector<double> one = {1.0};
    const Expansion own = density.expand_some(RowNumbers(&r, 1), one)(x);
    EXPECT_NEAR(leverage[r], (factor.transpose() * own.curvature * factor).trace(),
                1e-12 * (1 + leverage[r]));
  }
}

TEST(Regression, IsTheLogisticRegressionOfTheRawMethod) {
  const auto rows = data<double>(3000, 2);
  LogisticRegression<double> twin(rows, 3000, 1);
  using Model = Regression<family::Logistic, double, cpu::Algebra<double>, cpu::Algebra<double>>;
  const Model model(rows_in_memory<double>(rows), {});
  const std::size_t d = model.dim(), n = 300; // more than are taken together
  ASSERT_EQ(d, twin.dim());
  std::vector<double> x(n * d), s(n * d), t(n * d), l(n), m(n);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = (i < d ? 30 : .5) * normal(i); // the first is far out, where sigmoids end
  model.evaluate({x.data(), n, d}, {s.data(), n, d}, l);
  twin.evaluate({x.data(), n, d}, {t.data(), n, d}, m);
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_NEAR(l[i], m[i], 1e-11 * (3000 + std::abs(m[i])));
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(s[i], t[i], 1e-11 * (3000 + std::abs(t[i])));
}

// In single precision a logit of size z is off by about sqrt(D) eps z, and a sum over n rows by
// sqrt(n) times that.
TEST(Regression, InSinglePrecisionIsOffByRoundingOnly) {
  constexpr std::size_t n = 20'000;
  const auto exact = data<double>(n, 2);
  const auto rounded = data<float>(n, 2);
  using Slow = Regression<family::Logistic, double>;
  using Fast = Regression<family::Logistic, float, cpu::Algebra<float>, cpu::Algebra<double>>;
  const Slow slow(rows_in_memory<double>(exact), {});
  const Fast fast(rows_in_memory<float>(rounded), {});
  const std::size_t d = slow.dim();
  const Eigen::VectorXd x = place(d, 4);
  Eigen::VectorXd s(x.size()), t(x.size());
  double l = 0, m = 0;
  slow.evaluate({x.data(), 1, d}, {s.data(), 1, d}, {&l, 1});
  fast.evaluate({x.data(), 1, d}, {t.data(), 1, d}, {&m, 1});
  const double bound = 10 * std::sqrt(double(n) * features) * 6e-8 * 3;
  EXPECT_NEAR(l, m, bound);
  for (Eigen::Index a = 0; a < x.size(); ++a)
    EXPECT_NEAR(s[a], t[a], bound);
}

TEST(Regression, DoesNotDependOnThreads) {
  const auto rows = data<float>(5000, 2);
  using Model = Regression<family::Logistic, float, cpu::Algebra<float>, cpu::Algebra<double>>;
  std::vector<double> first;
  for (const std::size_t count : {1, 2, 7}) {
    Threads threads(count);
    const Model model(rows_in_memory<float>(rows), {}, threads);
    const std::size_t d = model.dim();
    std::vector<double> x(9 * d), s(9 * d), l(9);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = normal(i);
    model.evaluate({x.data(), 9, d}, {s.data(), 9, d}, l);
    s.insert(s.end(), l.begin(), l.end());
    const Expansion at = model.expand(Eigen::Map<const Eigen::VectorXd>(x.data(), Eigen::Index(d)));
    s.insert(s.end(), at.curvature.data(), at.curvature.data() + at.curvature.size());
    if (first.empty())
      first = s;
    EXPECT_EQ(first, s);
  }
}

} // namespace
