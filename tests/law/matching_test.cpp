// The matching of pairs: over all rounds of its tournament every two meet equally often, and Lemma
// 1 holds exactly; the same checks reject neighbours that are always paired.
#include <starling/deal/matching.hpp>
#include <starling/drift/reference.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/random/start.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <vector>

namespace starling {
namespace {

/// Every outcome of one deal, all equally likely.
using Outcomes = std::function<void(std::size_t n, const std::function<void(const Batches&)>&)>;

void all_rounds(std::size_t n, const std::function<void(const Batches&)>& visit) {
  Batches batches;
  const std::uint32_t rounds = MatchingOrder::rounds(n), joins = n % 2 ? rounds / 2 : 1;
  for (std::uint32_t c = 0; c < rounds; ++c)
    for (std::uint32_t joined = 0; joined < joins; ++joined) {
      Order(MatchingOrder{static_cast<std::uint32_t>(n), c, joined})
          .write(batches, Threads::alone());
      visit(batches);
    }
}

/// 0 with 1, 2 with 3, ..., or shifted by one: never anyone else.
void neighbours(std::size_t n, const std::function<void(const Batches&)>& visit) {
  Batches batches;
  batches.population = n;
  for (std::uint32_t shift : {0u, 1u}) {
    const auto order = batches.lay_out(n, n / 2);
    std::rotate(order.begin(), order.begin() + shift, order.end());
    visit(batches);
  }
}

/// The largest deviation of E Phi_i from the full drift over all outcomes.
double bias(std::size_t n, const Outcomes& outcomes) {
  Ensemble<double> particles(n, 2);
  start_normal(particles.position(), 5, 0, 1);
  start_normal(particles.score(), 6, 0, 1);
  ReferenceDrift<double, kernel::Gaussian<double>> drift(kernel::Gaussian<double>(0.7));
  std::vector<double> mean(2 * n), full;
  double count = 0;
  outcomes(n, [&](const Batches& batches) {
    drift(0, particles, batches);
    ++count;
    for (std::size_t a = 0; a < 2 * n; ++a)
      mean[a] += particles.drift().data[a];
  });
  Batches whole;
  whole.population = n;
  whole.lay_out(n, 1);
  drift(0, particles, whole);
  double worst = 0;
  for (std::size_t a = 0; a < 2 * n; ++a)
    worst = std::max(worst, std::abs(mean[a] / count - particles.drift().data[a]));
  return worst;
}

/// How often any two are in one batch, most over least.
std::pair<double, double> meetings(std::size_t n, const Outcomes& outcomes) {
  std::vector<double> met(n * n);
  double count = 0;
  outcomes(n, [&](const Batches& batches) {
    ++count;
    for (std::size_t q = 0; q < batches.count(); ++q)
      for (const std::uint32_t i : batches[q])
        for (const std::uint32_t j : batches[q])
          met[i * n + j] += i != j;
  });
  double least = INFINITY, most = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      least = std::min(least, met[i * n + j] / count);
      most = std::max(most, met[i * n + j] / count);
    }
  return {least, most};
}

TEST(Matching, PutsEveryParticleInExactlyOneBatchOfTwoOrOneOfThree) {
  for (std::size_t n = 2; n <= 41; ++n)
    all_rounds(n, [&](const Batches& batches) {
      std::set<std::uint32_t> seen(batches.order().begin(), batches.order().end());
      ASSERT_EQ(seen.size(), n);
      ASSERT_EQ(*seen.rbegin(), n - 1);
      for (std::size_t q = 0; q < batches.count(); ++q)
        ASSERT_EQ(batches[q].size(), n % 2 && q == 0 ? 3u : 2u) << "N " << n;
    });
}

// Above 2^31 rows the sum of two of them needs more than 32 bits.
TEST(Matching, PairsRowsRightUpToTheLastNumberThereIs) {
  for (const std::uint64_t n :
       {std::uint64_t{1} << 31, (std::uint64_t{1} << 31) + 2, (std::uint64_t{1} << 32) - 2,
        (std::uint64_t{1} << 31) + 1, (std::uint64_t{1} << 32) - 1}) {
    const std::uint64_t cycle = n % 2 ? n : n - 1;
    ASSERT_EQ(MatchingOrder::rounds(n), cycle);
    for (const std::uint64_t c : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, cycle / 2,
                                  cycle / 2 + 1, cycle - 2, cycle - 1}) {
      const MatchingOrder order{std::uint32_t(n), std::uint32_t(c), 0};
      const std::uint32_t odd = n % 2;
      const auto of = [&](std::uint64_t i) { // who stands beside it
        const std::uint32_t place = order.place(std::uint32_t(i)) - odd;
        EXPECT_EQ(order.row(place + odd), i) << n << ", round " << c;
        return std::uint64_t{order.row((place ^ 1) + odd)};
      };
      const std::uint64_t alone = MatchingOrder::left_over(std::uint32_t(c), n);
      EXPECT_EQ(2 * alone % cycle, c) << n;
      EXPECT_LT(alone, cycle) << n;
      if (n % 2)
        EXPECT_EQ(order.row(0), alone) << n << ", round " << c;
      else
        EXPECT_EQ(of(alone), cycle) << n << ", round " << c;
      for (const std::uint64_t i : {std::uint64_t{0}, std::uint64_t{1}, c, c + 1, cycle / 2,
                                    (std::uint64_t{1} << 31) + 5, cycle - 1}) {
        if (i >= cycle || i == alone)
          continue;
        EXPECT_LT(of(i), cycle) << n << ", round " << c << ", row " << i;
        EXPECT_EQ((i + of(i)) % cycle, c) << n << ", round " << c << ", row " << i;
        EXPECT_EQ(of(of(i)), i) << n << ", round " << c << ", row " << i;
      }
      if (n % 2 == 0) {
        EXPECT_EQ(of(n - 1), alone) << n << ", round " << c;
      }
    }
  }
}

