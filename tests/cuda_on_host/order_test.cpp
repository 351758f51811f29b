// The order that each place computes for itself is the one that the host's dealers lay out, and so
// are its batches.
#include "cuda_on_host/machines.hpp"

#include <gmock/gmock.h>

namespace {

using namespace cuda_tests;
using cuda::Dealing;
using cuda::Order;

std::vector<std::uint32_t> laid_out(const Dealing& dealing, Step k,
                                    std::vector<std::uint32_t>* bounds = nullptr) {
  std::vector<std::uint32_t> lists = {7, 7, 7}; // of other steps
  const Order order = dealing.at(k, lists);
  const cuda::OrderTables tables{dealing.inverse().data(), lists.data()};
  std::vector<std::uint32_t> rows(order.count);
  for (std::uint32_t place = 0; place < order.count; ++place)
    rows[place] = order.row(place, tables);
  if (bounds) {
    bounds->clear();
    for (std::uint32_t batch = 0; batch <= order.pieces; ++batch)
      bounds->push_back(order.begin(batch));
    for (std::uint32_t place = 0; place < order.count; ++place) {
      const std::uint32_t batch = order.batch_of(place);
      EXPECT_TRUE(order.begin(batch) <= place && place < order.begin(batch) + order.size(batch));
    }
  }
  return rows;
}

template <typename Host>
void expect_same(Host& host, const Dealing& dealing, std::size_t n, Step steps) {
  for (Step k = 0; k < steps; ++k) {
    const Batches& batches = host.deal(k, n);
    std::vector<std::uint32_t> bounds;
    ASSERT_EQ(laid_out(dealing, k, &bounds),
              std::vector(batches.order().begin(), batches.order().end()))
        << n << " rows, step " << k;
    ASSERT_THAT(bounds, testing::ElementsAreArray(batches.bounds()));
  }
}

TEST(Order, OfAMatchingIsTheHosts) {
  for (const std::size_t n : {2u, 3u, 4u, 5u, 8u, 9u, 64u, 101u, 256u}) {
    Matching host(3);
    expect_same(host, Dealing(By::matching, 3, BatchSize(2), n), n, 40);
  }
}

TEST(Order, OfAMoebiusMapIsTheHosts) {
  for (const std::size_t n :
       {2u, 3u, 4u, 5u, 6u, 10u, 33u, 128u, 129u, 1000u, 1361u}) // 1327 to 1361: no primes between
    for (const std::size_t p : {2u, 3u, 8u, 64u})
      if (p <= n) {
        Moebius host(9, p);
        expect_same(host, Dealing(By::moebius, 9, BatchSize(p), n), n, 25);
      }
}

TEST(Order, OfAMoebiusMapFollowsABatchThatGrows) {
  Moebius host(9, BatchSize::doubling(2, 3));
  expect_same(host, Dealing(By::moebius, 9, BatchSize::doubling(2, 3), 101), 101, 20);
}

TEST(Order, OfCosetsIsTheHosts) {
  for (const std::size_t n : {2u, 8u, 64u, 1024u})
    for (const std::size_t p : {2u, 4u, 64u})
      if (p <= n) {
        Cosets host(4, p);
        expect_same(host, Dealing(By::cosets, 4, BatchSize(p), n), n, 25);
      }
}

TEST(Order, IsAnotherForAnotherSeed) { // the comparison can fail
  Moebius host(9, 8);
  const Batches& batches = host.deal(1, 1000);
  EXPECT_NE(laid_out(Dealing(By::moebius, 10, BatchSize(8), 1000), 1),
            std::vector(batches.order().begin(), batches.order().end()));
}

/// Rows that travel go where the host's go: ids tell. From Matching::many on they go another way.
TEST(Order, OfRowsThatTravelIsTheHosts) {
  const auto machine = std::make_shared<cuda::OnHost>();
  const auto expect = [&](auto deal, By by, std::size_t n) {
    Ensemble<double> host = start<double>(n, 3);
    cuda::Ensemble<double> there(*machine, n, 3);
    there.upload(host);
    const Dealing dealing(by, 6, BatchSize(2), n);
    for (Step k = 0; k <= 128; k += 64) {
      deal(k, host);
      EXPECT_EQ(dealing.travels(k), k > 0);
      if (k > 0 && dealing.travels_by_list())
        there.reorder(dealing.list(k));
      else if (k > 0)
        there.travel(dealing.scramble(k));
      Ensemble<double> here(n, 3);
      there.download(here);
      EXPECT_EQ(std::vector(here.id().begin(), here.id().end()),
                std::vector(host.id().begin(), host.id().end()));
      EXPECT_EQ(std::vector(here.position().begin(), here.position().end()),
                std::vector(host.position().begin(), host.position().end()));
    }
  };
  expect(Moebius(6, 2), By::moebius, 101);
  for (const std::size_t n : {std::size_t{101}, Matching::many - 1, Matching::many})
    expect(Matching(6), By::matching, n);
}

} // namespace
