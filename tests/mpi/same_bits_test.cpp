// A run over ranks has the bits of the run of one process with the same blocks, whatever is dealt,
// summed or stepped.
#include "assemble/flight.hpp"
#include "mpi/ranks_as_threads.hpp"
#include "plan/plan.hpp"

#include <starling/run/lookout.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

namespace starling {
namespace {

plan::Recipe recipe(const std::string& target, std::uint64_t particles, const std::string& batch,
                    Step steps) {
  plan::Recipe r;
  r.target = target;
  r.method = "paper";
  r.particles = particles;
  r.batch = batch;
  r.steps = steps;
  r.threads = 1;
  r.blocks = 8;
  r.seed = 5;
  return r;
}

std::vector<double> alone(const plan::Recipe& r) {
  const auto flight = assemble::make_flight(plan::resolve(r));
  flight->take(flight->total(), {});
  return flight->positions();
}

std::vector<double> over(std::size_t ranks, const plan::Recipe& r, mpi::Memory memory) {
  std::vector<double> found;
  mpi::on_ranks(
      ranks,
      [&](const std::shared_ptr<mpi::Wire>& wire) {
        const auto flight = assemble::make_flight(plan::resolve(r), 0, nullptr, {}, wire);
        flight->take(flight->total(), {});
        const auto all = flight->positions();
        if (wire->first())
          found = all;
      },
      memory);
  return found;
}

void expect_same(const plan::Recipe& r, std::initializer_list<std::size_t> ranks = {2, 3}) {
  const std::vector<double> one = alone(r);
  for (const std::size_t n : ranks)
    for (const mpi::Memory memory : {mpi::Memory::apart, mpi::Memory::shared_memory})
      EXPECT_EQ(over(n, r, memory), one)
          << n << " ranks, " << (memory == mpi::Memory::apart ? "messages" : "memory in common");
}

TEST(Ranks, GiveTheBitsOfOneProcessForEveryDealer) {
  for (const auto& [deal, particles, batch] :
       {std::tuple("shuffle", 101, "4"), std::tuple("moebius", 101, "5"),
        std::tuple("cosets", 128, "8"), std::tuple("matching", 100, "2"),
        std::tuple("matching", 101, "2")}) {
    SCOPED_TRACE(deal);
    plan::Recipe r = recipe("banana", std::uint64_t(particles), batch, 70); // rows travel once
    r.deal = deal;
    expect_same(r, {1, 2, 3, 4, 7});
  }
}

TEST(Ranks, GiveTheBitsOfOneProcessForEveryKernel) {
  for (const char* kernel : {"gaussian", "imq", "matern32", "matern52", "polynomial",
                             "imq+0.5*gaussian", "imq+bilinear", "parameters"}) {
    SCOPED_TRACE(kernel);
    plan::Recipe r = recipe("banana", 96, "6", 12);
    r.kernel = kernel;
    expect_same(r);
  }
}

TEST(Ranks, GiveTheBitsOfOneProcessForEveryStepRule) {
  for (const char* rule :
       {"adagrad", "adagrad-sum", "constant", "decay", "rmsprop", "adam", "rk4", "stochastic"}) {
    SCOPED_TRACE(rule);
    plan::Recipe r = recipe("banana", 90, "4", 10);
    r.advance = rule;
    r.step_size = 0.05;
    expect_same(r);
  }
}

TEST(Ranks, GiveTheBitsOfOneProcessForEverySizeOfBatchesAndRows) {
  for (const auto& [dim, particles, batch] :
       {std::tuple(1, 61, "2"), std::tuple(3, 64, "30"), std::tuple(3, 257, "128"),
        std::tuple(12, 60, "4"), std::tuple(12, 64, "9"), std::tuple(9, 600, "290"),
        std::tuple(12, 330, "8"), std::tuple(13, 330, "8")}) { // in lanes, and not
    SCOPED_TRACE(std::to_string(dim) + " dimensions, batches of " + batch);
    plan::Recipe r = recipe("normal", std::uint64_t(particles), batch, 5);
    r.set("dim", std::uint64_t(dim));
    expect_same(r, {2, 5});
  }
}

TEST(Ranks, GiveTheBitsOfOneProcessInSinglePrecisionOnATorusAndWithEveryBandwidth) {
  plan::Recipe single = recipe("banana", 100, "4", 8);
  single.precision = "single";
  expect_same(single);
  plan::Recipe torus = recipe("banana", 100, "4", 8);
  torus.domain = "torus:6";
  expect_same(torus);
  for (const char* bandwidth : {"0.4", "median", "median:50"}) {
    plan::Recipe r = recipe("banana", 64, "4", 8);
    r.bandwidth = bandwidth;
    expect_same(r);
  }
}

TEST(Ranks, ShareTheScoresOfRunsWhoseRowsAreNotSpread) {
  plan::Recipe svgd = recipe("banana", 40, "all", 10);
  expect_same(svgd);
  plan::Recipe drawn = recipe("banana", 40, "4", 10);
  drawn.replace = true;
  expect_same(drawn);
}

TEST(Ranks, DoNotDependOnTheirThreads) {
  plan::Recipe r = recipe("banana", 100, "4", 20);
  const std::vector<double> one = alone(r);
  r.threads = 3;
  for (const mpi::Memory memory : {mpi::Memory::apart, mpi::Memory::shared_memory})
    EXPECT_EQ(over(2, r, memory), one);
}

TEST(Ranks, ResumeOnAnotherNumberOfThem) {
  plan::Recipe r = recipe("banana", 100, "2", 80);
  r.deal = "matching";
  run::Checkpoint half;
  mpi::on_ranks(4, [&](const std::shared_ptr<mpi::Wire>& wire) {
    const auto flight = assemble::make_flight(plan::resolve(r), 0, nullptr, {}, wire);
    flight->take(40, {});
    const run::Checkpoint saved = flight->save("note");
    if (wire->first())
      half = saved;
  });
  std::vector<double> found;
  mpi::on_ranks(3, [&](const std::shared_ptr<mpi::Wire>& wire) {
    const auto flight = assemble::resume_flight(half, plan::resolve(r), "half", nullptr, wire);
    flight->take(flight->total(), {});
    const auto all = flight->positions();
    if (wire->first())
      found = all;
  });
  EXPECT_EQ(found, alone(r));
}

TEST(Ranks, WriteTheCheckpointOfOneProcess) {
  plan::Recipe r = recipe("banana", 100, "4", 80);
  const auto one = assemble::make_flight(plan::resolve(r));
  one->take(70, {}); // rows have travelled
  const run::Checkpoint expected = one->save("note");
  const auto file = std::filesystem::temp_directory_path() /
                    ("starling-ranks-" + std::to_string(::getpid()) + ".checkpoint");
  for (const std::size_t ranks : {2, 3, 7}) {
    mpi::on_ranks(ranks, [&](const std::shared_ptr<mpi::Wire>& wire) {
      const auto flight = assemble::make_flight(plan::resolve(r), 0, nullptr, {}, wire);
      flight->take(70, {});
      EXPECT_TRUE(flight->spread());
      EXPECT_TRUE(flight->finite());
      flight->save_to(file, "note");
    });
    EXPECT_EQ(run::read_checkpoint(file).columns, expected.columns) << ranks << " ranks";
  }
  std::filesystem::remove(file);
}

TEST(Ranks, AllFailWhereTheFirstCannotWriteACheckpoint) {
  const plan::Recipe r = recipe("banana", 100, "4", 80);
  mpi::on_ranks(3, [&](const std::shared_ptr<mpi::Wire>& wire) {
    const auto flight = assemble::make_flight(plan::resolve(r), 0, nullptr, {}, wire);
    flight->take(2, {});
    EXPECT_THROW(flight->save_to("/dev/null/state.checkpoint"), std::runtime_error);
    flight->take(2, {}); // and go on
    EXPECT_EQ(flight->done(), 4u);
  });
}

void expect_same_looks(const plan::Recipe& r, Step steps) {
  const auto flight = assemble::make_flight(plan::resolve(r));
  flight->take(steps, {});
  mpi::on_ranks(3, [&](const std::shared_ptr<mpi::Wire>& wire) {
    const auto same = assemble::make_flight(plan::resolve(r), 0, nullptr, {}, wire);
    same->take(steps, {});
    ASSERT_GT(flight->trace().size(), 1u);
    ASSERT_EQ(same->trace().size(), flight->trace().size());
    for (std::size_t n = 0; n < flight->trace().size(); ++n) {
      EXPECT_EQ(same->trace()[n].ksd, flight->trace()[n].ksd);
      EXPECT_EQ(same->trace()[n].drift, flight->trace()[n].drift);
      EXPECT_EQ(same->trace()[n].score, flight->trace()[n].score);
      EXPECT_EQ(std::bit_cast<std::uint64_t>(same->trace()[n].noise),
                std::bit_cast<std::uint64_t>(flight->trace()[n].noise)); // or no number
      EXPECT_EQ(same->trace()[n].spread, flight->trace()[n].spread);
      EXPECT_EQ(same->trace()[n].verdict, flight->trace()[n].verdict);
    }
  });
}

TEST(Ranks, LookAsOneProcessLooks) { expect_same_looks(recipe("banana", 100, "4", 50), 50); }

TEST(Ranks, LookAtSomeRowsOfManyAsOneProcessDoes) {
  constexpr std::size_t many = run::LookSize::seen + 3001;
  for (const char* bandwidth : {"0.5", "median:100"})
    for (const char* batch : {"2", "300"}) {
      SCOPED_TRACE(std::string(bandwidth) + ", batches of " + batch);
      plan::Recipe r = recipe("banana", many, batch, 100);
      r.bandwidth = bandwidth;
      expect_same_looks(r, run::look_every(100, many, 2) + 1);
    }
}

TEST(Ranks, ThrowWhatOneOfThemThrows) {
  assemble::UserTarget user_target;
  user_target.dim = 1;
  user_target.in_double = [](Step k, Rows<const double> x, Rows<double> s, std::span<double>) {
    for (std::size_t i = 0; i < x.count; ++i) {
      if (k == 3 && x[i][0] > 0.9)
        throw TargetError(k, i, "too far out");
      s[i][0] = -x[i][0];
    }
  };
  plan::Recipe r = recipe("guest", 64, "4", 10);
  const auto message = [&](const std::shared_ptr<mpi::Wire>& wire) -> std::string {
    const auto flight = assemble::make_flight(plan::resolve(r), 0, &user_target, {}, wire);
    try {
      flight->take(flight->total(), {});
    } catch (const TargetError& error) {
      EXPECT_EQ(flight->done(), 3u);
      return error.what();
    }
    return "nothing";
  };
  const std::string one = message(mpi::alone());
  EXPECT_NE(one.find("too far out"), std::string::npos);
  mpi::on_ranks(3, [&](const std::shared_ptr<mpi::Wire>& wire) { EXPECT_EQ(message(wire), one); });
}

} // namespace
} // namespace starling
