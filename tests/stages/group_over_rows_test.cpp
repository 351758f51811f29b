// Groups over rows of data: right, counted, the same for any number of threads, cut anywhere and
// gone on with.
#include <starling/stages/group.hpp>
#include <starling/target/regression.hpp>

#include "stages/densities.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

namespace {

using namespace starling;
using stages::Group;
using stages::index_of;
using stages::Settings;

using Model = Regression<family::Logistic, double>;

constexpr std::size_t rows = 2000;

RowDensity density_of(Threads& threads) {
  auto made = std::make_shared<LabelledData<double>>();
  made->features.resize(Eigen::Index(rows), 3);
  made->labels.resize(Eigen::Index(rows));
  for (std::size_t r = 0; r < rows; ++r) {
    const auto pair = normal_pair(Philox(8)(Stream::user, 0, r));
    made->features.row(Eigen::Index(r)) << pair[0], r % 400 == 7 ? 1 : 0,
        1; // the second is rare: its marginal is skewed
    made->labels[Eigen::Index(r)] =
        uniform(Philox(8)(Stream::user, 1, r)) < 1 / (1 + std::exp(1 - pair[0])) ? 1 : 0;
  }
  return row_density<Model>(
      std::make_shared<const Model>(rows_in_memory<double>(made), family::Logistic{}, threads));
}

Settings small() {
  Settings settings;
  settings.particles = 128;
  settings.seed = 3;
  settings.rows_a_step = 100;
  settings.guide_rows = 1000;
  settings.walkers = 64;
  return settings;
}

std::vector<double> numbers(const Group& group) {
  const auto x = group.positions();
  return {x.begin(), x.end()};
}

TEST(GroupOverRows, EndsWhereAllRowsLead) {
  Threads threads;
  const RowDensity density = density_of(threads);
  Group few(stages::guide_by(density, small()), small());
  few.take(1'000'000);
  Settings exact = small();
  exact.certify_moves = 100; // the reference: all rows, exact moves of every particle
  exact.settle_rounds = 0;
  Group all(density.all, density.dim, exact);
  all.take(1'000'000);
  ASSERT_TRUE(few.certificate());
  EXPECT_NE(few.certificate()->finding, judge::Finding::moved);
  EXPECT_EQ(few.certificate()->particles, 64u);
  const auto x = Frame::map(few.positions());
  const Eigen::RowVectorXd mean = x.colwise().mean();
  for (Eigen::Index a = 0; a < x.cols(); ++a) {
    const double sd = std::sqrt((x.col(a).array() - mean[a]).square().sum() / double(x.rows() - 1));
    const double right = all.state().pool.sds[std::size_t(a)];
    // 128 particles that repel each other: their mean is nearer than that of as many independent
    // draws, 1/sqrt(128).
    EXPECT_NEAR(mean[a], all.state().pool.means[std::size_t(a)], .15 * right) << a;
    EXPECT_NEAR(sd / right, 1, .15) << a;
  }
}

/// How far the guide's log density is from that of all rows, in the sd over the cloud, from the
/// formula.
double lack_of(Group& group, const RowDensity& density) {
  const auto x = group.positions();
  std::vector<double> score(x.size()), guide(x.count), all(x.count);
  const Rows<double> scores{score.data(), x.count, x.dim};
  group.estimate(x, scores, guide);
  density.all(x, scores, all);
  double mean = 0, square = 0;
  for (std::size_t i = 0; i < x.count; ++i)
    mean += (all[i] - guide[i]) / double(x.count);
  for (std::size_t i = 0; i < x.count; ++i)
    square += (all[i] - guide[i] - mean) * (all[i] - guide[i] - mean) / double(x.count - 1);
  return std::sqrt(square);
}

TEST(GroupOverRows, LetsTheGuideDecideOnlyWhereItStandsForAllRows) {
  Threads threads;
  const RowDensity density = density_of(threads);
  for (const double allowed : {0.0, 1e-9, 10.0}) {
    Settings settings = small();
    settings.guide_error = allowed;
    settings.guide_rows = settings.rows_a_step; // the guide is the same for every bound
    settings.settle_rounds = 0;
    Group group(stages::guide_by(density, settings), settings);
    group.take(1'000'000);
    const stages::RowsReport seen = group.rows_report();
    EXPECT_EQ(seen.guide_decides, allowed == 10.0);
    // 20 moves of 64 walkers, and where they begin: against 32 of them before and after.
    const std::uint64_t visits = seen.read[index_of<stages::Certify>].visits;
    EXPECT_EQ(visits > 21 * 64 * rows, allowed < 10.0);
    if (allowed == 0)
      continue;
    // Of third order in the distance from the mode: 32 walkers know its sd roughly.
    const double lack = lack_of(group, density);
    EXPECT_GT(seen.error, lack / 4);
    EXPECT_LT(seen.error, lack * 4);
  }
}

// A guide may lead to where all rows say otherwise, or no, which shows only when they are asked
// after the moves.
TEST(GroupOverRows, KnowsNoMoreThanItsGuideWhereverThatLed) {
  Threads threads;
  for (const double off : {0.0, 30.0, double(-INFINITY)}) {
    RowDensity density = density_of(threads);
    auto asked = std::make_shared<int>(0);
    const auto shift = [off, asked](Rows<const double> x, std::span<double> log_density) {
      if (x.count == 32 && ++*asked > 1) // the second look at the walkers
        log_density[0] += off;
    };
    if (density.values)
      density.values = [values = density.values, shift](Rows<const double> x,
                                                        std::span<double> log_density) {
        values(x, log_density), shift(x, log_density);
      };
    density.all = [all = density.all, shift](Rows<const double> x, Rows<double> score,
                                             std::span<double> log_density) {
      all(x, score, log_density), shift(x, log_density);
    };
    Settings settings = small();
    settings.guide_error = 10;
    settings.settle_rounds = 0;
    Group group(stages::guide_by(density, settings), settings);
    group.take(1'000'000);
    EXPECT_TRUE(group.rows_report().guide_decides);
    const double lack = group.rows_report().error;
    EXPECT_EQ(std::isfinite(lack), std::isfinite(off));
    EXPECT_EQ(lack > 1, off == 30); // 30 / sqrt(32)
    for (const judge::Displacement& one :
         group.certificate()->all) // one error is the lack of a mean, twice that of a variance
      EXPECT_EQ(one.se > (one.trait == judge::Trait::square ? 2 : 1) * (off == 0  ? 1
                                                                        : off > 0 ? lack
                                                                                  : .5),
                off != 0);
    if (off != 0) {
      EXPECT_EQ(group.certificate()->finding, judge::Finding::undecided);
    }
  }
}

TEST(GroupOverRows, IsGuidedByFewerRowsWhereTheyAreQuiet) {
  Threads threads;
  const RowDensity density = density_of(threads);
  std::uint64_t visits[2]{};
  for (const bool quiet : {false, true}) {
    Settings settings = small();
    settings.guide_error = quiet ? 10 : 1e-6; // what is enough
    settings.settle_rounds = 0;
    Group group(stages::guide_by(density, settings), settings);
    while (group.stage() != index_of<stages::Certify>)
      group.take(1);
    group.take(1); // tunes 64 walkers by the guide, and asks all rows about 32 or about 96
    visits[quiet] =
        group.rows_report().read[index_of<stages::Certify>].visits - (quiet ? 32 : 96) * rows;
  }
  EXPECT_NEAR(double(visits[0]) / double(visits[1]), 10,
              3); // 1000 rows, 100 rows; strides are tuned apart
}

TEST(GroupOverRows, CountsWhatItReads) {
  Threads threads;
  Settings settings = small();
  settings.guide_error = 0; // all rows decide
  settings.certify_moves = 4;
  settings.settle_rounds = 0;
  Group group(stages::guide_by(density_of(threads), settings), settings);
  group.take(1'000'000);
  ASSERT_TRUE(group.over_rows());
  const auto read = group.rows_report().read;
  const auto fly = read[index_of<stages::Fly>], certify = read[index_of<stages::Certify>];
  EXPECT_EQ(fly.reads, settings.steps * 100 + 1000); // and the guide's, at the end
  EXPECT_EQ(fly.visits, settings.steps * 100 * (128 + 1) + 1000 * (128 + 1));
  EXPECT_GE(certify.reads, 5 * rows); // where they begin, and four moves
  EXPECT_EQ(group.gradients()[index_of<stages::Fly>], (fly.visits + rows - 1) / rows);
  EXPECT_GT(group.rows_report().noise, 0);
  EXPECT_LT(group.rows_report().noise, 1);
}

TEST(GroupOverRows, IsTheSameForAnyNumberOfThreads) {
  std::vector<double> first;
  for (const std::size_t count : {1, 3}) {
    Threads threads(count);
    Group group(stages::guide_by(density_of(threads), small()), small(), threads);
    group.take(1'000'000);
    if (first.empty())
      first = numbers(group);
    EXPECT_EQ(first, numbers(group));
  }
}

TEST(GroupOverRows, GoesOnBitForBit) {
  Threads threads;
  const RowDensity density = density_of(threads);
  Settings settings = small();
  settings.settle_always = true;
  settings.settle_rounds = 1;
  settings.first_round = 8;
  settings.polish_steps = 4;
  Group whole(stages::guide_by(density, settings), settings);
  std::vector<std::string> states;
  while (!whole.finished()) {
    states.push_back(stage_tests::saved(whole));
    whole.take(1);
  }
  EXPECT_TRUE(whole.state().settled);
  // After the scout, in the flight, at its end, and every third unit of what follows.
  for (std::size_t at = 1; at < states.size(); at += at < 120 ? 60 : 12) {
    Group rest(stages::guide_by(density, settings), settings);
    stage_tests::restore(rest, states[at]);
    rest.take(1'000'000);
    ASSERT_EQ(numbers(rest), numbers(whole)) << at;
    EXPECT_EQ(rest.gradients(), whole.gradients()) << at;
    EXPECT_EQ(rest.rows_report().read[1].reads, whole.rows_report().read[1].reads);
    ASSERT_EQ(rest.certificate()->all.size(), whole.certificate()->all.size());
    EXPECT_EQ(rest.certificate()->worst.error, whole.certificate()->worst.error);
  }
}

} // namespace