TEST(Matching, LetsAnyTwoMeetWithTheSameProbability) {
  for (const std::size_t n : {2u, 4u, 6u, 10u, 32u}) {
    const auto [least, most] = meetings(n, all_rounds);
    EXPECT_NEAR(least, 1.0 / double(n - 1), 1e-12) << n;
    EXPECT_NEAR(most, 1.0 / double(n - 1), 1e-12) << n;
  }
  for (const std::size_t n : {3u, 5u, 7u, 21u}) {
    const auto [least, most] = meetings(n, all_rounds);
    EXPECT_NEAR(least, most, 1e-12) << n;
  }
}

TEST(Matching, IsUnbiasedAsLemma1Says) {
  for (const std::size_t n : {2u, 3u, 6u, 7u, 12u, 13u})
    EXPECT_LT(bias(n, all_rounds), 1e-13) << n;
}

TEST(Matching, IsToldApartFromNeighboursThatAreAlwaysPaired) {
  EXPECT_GT(bias(6, neighbours), 0.01);
  const auto [least, most] = meetings(6, neighbours);
  EXPECT_EQ(least, 0.0);
  EXPECT_EQ(most, 0.5);
}

TEST(Matching, DrawsItsRoundsUniformly) {
  Matching matching(3);
  constexpr std::size_t n = 8, steps = 7000; // 7 rounds, 1000 of each expected
  double count[7] = {};
  for (Step k = 0; k < steps; ++k) {
    const Batches& batches = matching.deal(k, n);
    for (std::size_t q = 0; q < batches.count(); ++q)
      if (batches[q][1] == 7)
        ++count[batches[q][0]]; // whom the last row meets tells the round
  }
  for (const double c : count) // binomial: sd of sqrt(7000 / 7 * 6 / 7) = 29.3; 4 of them
    EXPECT_NEAR(c, 1000, 4 * 29.3);
}

// With the odd one in the batch of three is a pair drawn anew: else some rows would be in it more
// often than others.
TEST(Matching, DrawsWhomTheOddOneJoinsUniformly) {
  Matching matching(3);
  constexpr std::size_t n = 9,
                        steps = 9000; // each is one of three out of nine: 3000 times expected
  double count[n] = {};
  for (Step k = 0; k < steps; ++k)
    for (const std::uint32_t row : matching.deal(k, n)[0])
      ++count[row];
  for (const double c : count) // binomial: sd of sqrt(9000 / 3 * 2 / 3) = 44.7; 4 of them
    EXPECT_NEAR(c, 3000, 4 * 44.7);
}

TEST(Matching, LetsRowsTravelWithEverythingThatIsTheirs) {
  Ensemble<double> particles(9, 2);
  start_normal(particles.position(), 1, 0, 1);
  particles.remember(1);
  for (std::size_t i = 0; i < 9; ++i) {
    particles.memory(0)[i][1] = particles.position()[i][0];
    particles.moves()[i] = static_cast<std::uint32_t>(i);
  }
  const Ensemble<double> before = particles;
  Matching matching(4, 10);
  matching(9, particles);
  EXPECT_TRUE(std::ranges::equal(particles.id(), before.id()));
  matching(10, particles);
  EXPECT_FALSE(std::ranges::equal(particles.id(), before.id()));
  for (std::size_t i = 0; i < 9; ++i) {
    const auto who = particles.id()[i];
    EXPECT_EQ(particles.position()[i][1], before.position()[who][1]);
    EXPECT_EQ(particles.memory(0)[i][1], before.position()[who][0]);
    EXPECT_EQ(particles.moves()[i], who);
  }
}

} // namespace
} // namespace starling
