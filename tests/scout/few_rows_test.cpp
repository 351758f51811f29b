// The score of few rows: unbiased by enumeration, exact where it should be; the scout over many
// rows.
#include <starling/scout/candidates.hpp>
#include <starling/scout/few_rows.hpp>
#include <starling/scout/many_rows.hpp>
#include <starling/target/regression.hpp>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <vector>

namespace {

using namespace starling;

using Model = Regression<family::Logistic, double>;

/// Rows of a constant and normals; the last feature is 1 in one row of 50 only, so that leverage
/// matters.
std::shared_ptr<const LabelledData<double>> data(std::size_t rows) {
  auto made = std::make_shared<LabelledData<double>>();
  made->features.resize(Eigen::Index(rows), 4);
  made->labels.resize(Eigen::Index(rows));
  for (std::size_t r = 0; r < rows; ++r) {
    const auto pair = normal_pair(Philox(8)(Stream::user, 0, r));
    const auto row = Eigen::Index(r);
    made->features.row(row) << pair[0], pair[1], 1, r % 50 == 7 ? 1 : 0;
    const double z = .8 * pair[0] - .5 * pair[1] - 1 + 2 * made->features(row, 3);
    made->labels[row] = uniform(Philox(8)(Stream::user, 1, r)) < 1 / (1 + std::exp(-z));
  }
  return made;
}

RowDensity density_of(std::size_t rows) {
  return row_density<Model>(
      std::make_shared<const Model>(rows_in_memory<double>(data(rows)), family::Logistic{}));
}

RowDensity without_expansions(RowDensity density) {
  density.expand = {};
  density.expand_some = {};
  return density;
}

RowDensity by_differences(RowDensity density) {
  density.by_differences = true;
  return without_expansions(std::move(density));
}

Frame frame_of(std::size_t dim) {
  Eigen::VectorXd mean(static_cast<Eigen::Index>(dim)), scale(mean.size());
  for (Eigen::Index a = 0; a < mean.size(); ++a) {
    mean[a] = .1 * double(a) - .2;
    scale[a] = .3 + .1 * double(a);
  }
  return Frame::diagonal(mean, scale);
}

TEST(AliasTable, DrawsEachItemByItsWeight) {
  const std::vector<double> weights = {3, 0, 1, .5, 10, 1e-9, 2};
  const AliasTable table(weights);
  double total = 0;
  for (const double w : weights)
    total += w;
  for (std::uint32_t r = 0; r < weights.size(); ++r)
    EXPECT_NEAR(table.probability(r), weights[r] / total, 1e-15);
  std::vector<double> seen(weights.size());
  constexpr std::size_t draws = 100'000;
  for (std::size_t k = 0; k < draws; ++k)
    seen[table(Philox(1)(Stream::user, 0, k))] += 1.0 / draws;
  for (std::size_t r = 0; r < weights.size(); ++r) { // the places and the answers go together
    const double p = weights[r] / total;
    EXPECT_NEAR(seen[r], p, 4 * std::sqrt(p * (1 - p) / draws) + 1e-12);
  }
  EXPECT_THROW(AliasTable(std::vector<double>{1, -1}), std::invalid_argument);
  EXPECT_THROW(AliasTable(std::vector<double>{0, 0}), std::invalid_argument);
}

/// The mean of the estimate over every row that one draw may give, weighted by `chance`.
Eigen::VectorXd mean_over_rows(const RowDensity& density, const Eigen::VectorXd& x,
                               double& log_density, bool evenly) {
  RowCounts counts;
  const Frame frame = frame_of(density.dim);
  scout::FewRows few(density, frame.mean(), frame, 5, counts);
  const std::size_t d = density.dim;
  std::map<std::uint32_t, Step> step_of;
  for (Step k = 0; step_of.size() < density.rows && k < 100'000; ++k)
    step_of.emplace(few.drawn(k, 1)[0], k);
  EXPECT_EQ(step_of.size(), density.rows);
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(x.size());
  log_density = 0;
  for (const auto& [row, k] : step_of) {
    Eigen::VectorXd score(x.size());
    double value = 0;
    few(k, 1, {x.data(), 1, d}, {score.data(), 1, d}, {&value, 1});
    const double p = evenly ? 1 / double(density.rows) : few.probability(row);
    mean += p * score;
    log_density += p * value;
  }
  return mean;
}

TEST(FewRows, AreUnbiasedByEnumeration) {
  for (const RowDensity& density :
       {density_of(60), without_expansions(density_of(60)), by_differences(density_of(60))}) {
    const std::size_t d = density.dim;
    Eigen::VectorXd x = frame_of(d).mean(), exact(x.size());
    for (Eigen::Index a = 0; a < x.size(); ++a)
      x[a] += .7 - .3 * double(a);
    double log_density = 0, mean_density = 0, unused = 0;
    density.all({x.data(), 1, d}, {exact.data(), 1, d}, {&log_density, 1});
    const Eigen::VectorXd mean = mean_over_rows(density, x, mean_density, false);
    EXPECT_LT((mean - exact).norm(), 1e-11 * (60 + exact.norm()));
    EXPECT_NEAR(mean_density, log_density, 1e-10);
    // As if rows were drawn evenly: the weights then do not fit.
    EXPECT_GT((mean_over_rows(density, x, unused, true) - exact).norm(), 1e-3 * exact.norm());
  }
}

TEST(FewRows, AreExactAtTheModeAndToTheirOrder) {
  for (const bool second_order : {true, false}) {
    const RowDensity density = second_order ? density_of(200) : without_expansions(density_of(200));
    const std::size_t d = density.dim;
    const Frame frame = frame_of(d);
    RowCounts counts;
    scout::FewRows few(density, frame.mean(), frame, 5, counts);
    const auto errors = [&](double away) { // of the score, of the log density
      const Eigen::VectorXd x = frame.mean().array() + away;
      Eigen::VectorXd score(x.size()), exact(x.size());
      double exact_value = 0, value = 0;
      few(3, 10, {x.data(), 1, d}, {score.data(), 1, d}, {&value, 1});
      density.all({x.data(), 1, d}, {exact.data(), 1, d}, {&exact_value, 1});
      return std::array{(score - exact).norm(), std::abs(value - exact_value)};
    };
    for (std::size_t which : {0u, 1u}) {
      EXPECT_LT(errors(0)[which], 1e-10);
      const double order =
          std::log2(errors(.02)[which] / errors(.01)[which]); // of the first term that is left
      EXPECT_NEAR(order, (second_order ? 2 : 1) + double(which), .1 + .1 * double(which)) << which;
    }
  }
}

TEST(FewRows, GiveTheSameForAStepAndOthersForTheNext) {
  const RowDensity density = density_of(500);
  const Frame frame = frame_of(density.dim);
  RowCounts counts;
  scout::FewRows few(density, frame.mean(), frame, 5, counts),
      again(density, frame.mean(), frame, 5, counts);
  EXPECT_EQ(few.drawn(7, 20), again.drawn(7, 20));
  EXPECT_NE(few.drawn(7, 20), few.drawn(8, 20));
  const std::vector<std::uint32_t> more = few.drawn(7, 40), less = few.drawn(7, 20);
  EXPECT_TRUE(std::equal(less.begin(), less.end(), more.begin()));
}

TEST(FewRows, ByLeverageAreQuieterThanEvenly) {
  const RowDensity density = density_of(5000);
  RowDensity evenly = density;
  evenly.leverage = {};
  const RowDensity plainer = without_expansions(density);
  RowCounts counts;
  const scout::Report report = scout::scout(density, 1, counts);
  const Frame::Matrix x = scout::draws(report.frame, 64, 2);
  scout::FewRows by_leverage(density, report.frame.mean(), report.frame, 1, counts);
  scout::FewRows at_random(evenly, report.frame.mean(), report.frame, 1, counts);
  scout::FewRows first_order(plainer, report.frame.mean(), report.frame, 1, counts);
  const double quiet = by_leverage.noise(100, rows_of(x), report.frame);
  EXPECT_LT(quiet, .7 * at_random.noise(100, rows_of(x), report.frame));
  EXPECT_LT(quiet, .7 * first_order.noise(100, rows_of(x), report.frame));
}

TEST(FewRows, ByDifferencesAreNearlyAsQuietAsByExpansions) {
  const RowDensity density = density_of(5000);
  RowCounts counts;
  const scout::Report report = scout::scout(density, 1, counts);
  const Frame::Matrix x = scout::draws(report.frame, 64, 2);
  const RowDensity plainer = without_expansions(density), differences = by_differences(density);
  const auto noise = [&](const RowDensity& given) {
    return scout::FewRows(given, report.frame.mean(), report.frame, 1, counts)
        .noise(100, rows_of(x), report.frame);
  };
  EXPECT_LT(noise(differences), 1.5 * noise(density));
  EXPECT_LT(noise(differences), .7 * noise(plainer));
}

TEST(FewRows, MakeTheCurvatureFromDifferencesInAnyFrame) { // a normal likelihood: exact everywhere,
                                                           // from any row
  RowDensity density;
  density.rows = 3;
  density.dim = 2;
  Eigen::Matrix2d precision;
  precision << 4e-6, 1e-3, 1e-3, 9;
  const auto sum = [precision](double weight, Rows<const double> x, Rows<double> score,
                               std::span<double> value) {
    const Frame::Matrix at = Frame::map(x);
    Frame::map(score) = -weight * at * precision;
    for (std::size_t i = 0; i < value.size(); ++i)
      value[i] = -weight / 2 * at.row(Eigen::Index(i)).dot(at.row(Eigen::Index(i)) * precision);
  };
  const std::vector<double> share = {1, 2, 5};
  density.prior = [](Rows<const double>, Rows<double> score, std::span<double> value) {
    std::fill(score.begin(), score.end(), 0.0);
    std::fill(value.begin(), value.end(), 0.0);
  };
  density.all = [=](Rows<const double> x, Rows<double> score, std::span<double> value) {
    sum(8, x, score, value);
  };
  density.some = [=](RowNumbers rows, std::span<const double> weights) -> DensityOfRows {
    double weight = 0;
    for (std::size_t k = 0; k < rows.size(); ++k)
      weight += weights[k] * share[rows[k]];
    return [=](Rows<const double> x, Rows<double> score, std::span<double> value) {
      sum(weight, x, score, value);
    };
  };
  density.by_differences = true;
  Frame::Matrix covariance = (8 * precision).inverse();
  const Frame frame = Frame::from_covariance(Eigen::Vector2d(3, -1), covariance);
  RowCounts counts;
  scout::FewRows few(density, frame.mean(), frame, 1, counts);
  const Eigen::Vector2d x(700, 2);
  Eigen::Vector2d score, exact;
  double value = 0, right = 0;
  density.all({x.data(), 1, 2}, {exact.data(), 1, 2}, {&right, 1});
  few(1, 1, {x.data(), 1, 2}, {score.data(), 1, 2}, {&value, 1});
  for (Eigen::Index a = 0; a < 2; ++a)
    EXPECT_NEAR(score[a], exact[a], 1e-9 * std::abs(exact[a]));
  EXPECT_NEAR(value, right, 1e-9 * std::abs(right));
}

TEST(ScoutOfRows, EndsAtTheModeOfAllRows) {
  const RowDensity density = density_of(50'000); // more than are climbed on
  for (const RowDensity& given : {density, without_expansions(density)}) {
    RowCounts counts;
    const scout::Report report = scout::scout(given, 4, counts);
    const std::size_t d = density.dim;
    const Eigen::VectorXd x = report.frame.mean();
    Eigen::VectorXd score(x.size());
    double unused = 0;
    density.all({x.data(), 1, d}, {score.data(), 1, d}, {&unused, 1});
    EXPECT_LT(report.frame.pull({score.data(), 1, d}).norm(), .01); // in widths
    EXPECT_EQ(report.modes, 1u);
    const Eigen::MatrixXd curvature =
        scout::curvature({x, score, unused}, *std::make_unique<CountedDensity>(density.all));
    const Frame::Matrix unit = report.frame.pull(rows_of(Frame::Matrix(curvature)));
    const Frame::Matrix whole = report.frame.pull(rows_of(Frame::Matrix(unit.transpose())));
    EXPECT_LT((whole - Frame::Matrix::Identity(whole.rows(), whole.cols())).norm(), 1e-3);
    EXPECT_LT(counts.reads, 30 * density.rows);
  }
}

} // namespace
