// Ranks with a card each, which share out the scores, have the bits of one process with the same
// blocks.
#include "cuda_on_host/cards_of_ranks.hpp"

#include <atomic>
#include <cstdio>
#include <fstream>
#include <unistd.h>

namespace {

using namespace cuda_tests;

/// A table in a file while it lives.
struct LabelledFile {
  std::string name = testing::TempDir() + "card_ranks_" + std::to_string(::getpid()) +
                     ".csv"; // tests run side by side
  LabelledFile() {
    std::ofstream file(name);
    file << "a,b,c,y\n";
    for (std::size_t r = 0; r < 150; ++r)
      file << r % 7 << ',' << r % 11 << ',' << r % 13 << ',' << (r % 3 == 0) << '\n';
  }
  ~LabelledFile() { std::remove(name.c_str()); }
};

TEST_P(CardsOfRanks, HaveTheBitsOfOneProcessWithLogisticRegression) {
  const LabelledFile file;
  for (const std::string precision : {"single", "double"}) {
    plan::Recipe recipe = asked_of_cards("logistic", precision);
    recipe.set("data", file.name);
    recipe.extra["data-batch"] = std::uint64_t{64};
    expect_same(recipe);
  }
}

TEST_P(CardsOfRanks, HaveTheBitsOfOneProcessWithAPlugin) {
  if (GetParam())
    GTEST_SKIP() << "this plugin takes the host for a card";
  plan::Recipe recipe = asked_of_cards("plugin", "single");
  recipe.set("model", std::string(STARLING_TEST_LIBRARIES) + "/plugin_on_card.so");
  expect_same(recipe);
  plan::Recipe without = recipe;
  without.blocks = plan::undecided;
  EXPECT_EQ(on_one_card(recipe), on_one_card(without)); // it treats each row by itself
}

TEST_P(CardsOfRanks, HaveTheBitsOfOneProcessWithAFunctionAndEachScoresItsOwnRows) {
  plan::Recipe recipe = asked_of_cards("guest");
  expect_same(recipe, [](std::size_t) { return wave(); });
  plan::Recipe whole = recipe;
  whole.blocks = 1;
  const assemble::UserTarget user_target = wave();
  const std::vector<double> x = on_one_card(whole, &user_target),
                            y = on_one_card(recipe, &user_target);
  EXPECT_NE(x, y); // so blocks matter to it, and not much
  for (std::size_t n = 0; n < x.size(); ++n)
    EXPECT_NEAR(x[n], y[n], 1e-2);
  std::vector<std::atomic<std::size_t>> rows(3);
  on_cards(3, recipe, false, [&](std::size_t rank) {
    return wave([&rows, rank](Step, Rows<double> s) { rows[rank] += s.count; });
  });
  const std::size_t sweeps = (rows[0] + rows[1] + rows[2]) / 101;
  EXPECT_GE(sweeps, 70u); // and looks
  EXPECT_EQ(rows[0] + rows[1] + rows[2], sweeps * 101);
  EXPECT_EQ(rows[0], sweeps * 25); // two of eight blocks, of twelve or thirteen rows
}

TEST_P(CardsOfRanks, AreFoundOutWhereOneScoresWrongly) {
  const plan::Recipe recipe = asked_of_cards("guest");
  const assemble::UserTarget user_target = wave();
  const auto wrong = on_cards(3, recipe, false, [](std::size_t rank) {
    return wave([rank](Step k, Rows<double> s) {
      for (double& value : s)
        value *= rank == 1 && k == 5 ? 1.3 : 1;
    });
  });
  EXPECT_NE(wrong[0], on_one_card(recipe, &user_target));
  EXPECT_EQ(wrong[0], wrong[2]);
}

TEST_P(CardsOfRanks, EndAsOneProcessDoes) {
  const plan::Recipe recipe = asked_of_cards("guest");
  const assemble::UserTarget user_target = wave();
  const auto one = assemble::make_flight(plan::resolve(recipe), 0, &user_target);
  one->take(one->total(), {});
  const run::Outcome expected = one->outcome(true);
  mpi::on_ranks(3, [&](const RankWire& wire) {
    const assemble::UserTarget own = wave();
    const auto flight = assemble::make_flight(plan::resolve(recipe), 0, &own, {}, wire);
    flight->take(flight->total(), {});
    const run::Outcome outcome = flight->outcome(true);
    EXPECT_EQ(outcome.positions, expected.positions);
    EXPECT_EQ(outcome.log_density, expected.log_density);
    EXPECT_EQ(outcome.diagnosis.judgement.verdict, expected.diagnosis.judgement.verdict);
    ASSERT_EQ(outcome.trace.size(), expected.trace.size());
    EXPECT_EQ(outcome.trace[0].score, expected.trace[0].score);
    ASSERT_FALSE(outcome.warnings.empty());
    EXPECT_EQ(outcome.warnings[0],
              "scores go through the CPU: this MPI cannot send from GPU to GPU");
  });
}

TEST_P(CardsOfRanks, ResumeOnAnotherNumberOfThem) {
  const plan::Recipe recipe = asked_of_cards("guest");
  const assemble::UserTarget user_target = wave();
  run::Checkpoint half;
  mpi::on_ranks(4, [&](const RankWire& wire) {
    const auto flight = assemble::make_flight(plan::resolve(recipe), 0, &user_target, {}, wire);
    flight->take(66, {}); // rows have travelled
    const run::Checkpoint saved = flight->save("note");
    if (wire->first())
      half = saved;
  });
  const std::vector<double> one = on_one_card(recipe, &user_target);
  mpi::on_ranks(3, [&](const RankWire& wire) {
    const auto flight =
        assemble::resume_flight(half, plan::resolve(recipe), "half", &user_target, wire);
    flight->take(flight->total(), {});
    EXPECT_EQ(flight->positions(), one);
  });
}

STARLING_ON_MACHINES(CardsOfRanks);

} // namespace
