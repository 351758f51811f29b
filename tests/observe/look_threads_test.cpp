// What looks and ends of a run measure on all threads: the same bits for any number of them, and of
// their slow twins.
#include <starling/deal/matching.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/judge/summary.hpp>
#include <starling/observe/balance.hpp>
#include <starling/observe/stein.hpp>
#include <starling/random/start.hpp>
#include <starling/run/lookout.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace starling {
namespace {

struct Scattered {
  Scattered(std::size_t count, std::size_t dim, double shift = 0.1)
      : position(count * dim), slope(count * dim) {
    x = {position.data(), count, dim};
    s = {slope.data(), count, dim};
    start_normal(Rows<double>{position.data(), count, dim}, 3, shift, 1.2);
    for (std::size_t n = 0; n < slope.size(); ++n)
      slope[n] = -position[n];
  }
  std::vector<double> position, slope;
  Rows<const double> x, s;
};

/// As the formulas say it, one sum after another.
Balance plain_balance(const Scattered& cloud, std::size_t a) {
  Balance one;
  const auto n = static_cast<double>(cloud.x.count);
  double score_squares = 0, product_squares = 0;
  for (std::size_t i = 0; i < cloud.x.count; ++i)
    one.mean += cloud.x[i][a];
  one.mean /= n;
  for (std::size_t i = 0; i < cloud.x.count; ++i) {
    const double off = cloud.x[i][a] - one.mean, s = cloud.s[i][a], product = -off * s;
    one.sd += off * off;
    one.mean_score += s;
    score_squares += s * s;
    one.spread += product;
    product_squares += product * product;
  }
  one.sd = std::sqrt(one.sd / n);
  one.mean_score /= n;
  one.spread /= n;
  one.shift = one.mean_score * one.sd;
  one.shift_se =
      std::sqrt(score_squares / n - one.mean_score * one.mean_score) * one.sd / std::sqrt(n);
  one.spread_se = std::sqrt(product_squares / n - one.spread * one.spread) / std::sqrt(n);
  return one;
}

std::vector<double> figures(const Balance& b) {
  return {b.mean, b.sd, b.mean_score, b.shift, b.shift_se, b.spread, b.spread_se};
}

TEST(Balance, IsBitForBitThePlainSumsInOneBlockOfRows) {
  for (const auto& [count, dim] : {std::pair<std::size_t, std::size_t>{1000, 2},
                                   {40, balance_columns + 3},
                                   {balance_rows, 1}}) {
    const Scattered cloud(count, dim);
    Threads crew(3);
    const auto all = balance(cloud.x, cloud.s, crew);
    for (std::size_t a = 0; a < dim; a += 1 + dim / 7)
      EXPECT_EQ(figures(all[a]), figures(plain_balance(cloud, a)))
          << count << " x " << dim << ", " << a;
  }
}

TEST(Balance, OfManyRowsIsTheSameForAnyNumberOfThreads) {
  const Scattered cloud(2 * balance_rows + 77, 3);
  Threads two(2), seven(7);
  const auto alone = balance(cloud.x, cloud.s), pair = balance(cloud.x, cloud.s, two),
             many = balance(cloud.x, cloud.s, seven);
  for (std::size_t a = 0; a < 3; ++a) {
    EXPECT_EQ(figures(alone[a]), figures(pair[a]));
    EXPECT_EQ(figures(alone[a]), figures(many[a]));
    const auto plain = figures(plain_balance(cloud, a)), here = figures(alone[a]);
    for (std::size_t f = 0; f < plain.size(); ++f)
      EXPECT_NEAR(here[f], plain[f], 1e-11 * std::abs(plain[f]) + 1e-14) << f;
  }
}

TEST(SteinDiscrepancy, IsTheSameForAnyNumberOfThreads) {
  for (const std::size_t dim : {std::size_t{2}, stein_long + 3}) {
    const Scattered cloud(dim == 2 ? 9000 : 12, dim);
    Shuffle deal(3, dim == 2 ? 8 : 4);
    const Batches& batches = deal.deal(0, cloud.x.count);
    Threads three(3);
    const auto one = stein_discrepancy(cloud.x, cloud.s, batches, 20000);
    const auto many = stein_discrepancy(cloud.x, cloud.s, batches, 20000, three);
    EXPECT_EQ(one.multiquadric.value, many.multiquadric.value);
    EXPECT_EQ(one.gaussian.se, many.gaussian.se);
  }
}

TEST(SteinPair, OfLongRowsIsThatOfTheirParts) {
  const std::size_t dim = stein_long + 7;
  const Scattered cloud(2, dim);
  double r2 = 0, across = 0, both = 0;
  for (std::size_t a = 0; a < dim; ++a) {
    const double delta = cloud.x[0][a] - cloud.x[1][a];
    r2 += delta * delta;
    across += (cloud.s[0][a] - cloud.s[1][a]) * delta;
    both += cloud.s[0][a] * cloud.s[1][a];
  }
  const SteinPair pair = stein_pair(cloud.x, cloud.s, 0, 1);
  EXPECT_NEAR(pair.r2, r2, 1e-12 * r2);
  EXPECT_NEAR(pair.across, across, 1e-12 * std::abs(across));
  EXPECT_NEAR(pair.both, both, 1e-9);
}

/// A look at a cloud of that many in pairs, on a crew of that many; nothing drifts.
judge::TraceRow look_at(std::size_t count, std::size_t threads, double shift) {
  Ensemble<double> particles(count, 2);
  start_normal(particles, 5, shift, 1);
  for (std::size_t n = 0; n < 2 * count; ++n)
    particles.score().data[n] = particles.drift().data[n] = -particles.position().data[n];
  Matching deal(1);
  const Batches& batches = deal(3, particles);
  Threads crew(threads);
  const run::Lookout<double> lookout(1, false, {"a", "b"}, crew);
  std::vector<judge::TraceRow> trace;
  lookout.look(
      3, particles, batches, [](Step, Ensemble<double>&, const Batches&) {}, 0, trace);
  return trace.back();
}

TEST(Lookout, SeesSomeOfALargeCloudAndTheSameOnesForAnyNumberOfThreads) {
  const std::size_t many = 4 * run::LookSize::seen + 5;
  const judge::TraceRow one = look_at(many, 1, 0.5), three = look_at(many, 3, 0.5);
  EXPECT_EQ(one.centre, three.centre);
  EXPECT_EQ(one.spread, three.spread);
  EXPECT_EQ(one.score, three.score);
  EXPECT_EQ(one.drift, three.drift);
  EXPECT_EQ(one.ksd, three.ksd);
  EXPECT_EQ(one.least_identity, three.least_identity);
  // sums of two means over sqrt 2: the error bar of a hundredth that is promised, four of them
  const double se = 1 / std::sqrt(static_cast<double>(run::LookSize::seen));
  EXPECT_NEAR(one.centre, 0.5 * std::sqrt(2.0), 4 * se);
  EXPECT_NEAR(one.spread, 1, 4 * se);
  EXPECT_GT(std::abs(look_at(many, 1, 0.6).centre - one.centre),
            4 * se); // a cloud elsewhere is told apart
}

TEST(LookSize, IsThatOfEveryoneInASmallCloudAndStaysThereInALargeOne) {
  using run::LookSize;
  const LookSize small = LookSize::of(LookSize::everyone, 2, 2),
                 large = LookSize::of(1000000, 2, 2);
  EXPECT_EQ(small.rows, LookSize::everyone);
  EXPECT_EQ(small.dealt_anew, LookSize::everyone);
  EXPECT_EQ(large.pairs, small.pairs);
  EXPECT_EQ(large.dealt_anew, small.dealt_anew);
  EXPECT_EQ(large.rows, LookSize::seen);
  EXPECT_EQ(LookSize::of(64, 1000000, 4).pairs, 8u); // rows that are long count for many pairs
}

TEST(LookEvery, LooksAsOftenAsEverWhereNobodyWaitsForIt) {
  for (const Step total : {Step{1}, Step{30}, Step{500}, Step{1000}, Step{100000}})
    EXPECT_EQ(run::look_every(total, 100, 2),
              std::max(std::clamp<Step>(total / 25, 1, 20), total / 100))
        << total;
}

TEST(LookEvery, SpacesLooksByTheirCost) {
  EXPECT_GT(run::look_every(40, 100000, 10), 1u); // a look costs a fifth of a step
  EXPECT_GT(run::look_every(1000, run::LookSize::everyone, 2), 20u);
  EXPECT_EQ(run::look_every(40, 10000000, 2), 1u); // and here next to nothing
}

TEST(Summary, OfManyValuesIsThatOfSortedOnes) {
  for (const std::size_t count : {std::size_t{4095}, std::size_t{4096}, std::size_t{10007}}) {
    std::vector<double> values(count);
    start_normal(Rows<double>{values.data(), count, 1}, 9, 0, 1);
    values[5] = values[7]; // and two alike
    std::vector<double> sorted = values;
    const judge::ParameterSummary found = judge::summarize("x", std::move(values));
    std::ranges::sort(sorted);
    const auto at = [&](double q) {
      const double place = q * static_cast<double>(count - 1);
      const auto below = static_cast<std::size_t>(place);
      return sorted[below] +
             (place - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
    };
    EXPECT_EQ(found.q05, at(0.05));
    EXPECT_EQ(found.q50, at(0.5));
    EXPECT_EQ(found.q95, at(0.95));
    std::ranges::sort(sorted, std::greater(), [&](double v) { return std::abs(v - found.mean); });
    double outer = 0, all = 0;
    for (std::size_t n = 0; n < count; ++n)
      (n < (count + 99) / 100 ? outer : all) += (sorted[n] - found.mean) * (sorted[n] - found.mean);
    EXPECT_NEAR(found.outer_share, outer / (outer + all), 1e-12);
  }
}

TEST(Start, IsTheSameOnAnyNumberOfThreads) {
  for (const std::size_t dim : {1u, 2u, 5u}) {
    std::vector<double> one(7001 * dim), many(7001 * dim), box(7001 * dim), boxes(7001 * dim);
    const auto rows = [&](std::vector<double>& of) { return Rows<double>{of.data(), 7001, dim}; };
    Threads three(3);
    start_normal(rows(one), 3, 1, 2);
    start_normal(rows(many), 3, 1, 2, IdIsRow(), three);
    EXPECT_EQ(one, many);
    start_uniform(rows(box), 3, 1, 2);
    start_uniform(rows(boxes), 3, 1, 2, IdIsRow(), three);
    EXPECT_EQ(box, boxes);
    const double last =
        1 + 2 * normal_pair(Philox(3)(Stream::start, (dim - 1) / 2, 7000))[(dim - 1) % 2];
    EXPECT_EQ(one.back(), last);
  }
}

TEST(Matching, IsLaidOutAlikeOnAnyNumberOfThreads) {
  Threads three(3);
  for (const std::size_t n : {std::size_t{70000}, std::size_t{70001}})
    for (const std::uint32_t c : {0u, 1u, 2u, 35001u, 69998u}) {
      Batches shared, alone;
      const Order round(MatchingOrder{static_cast<std::uint32_t>(n), c, 3});
      round.write(shared, three);
      round.write(alone, Threads::alone());
      const auto order = shared.order();
      EXPECT_TRUE(std::ranges::equal(order, alone.order()));
      const std::size_t first = n % 2 ? 9 : 0; // past the batch of three and the pair that it took
      for (std::size_t m = first; m + 1 < n; m += 2)
        ASSERT_EQ(round.row(static_cast<std::uint32_t>(m)), order[m])
            << n << ", round " << c << ", place " << m;
    }
}

TEST(Matching, LetsManyRowsTravelAlikeOnAnyNumberOfThreads) {
  Threads three(3);
  Ensemble<float> one(Matching::many, 1), many(Matching::many, 1);
  Matching alone(4, 64), shared(4, 64, three);
  alone(64, one);
  shared(64, many);
  EXPECT_TRUE(std::ranges::equal(one.id(), many.id()));
  std::vector<std::uint64_t> sorted(one.id().begin(), one.id().end());
  EXPECT_FALSE(std::ranges::is_sorted(sorted));
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < sorted.size(); ++i)
    ASSERT_EQ(sorted[i], i);
}

} // namespace
} // namespace starling
