// Regressions whose rows lie on a card: sums over all rows and over some, against those of the
// host, for every family and in shapes that fill blocks and do not.
#include "cuda/regression.hpp"
#include "cuda_on_host/machines.hpp"

#include <starling/random/philox.hpp>
#include <starling/target/families.hpp>

#include <cmath>
#include <memory>
#include <vector>

namespace {

using namespace cuda_tests;

double drawn(std::uint64_t n) {
  return 2 * static_cast<double>(Philox(9)(Stream::user, 0, n)[0]) / 4294967296.0 - 1;
}

template <typename Number, typename Family>
std::shared_ptr<const LabelledData<Number>> made_up(const Family& family, std::size_t rows,
                                                    std::size_t features, bool counts) {
  auto data = std::make_shared<LabelledData<Number>>();
  data->features.resize(Eigen::Index(rows), Eigen::Index(features));
  data->labels.resize(Eigen::Index(rows));
  const std::size_t classes = counts ? 5 : family.predictors() + 1;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t a = 0; a < features; ++a)
      data->features(Eigen::Index(r), Eigen::Index(a)) =
          Number(a + 1 == features ? 1 : drawn(r * features + a));
    data->labels[Eigen::Index(r)] =
        family.extras() ? Number(3 * drawn(r)) : Number(r * 7 % classes);
  }
  return data;
}

class RegressionOnCard : public OnMachine {
protected:
  /// The largest gap between card and host, against the size of the numbers.
  template <typename Number, typename Family>
  double apart(const Family& family, cuda::RegressionFamily there, std::size_t rows,
               std::size_t features, std::size_t particles, double wrong = 1) {
    const auto data =
        made_up<Number>(family, rows, features, there == cuda::RegressionFamily::poisson);
    const auto table = rows_in_memory<Number>(data);
    using Model = Regression<Family, double>;
    const auto exact =
        made_up<double>(family, rows, features, there == cuda::RegressionFamily::poisson);
    const RowDensity host =
        row_density<Model>(std::make_shared<const Model>(rows_in_memory<double>(exact), family));
    const auto card = cuda::regression_on_card(
        machine, {there, family.predictors(), family.extras()}, table, host);
    const std::size_t dim = host.dim;
    std::vector<double> x(particles * dim), s(x.size()), t(x.size()), l(particles), m(particles);
    for (std::size_t n = 0; n < x.size(); ++n)
      x[n] = 0.5 * drawn(1'000'000 + n);
    const Rows<const double> at{x.data(), particles, dim};
    double worst = 0;
    const auto look = [&](const std::vector<double>& here, const std::vector<double>& other) {
      double size = 1;
      for (const double value : here)
        size = std::max(size, std::abs(value));
      for (std::size_t n = 0; n < here.size(); ++n)
        worst = std::max(worst, std::abs(here[n] - wrong * other[n]) / size);
    };
    host.all(at, {s.data(), particles, dim}, l);
    card->all(at, {t.data(), particles, dim}, m);
    look(s, t);
    look(l, m);
    host.values(at, l);
    card->values(at, m);
    look(l, m);
    std::vector<std::uint32_t> some;
    std::vector<double> weights;
    for (std::size_t n = 0; n < rows / 3 + 1; ++n) {
      some.push_back(static_cast<std::uint32_t>(n * 5 % rows));
      weights.push_back(1 + 0.5 * drawn(n));
    }
    host.some(some, weights)(at, {s.data(), particles, dim}, l);
    const DensityOfRows few = card->some(some, weights);
    few(at, {t.data(), particles, dim}, m);
    look(s, t);
    look(l, m);
    few(at, {t.data(), particles, dim}, {}); // nobody asks for log densities
    look(s, t);
    return worst;
  }
};

TEST_P(RegressionOnCard, AllFamiliesSumAsOnTheHost) {
  using cuda::RegressionFamily;
  for (const auto [rows, features, particles] :
       {std::array<std::size_t, 3>{1, 1, 1}, {63, 2, 5}, {500, 7, 16}, {4200, 5, 33}}) {
    const auto text = testing::PrintToString(std::array{rows, features, particles});
    EXPECT_LT(
        (apart<double>(family::Logistic{}, RegressionFamily::logistic, rows, features, particles)),
        1e-12)
        << text;
    EXPECT_LT(
        (apart<double>(family::Linear{}, RegressionFamily::linear, rows, features, particles)),
        1e-12)
        << text;
    EXPECT_LT(
        (apart<double>(family::Poisson{}, RegressionFamily::poisson, rows, features, particles)),
        1e-12)
        << text;
    EXPECT_LT((apart<double>(family::Multinomial(4), RegressionFamily::multinomial, rows, features,
                             particles)),
              1e-12)
        << text;
  }
}

TEST_P(RegressionOnCard, TablesInSinglePrecisionLoseWhatTheyMust) {
  EXPECT_LT((apart<float>(family::Logistic{}, cuda::RegressionFamily::logistic, 4200, 7, 20)),
            1e-6);
}

/// Sixteen, four or one particle fit beside their rows.
TEST_P(RegressionOnCard, WideTablesTakeFewerParticlesABlock) {
  for (const std::size_t features : {300u, 1200u, 4000u})
    EXPECT_LT(
        (apart<double>(family::Logistic{}, cuda::RegressionFamily::logistic, 80, features, 17)),
        1e-12)
        << features;
}

TEST_P(RegressionOnCard, TooManyWeightsAreRefused) {
  EXPECT_THROW((apart<double>(family::Logistic{}, cuda::RegressionFamily::logistic, 3, 20'000, 1)),
               std::invalid_argument);
}

TEST_P(RegressionOnCard, AWrongSumIsSeen) {
  EXPECT_GT((apart<double>(family::Logistic{}, cuda::RegressionFamily::logistic, 500, 7, 16, 1.3)),
            1e-2);
}

STARLING_ON_MACHINES(RegressionOnCard);

} // namespace
