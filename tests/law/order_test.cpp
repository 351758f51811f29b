// An order is one-to-one: place(row) takes back row(place), and what is written down in one go, by
// any threads, is what each place says for itself.
#include <starling/deal/cosets.hpp>
#include <starling/deal/matching.hpp>
#include <starling/deal/moebius.hpp>
#include <starling/deal/orders.hpp>
#include <starling/deal/shuffle.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace starling {
namespace {

/// The order of all places, one by one.
std::vector<std::uint32_t> rows_of(const Order& order) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t place = 0; place < order.count; ++place)
    rows.push_back(order.row(place));
  return rows;
}

void expect_one_to_one(const Order& order) {
  std::vector<bool> seen(order.count);
  for (std::uint32_t place = 0; place < order.count; ++place) {
    const std::uint32_t row = order.row(place);
    ASSERT_LT(row, order.count);
    ASSERT_FALSE(seen[row]) << "row " << row << " of " << order.count;
    seen[row] = true;
    ASSERT_EQ(order.place(row), place) << "row " << row << " of " << order.count;
    const std::uint32_t batch = order.batch_of(place);
    ASSERT_TRUE(order.begin(batch) <= place && place < order.begin(batch) + order.size(batch));
  }
}

void expect_filled(const Order& order, std::uint32_t cuts) {
  const std::vector<std::uint32_t> rows = rows_of(order);
  Batches batches;
  order.write(batches, Threads::alone());
  ASSERT_EQ(std::vector(batches.order().begin(), batches.order().end()), rows);
  for (std::uint32_t batch = 0; batch <= order.pieces; ++batch)
    ASSERT_EQ(batches.bounds()[batch], order.begin(batch));
  for (std::uint32_t cut = 1; cut <= cuts; ++cut) { // in two parts
    const std::uint32_t middle = order.pieces * cut / (cuts + 1);
    std::vector<std::uint32_t> found(order.count, 7);
    order.fill(0, middle, found.data());
    order.fill(middle, order.pieces, found.data() + order.begin(middle));
    ASSERT_EQ(found, rows) << order.count << " rows, cut at batch " << middle;
  }
}

void expect_right(const Order& order) {
  expect_one_to_one(order);
  expect_filled(order, 4);
}

TEST(Order, OfEveryRoundOfAMatchingIsOneToOne) {
  for (std::uint32_t n = 2; n <= 41; ++n) {
    const std::uint32_t rounds = MatchingOrder::rounds(n), joins = n % 2 ? rounds / 2 : 1;
    for (std::uint32_t c = 0; c < rounds; ++c)
      for (std::uint32_t joined = 0; joined < joins; ++joined)
        expect_right(MatchingOrder{n, c, joined});
  }
}

TEST(Order, OfAMoebiusMapIsOneToOneAndItsInverseIsAMap) {
  for (std::uint32_t n = 3; n <= 41; ++n) {
    MoebiusTable table;
    table.prepare(n);
    const std::uint32_t q = table.prime();
    for (const std::uint32_t a : {0u, 1u, q / 2, q - 1})
      for (const std::uint32_t b : {1u, q / 2 + 1, q - 1})
        for (std::uint32_t c = 0; c <= q; ++c)
          if (a < q && b < q)
            for (const std::uint32_t way : {0u, 1u, 5u}) {
              const auto place_for = [&](std::uint32_t row) { return way * c % (row + 1); };
              expect_right({table.order({q, a, b, c}, place_for), n, Batches::pieces(n, 3)});
            }
  }
}

TEST(Order, OfEverySubspaceIsOneToOne) {
  for (std::uint32_t bits = 1; bits <= 5; ++bits)
    for (std::uint32_t v = 1; v < 1u << bits; ++v)
      for (std::uint32_t w = 1; w < 1u << bits; ++w)
        for (const std::uint32_t u : {1u, 3u & ((1u << bits) - 1), (1u << bits) - 1}) {
          CosetsOrder space;
          for (const std::uint32_t one : {v, w, u}) {
            space.join(one);
            expect_right({space, std::size_t{1} << bits});
          }
        }
}

