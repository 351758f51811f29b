// The end of a run is measured in little more than the run takes: bytes counted by a new of our
// own.
#include "alloc/counted_new.hpp"

#include "run/cloud.hpp"

#include <starling/deal/matching.hpp>

#include <gtest/gtest.h>

#include <cstddef>

namespace starling::run {
namespace {

constexpr std::size_t n = 300000, d = 2, number = sizeof(double);

// Positions, scores and drifts, moves, ids.
constexpr std::size_t columns = n * (3 * d * number + 4 + 8);
// The dealer's order with its pieces, and then positions, scores, log densities, one parameter in
// order. Less while forces are lent: the second cloud's positions, moves and ids, another deal, log
// densities.
constexpr std::size_t beside = n * (8 + 2 * d * number + 2 * number);
constexpr std::size_t of_the_discrepancy = 12'000'000; // 200,000 pairs, of however many particles

// With a second cloud of its own, until the end of the diagnosis, it took half as much again.
TEST(EndOfARun, IsMeasuredOnTheForcesOfItsOwnCloud) {
  const std::size_t before = bytes_now;
  const auto flight = begin(roles(Shuffle(1, 2)), settings(n, 2), drawn(3));
  flight->take(2, {});
  ASSERT_TRUE(flight->over());
  bytes_at_most = bytes_now.load();
  const Outcome o = flight->outcome(true);
  EXPECT_EQ(o.positions.size(), n * d);
  EXPECT_EQ(o.scores.size(), n * d);
  EXPECT_LT(bytes_at_most - before, columns + beside + of_the_discrepancy);
  EXPECT_GT(bytes_at_most - before, columns);
}

// What was lent comes back, though rows have travelled (a matching's do, at step 64).
TEST(EndOfARun, LeavesTheStateAsItWas) {
  const auto flight = begin(roles(Matching(1)), settings(50, 70), drawn(3));
  flight->take(70, {});
  ASSERT_TRUE(flight->over());
  const auto columns_before = flight->save().columns;
  const double drift = flight->drift_size();
  const Outcome once = flight->outcome(true), twice = flight->outcome(true);
  EXPECT_EQ(flight->save().columns, columns_before);
  EXPECT_EQ(flight->drift_size(), drift);
  EXPECT_GT(drift, 0);
  EXPECT_EQ(once.positions, flight->positions());
  EXPECT_EQ(once.scores, flight->scores());
  for (std::size_t v = 0; v < once.scores.size(); ++v)
    EXPECT_EQ(once.scores[v], -once.positions[v]) << v; // of a normal
  EXPECT_EQ(once.scores, twice.scores);
  EXPECT_EQ(once.log_density, twice.log_density);
  EXPECT_EQ(judge::sentence(once.diagnosis.judgement), judge::sentence(twice.diagnosis.judgement));
  EXPECT_EQ(flight->drifts().size(), 100u);
}

} // namespace
} // namespace starling::run
