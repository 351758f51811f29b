// Bayesian logistic regression: score, mini-batches, predictions.
#include "target/slopes.hpp"

#include <starling/random/philox.hpp>
#include <starling/random/start.hpp>
#include <starling/target/prediction.hpp>

namespace {

using namespace starling;
using namespace target_tests;

template <typename Real>
std::shared_ptr<LabelledData<Real>> made_up(Eigen::Index rows, Eigen::Index features) {
  auto data = std::make_shared<LabelledData<Real>>();
  data->features.resize(rows, features);
  data->labels.resize(rows);
  const Philox philox(21);
  for (Eigen::Index r = 0; r < rows; ++r) {
    Real logit = 0;
    for (Eigen::Index f = 0; f < features; ++f) {
      const bool constant = f + 1 == features;
      data->features(r, f) =
          constant ? Real(1)
                   : Real(normal_pair(philox(Stream::synthetic, Step(f), std::uint64_t(r)))[0]);
      logit += data->features(r, f) * (f % 2 ? Real(-0.7) : Real(1.1));
    }
    data->labels[r] =
        uniform(philox(Stream::synthetic, 99, std::uint64_t(r))) < 1 / (1 + std::exp(-logit));
  }
  return data;
}

struct Scored {
  Scored(std::size_t count, std::size_t dim)
      : numbers(count * dim), rows{numbers.data(), count, dim} {}
  std::vector<double> numbers;
  Rows<double> rows;
};

Scored particles(std::size_t count, std::size_t dim) {
  Scored x(count, dim);
  start_normal(x.rows, 4, 0.0, 0.8);
  return x;
}

TEST(LogisticRegression, HasTheScoreOfItsDensity) {
  LogisticRegression<double> target(made_up<double>(40, 3), 40, 1);
  EXPECT_EQ(target.dim(), 4u);
  expect_score_is_the_slope<double>(target, {0.4, -0.3, 0.2, 0.5}, 100);
  expect_score_is_the_slope<double>(target, {-2.0, 1.0, 0.7, -1.5}, 200);
  LogisticRegression<float> narrow(made_up<float>(10, 3), 10, 1);
  expect_score_is_the_slope<float>(narrow, {0.4f, -0.3f, 0.2f, 0.5f}, 10);
}

TEST(LogisticRegression, HasFiniteScoresFarAway) {
  LogisticRegression<double> target(made_up<double>(40, 3), 40, 1);
  expect_finite_scores_far_away<double>(target);
  LogisticRegression<float> narrow(made_up<float>(40, 3), 40, 1);
  expect_finite_scores_far_away<float>(narrow);
}

// log p(y | w) + log N(w; 0, I/alpha) + log Gamma(alpha; 1, rate .01) + log alpha, row by row.
TEST(LogisticRegression, HasTheLogDensityOfThePaper) {
  const auto data = made_up<double>(30, 3);
  LogisticRegression<double> target(data, 30, 1);
  const auto formula = [&](const std::vector<double>& x) {
    const double alpha = std::exp(x[3]);
    double sum = 0;
    for (Eigen::Index r = 0; r < 30; ++r) {
      const double z =
          x[0] * data->features(r, 0) + x[1] * data->features(r, 1) + x[2] * data->features(r, 2);
      const double p = 1 / (1 + std::exp(-z));
      sum += std::log(data->labels[r] == 1 ? p : 1 - p);
    }
    for (int a = 0; a < 3; ++a)
      sum += std::log(std::sqrt(alpha)) - alpha * x[std::size_t(a)] * x[std::size_t(a)] / 2;
    return sum - 0.01 * alpha + std::log(alpha);
  };
  const std::vector<double> here{0.4, -0.3, 0.2, 0.5}, there{-1.0, 1.0, 0.7, -1.5};
  EXPECT_NEAR(evaluate<double>(target, here).log_density -
                  evaluate<double>(target, there).log_density,
              formula(here) - formula(there), 1e-11);
}

TEST(LogisticRegression, EvaluatesInBlocksWhatItEvaluatesAtOnce) {
  const auto data = made_up<double>(2500, 3); // three blocks of rows
  LogisticRegression<double> target(data, 2500, 1);
  const std::vector<double> x{0.4, -0.3, 0.2, 0.5};
  const auto blocks = evaluate<double>(target, x);
  Scored at_once(1, 4);
  target(0, Rows<const double>{x.data(), 1, 4}, at_once.rows);
  for (std::size_t a = 0; a < 4; ++a)
    EXPECT_NEAR(at_once.numbers[a], blocks.score[a], 1e-10);
}

// Mean over one pass of the mini-batch scores, each weighted by the rows it saw; or each alike.
Scored pass_mean(std::size_t batch, const Scored& x, bool by_rows) {
  const std::size_t rows = 24;
  LogisticRegression<double> target(made_up<double>(24, 3), batch, 7);
  Scored mean(x.rows.count, x.rows.dim), part(x.rows.count, x.rows.dim);
  const std::size_t steps = (rows + batch - 1) / batch;
  for (std::size_t k = 0; k < steps; ++k) {
    target(k, x.rows, part.rows);
    const std::size_t seen = std::min(batch, rows - k * batch);
    const double share = by_rows ? double(seen) / double(rows) : 1 / double(steps);
    for (std::size_t n = 0; n < mean.numbers.size(); ++n)
      mean.numbers[n] += share * part.numbers[n];
  }
  return mean;
}

double distance_to_full_score(const Scored& mean, const Scored& x) {
  LogisticRegression<double> target(made_up<double>(24, 3), 24, 7);
  Scored full(x.rows.count, x.rows.dim);
  std::vector<double> density(x.rows.count);
  target.evaluate(x.rows, full.rows, density);
  double worst = 0;
  for (std::size_t n = 0; n < full.numbers.size(); ++n)
    worst = std::max(worst, std::abs(full.numbers[n] - mean.numbers[n]));
  return worst;
}

TEST(LogisticRegression, HasTheFullScoreAsTheMeanOverAPass) {
  const Scored x = particles(5, 4);
  for (const std::size_t batch : {1u, 6u, 8u, 24u})
    EXPECT_LT(distance_to_full_score(pass_mean(batch, x, false), x), 1e-12) << "batch " << batch;
}

// 24 rows by 7: three mini-batches of 7, one of 3. Each is scaled by n over its own size, so the
// mean weighted by size is the full score; the plain mean counts the rows of the last one more.
TEST(LogisticRegression, HasTheFullScoreAsTheMeanWeightedBySizeWhenTheLastIsSmaller) {
  const Scored x = particles(5, 4);
  EXPECT_LT(distance_to_full_score(pass_mean(7, x, true), x), 1e-12);
  EXPECT_GT(distance_to_full_score(pass_mean(7, x, false), x), 1e-3);
}

TEST(LogisticRegression, ShowsAllParticlesTheSameMiniBatch) {
  LogisticRegression<double> target(made_up<double>(200, 3), 10, 7);
  Scored x(300, 4), score(300, 4); // 300 particles: three pieces
  for (std::size_t i = 0; i < 300; ++i)
    std::ranges::copy(std::vector<double>{0.4, -0.3, 0.2, 0.5}, x.rows[i].begin());
  target(3, x.rows, score.rows);
  for (std::size_t i = 1; i < 300; ++i)
    for (std::size_t a = 0; a < 4; ++a)
      ASSERT_NEAR(score.rows[i][a], score.rows[0][a], 1e-11) << "particle " << i;
}

TEST(LogisticRegression, ScoresByTheStepAlone) {
  const Scored x = particles(5, 4);
  LogisticRegression<double> forwards(made_up<double>(200, 3), 10, 7);
  LogisticRegression<double> jumping(made_up<double>(200, 3), 10, 7);
  Scored first(5, 4), again(5, 4), next(5, 4);
  for (Step k = 0; k <= 23; ++k)
    forwards(k, x.rows, first.rows);
  jumping(23, x.rows, again.rows);
  EXPECT_EQ(first.numbers, again.numbers);
  jumping(24, x.rows, next.rows);
  EXPECT_NE(next.numbers, again.numbers);
  jumping(3, x.rows, next.rows); // the same place one pass earlier: other rows
  EXPECT_NE(next.numbers, again.numbers);
}

TEST(LogisticRegression, ScoresTheSameOnThreeThreads) {
  const Scored x = particles(400, 4);
  Threads crew(3);
  LogisticRegression<double> alone(made_up<double>(200, 3), 10, 7);
  LogisticRegression<double> shared(made_up<double>(200, 3), 10, 7, crew);
  Scored one(400, 4), three(400, 4);
  alone(2, x.rows, one.rows);
  shared(2, x.rows, three.rows);
  EXPECT_EQ(one.numbers, three.numbers);
}

/// The plain operations, noting how many logits were ever asked for at once.
struct Watched : PlainAlgebra<double> {
  inline static std::atomic<std::size_t> most = 0;
  static void logits(const double* w, std::size_t stride, std::size_t n, const double* features,
                     std::size_t rows, std::size_t inner, double* logits) {
    most = std::max<std::size_t>(most, n * rows);
    PlainAlgebra<double>::logits(w, stride, n, features, rows, inner, logits);
  }
};

// 3000 rows make three blocks, the last one smaller. Rounding: 3000 terms of size up to 3, in sums
// added up in another order.
TEST(LogisticRegression, TakesLargeMiniBatchesBlockByBlock) {
  const std::size_t rows = 3000, count = 300;
  const auto data = made_up<double>(rows, 3);
  const Scored x = particles(count, 4);
  Threads crew(3);
  LogisticRegression<double, Watched> alone(data, rows, 7), shared(data, rows, 7, crew);
  Scored one(count, 4), three(count, 4);
  Watched::most = 0;
  alone(0, x.rows, one.rows);
  EXPECT_LE(Watched::most, 256 * decltype(alone)::row_block);
  shared(0, x.rows, three.rows);
  EXPECT_EQ(one.numbers, three.numbers);
  for (std::size_t i = 0; i < count; i += 37) {
    const auto w = x.rows[i];
    double score[4] = {-std::exp(w[3]) * w[0], -std::exp(w[3]) * w[1], -std::exp(w[3]) * w[2], 0};
    for (std::size_t r = 0; r < rows; ++r) { // the slow twin: row by row
      double z = 0;
      for (Eigen::Index a = 0; a < 3; ++a)
        z += w[std::size_t(a)] * data->features(Eigen::Index(r), a);
      for (Eigen::Index a = 0; a < 3; ++a)
        score[a] += (data->labels[Eigen::Index(r)] - 1 / (1 + std::exp(-z))) *
                    data->features(Eigen::Index(r), a);
    }
    for (std::size_t a = 0; a < 3; ++a)
      EXPECT_NEAR(one.rows[i][a], score[a], 3000 * 3 * 3000 * 2.3e-16) << i;
  }
}

// Up to a block nothing is cut: the bits are those of one product over all rows of the mini-batch.
TEST(LogisticRegression, TakesAMiniBatchOfOneBlockAtOnce) {
  const std::size_t rows = LogisticRegression<double>::row_block;
  LogisticRegression<double, Watched> target(made_up<double>(rows, 3), rows, 7);
  const Scored x = particles(20, 4);
  Scored score(20, 4);
  Watched::most = 0;
  target(0, x.rows, score.rows);
  EXPECT_EQ(Watched::most, 20 * rows);
}

TEST(Predict, AgreesWithANaiveLoop) {
  const Eigen::Index rows = 1300; // three blocks of rows
  const auto data = made_up<double>(rows, 3);
  const Scored x = particles(17, 4);
  double right = 0, log_likelihood = 0;
  for (Eigen::Index r = 0; r < rows; ++r) {
    double p = 0;
    for (std::size_t i = 0; i < 17; ++i) {
      double z = 0;
      for (std::size_t f = 0; f < 3; ++f)
        z += x.rows[i][f] * data->features(r, Eigen::Index(f));
      p += 1 / (1 + std::exp(-z)) / 17;
    }
    right += (p > 0.5) == (data->labels[r] == 1);
    log_likelihood += std::log(data->labels[r] == 1 ? p : 1 - p);
  }
  Threads crew(3);
  for (Threads* threads : {&Threads::alone(), &crew}) {
    const Prediction found = predict<double>(*data, x.rows, *threads);
    EXPECT_NEAR(found.accuracy, right / double(rows), 1e-12);
    EXPECT_NEAR(found.log_likelihood, log_likelihood / double(rows), 1e-12);
  }
  EXPECT_GT(right, 0);
  EXPECT_LT(right, double(rows));
}

} // namespace
