// A run in stages over ranks: its bits, and how evenly rows are shared out.
#include "assemble/flight.hpp"
#include "mpi/ranks_as_threads.hpp"
#include "mpi/shared_target.hpp"
#include "plan/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace starling {
namespace {

/// A run in stages: one mode, several, and more particles than fly.
TEST(Ranks, GoInStagesWithTheBitsOfOneProcess) {
  for (const auto& [target, particles] :
       {std::pair("banana", 60), std::pair("mixture", 60), std::pair("normal", 300)})
    for (const std::uint64_t blocks : {8, 64}) {
      SCOPED_TRACE(target);
      plan::Recipe r;
      r.target = target;
      r.particles = std::uint64_t(particles);
      r.threads = 1;
      r.blocks = blocks;
      const auto draws = [&](const std::shared_ptr<mpi::Wire>& wire) {
        const auto flight = assemble::make_flight(plan::resolve(r), 0, nullptr, {}, wire);
        while (!flight->over())
          flight->take(1000, {});
        return flight->outcome(true);
      };
      const run::Outcome one = draws(nullptr);
      for (const std::size_t ranks : {1, 2, 3, 4})
        mpi::on_ranks(ranks, [&](const std::shared_ptr<mpi::Wire>& wire) {
          const run::Outcome all = draws(wire);
          EXPECT_EQ(all.positions, one.positions) << ranks;
          EXPECT_EQ(all.log_density, one.log_density) << ranks;
          EXPECT_EQ(all.diagnosis.judgement.verdict, one.diagnosis.judgement.verdict) << ranks;
        });
    }
}

/// Rows of a target that treats each by itself need no whole blocks: none has more than its share.
TEST(Ranks, ShareOutRowsEvenlyWhereEachIsAlone) {
  for (const bool alone : {true, false}) {
    std::vector<std::size_t> most(3);
    mpi::on_ranks(3, [&](const std::shared_ptr<mpi::Wire>& wire) {
      run::AnyTarget<double> target;
      target.dim = 1;
      target.each_row_alone = alone;
      std::size_t rows = 0;
      target.evaluate = [&](Rows<const double> x, Rows<double> s, std::span<double> l) {
        rows += x.count;
        std::ranges::copy(x, s.begin());
        std::ranges::fill(l, 0.0);
      };
      const auto shared = mpi::shared_target<double>(target, wire, 8);
      std::vector<double> x(96), s(96), l(96);
      std::iota(x.begin(), x.end(), 0.0);
      shared.evaluate({x.data(), 96, 1}, {s.data(), 96, 1}, l);
      EXPECT_EQ(s, x);
      most[wire->rank()] = rows;
    });
    // 8 blocks of 12: the last rank has three of them
    EXPECT_EQ(std::ranges::max(most), alone ? 32u : 36u);
  }
}

} // namespace
} // namespace starling
