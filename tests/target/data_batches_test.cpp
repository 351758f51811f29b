// Data mini-batches: every row once per pass, by step alone, in a new order each time.
#include <starling/target/data_batches.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace {

using starling::DataBatches;
using starling::Step;

std::vector<std::uint32_t> rows_of(DataBatches& batches, Step k) {
  const auto span = batches(k);
  return {span.begin(), span.end()};
}

std::vector<std::uint32_t> pass(DataBatches& batches, Step number) {
  std::vector<std::uint32_t> order;
  for (Step k = 0; k < batches.steps_per_pass(); ++k) {
    const auto part = rows_of(batches, number * batches.steps_per_pass() + k);
    order.insert(order.end(), part.begin(), part.end());
  }
  return order;
}

TEST(DataBatches, VisitEveryRowOnceInEachPass) {
  for (const std::size_t n : {1u, 5u, 24u, 101u})
    for (const std::size_t b : {std::size_t(1), std::size_t(4), std::size_t(7), n}) {
      if (b > n)
        continue;
      DataBatches batches(3, n, b);
      for (const Step number : {0u, 1u, 5u}) {
        auto order = pass(batches, number);
        std::sort(order.begin(), order.end());
        ASSERT_EQ(order.size(), n);
        for (std::size_t r = 0; r < n; ++r)
          ASSERT_EQ(order[r], r) << n << " rows by " << b << ", pass " << number;
      }
    }
}

TEST(DataBatches, HaveTheSizeAskedForExceptTheLastOfAPass) {
  DataBatches batches(3, 24, 7);
  EXPECT_EQ(batches.steps_per_pass(), 4u);
  for (const Step first : {0u, 4u}) {
    EXPECT_EQ(rows_of(batches, first).size(), 7u);
    EXPECT_EQ(rows_of(batches, first + 2).size(), 7u);
    EXPECT_EQ(rows_of(batches, first + 3).size(), 3u);
  }
}

TEST(DataBatches, AreAFunctionOfTheStepAlone) {
  DataBatches forwards(3, 50, 8), jumping(3, 50, 8);
  std::vector<std::vector<std::uint32_t>> seen;
  for (Step k = 0; k < 30; ++k)
    seen.push_back(rows_of(forwards, k));
  for (const Step k : {29u, 0u, 13u, 7u, 6u, 28u, 1u})
    EXPECT_EQ(rows_of(jumping, k), seen[k]) << "step " << k;
}

TEST(DataBatches, ComeInANewOrderInEveryPassAndForEverySeed) {
  DataBatches batches(3, 50, 8), other(4, 50, 8);
  std::set<std::vector<std::uint32_t>> orders;
  for (const Step number : {0u, 1u, 2u, 3u})
    orders.insert(pass(batches, number));
  orders.insert(pass(other, 0));
  EXPECT_EQ(orders.size(), 5u);
}

} // namespace