TEST(Order, OfEveryDealerIsOneToOne) {
  for (std::size_t n = 2; n <= 41; ++n)
    for (Step k = 0; k < 20; ++k) {
      Matching matching(3);
      expect_right(matching.order(k, n));
      for (const std::size_t p : {2u, 3u, 8u})
        if (p <= n) {
          Moebius moebius(3, p);
          Shuffle shuffle(3, p);
          expect_right(moebius.order(k, n));
          expect_right(shuffle.order(k, n));
        }
    }
  for (const std::size_t n : {8u, 64u, 1024u})
    for (const std::size_t p : {2u, 4u, 8u})
      expect_right(Cosets(4, p).order(1, n));
}

TEST(Order, OfManyRowsIsOneToOne) { // between 1327 and 1361 there are no primes
  for (const std::size_t n : {1361u, 65537u, 100003u}) {
    Moebius moebius(9, 8);
    expect_right(moebius.order(2, n));
    expect_right(Matching(9).order(2, n));
  }
}

// The quotient by q is estimated: only from some 65,000 rows on it is ever too small, and only with
// a large shift that shows.
TEST(Order, OfAMoebiusMapIsReducedAlsoWhereTheQuotientIsEstimatedTooSmall) {
  constexpr std::uint32_t q = 2147483647; // 2^31 - 1, a prime
  const Philox philox(5);
  for (std::uint32_t i = 0; i < 2000; ++i) {
    const Block bits = philox(Stream::user, 0, i);
    const std::uint32_t a = q - 1 - bits[0] % 1000, b = 1 + bits[1] % (q - 1), x = bits[2] % q;
    const std::uint64_t right = (a + std::uint64_t{b} * x) % q; // at most 2^62 + 2^31
    ASSERT_EQ(MoebiusMap(q, a, b, q)(x, nullptr), right) << a << " " << b << " " << x;
  }
}

TEST(Order, OfAMoebiusMapWithALargeShiftIsOneToOne) {
  const std::uint32_t q = MoebiusMap::prime_below(1 << 20);
  MoebiusTable table;
  table.prepare(q + 1);
  for (const std::uint32_t c : {std::uint32_t{12345}, q})
    expect_right({table.order({q, q - 1, 123457, c}, [](std::uint32_t row) { return row; }),
                  q + std::size_t{1}, q / 8});
}

TEST(Order, WritesTheSameOnAnyThreads) {
  Threads three(3);
  Batches one, many;
  Moebius moebius(9, BatchSize::doubling(2, 3));
  for (const Order& order : {moebius.order(4, 100001), Matching(9).order(4, 100001),
                             Cosets(9, 4).order(4, 1 << 17), Order(100001, 7)}) {
    order.write(one, Threads::alone());
    order.write(many, three);
    EXPECT_TRUE(std::ranges::equal(one.order(), many.order()));
  }
}

TEST(Order, IsAValueThatMayBeCopiedByteByByte) {
  Moebius moebius(9, 8);
  const Order order = moebius.order(3, 1000);
  Order copy;
  std::memcpy(static_cast<void*>(&copy), &order, sizeof order);
  EXPECT_EQ(rows_of(copy), rows_of(order));
}

TEST(Orders, AreTheDealersAndKnowWhenRowsTravel) {
  const Orders orders(Moebius(9, 8), 1000);
  Moebius moebius(9, 8);
  const Batches& batches = moebius.deal(5, 1000);
  EXPECT_EQ(rows_of(orders(5)), std::vector(batches.order().begin(), batches.order().end()));
  EXPECT_NE(rows_of(Orders(Moebius(10, 8), 1000)(5)),
            rows_of(orders(5))); // the comparison can fail
  EXPECT_TRUE(orders.travel().due(64, 1000));
  EXPECT_FALSE(orders.travel().due(65, 1000) || orders.travel().due(0, 1000));
  EXPECT_FALSE(Orders(Shuffle(9, 8), 1000).travel().due(64, 1000));
  EXPECT_EQ(Orders::everyone(5)(0).pieces, 1u);
}

} // namespace
} // namespace starling
