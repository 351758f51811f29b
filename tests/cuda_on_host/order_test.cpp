// On a card rows travel where the host's do.
#include "cuda_on_host/machines.hpp"

namespace {

using namespace cuda_tests;

/// Ids tell. From Matching::many on they go another way.
TEST(RowsOfACard, TravelWhereTheHostsDo) {
  const auto machine = std::make_shared<cuda::OnHost>();
  const auto expect = [&](auto deal, std::size_t n) {
    Ensemble<double> host = start<double>(n, 3);
    cuda::Ensemble<double> there(*machine, n, 3);
    there.upload(host);
    const TravelRule rule = deal.travel();
    for (Step k = 0; k <= 128; k += 64) {
      deal(k, host);
      EXPECT_EQ(rule.due(k, n), k > 0);
      if (k > 0 && rule.is_shuffle(n))
        there.reorder(rule.sources(k, n, 0, n));
      else if (k > 0)
        there.travel(rule.scramble(k, n));
      Ensemble<double> here(n, 3);
      there.download(here);
      EXPECT_EQ(std::vector(here.id().begin(), here.id().end()),
                std::vector(host.id().begin(), host.id().end()));
      EXPECT_EQ(std::vector(here.position().begin(), here.position().end()),
                std::vector(host.position().begin(), host.position().end()));
    }
  };
  expect(Moebius(6, 2), 101);
  for (const std::size_t n : {std::size_t{101}, Matching::many - 1, Matching::many})
    expect(Matching(6), n);
}

} // namespace
