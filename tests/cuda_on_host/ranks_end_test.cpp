// Ranks with a card each: which card, when they ask for scores, and one end for all.
#include "assemble/on_device.hpp"
#include "cuda_on_host/cards_of_ranks.hpp"

#include <atomic>

namespace {

using namespace cuda_tests;

using EndsOfCards = CardsOfRanks;

TEST_P(EndsOfCards, ThrowWhatOneOfThemThrowsAndGoOn) {
  const plan::Recipe recipe = asked_of_cards("guest");
  const assemble::UserTarget sound = wave();
  const std::vector<double> one = on_one_card(recipe, &sound);
  for (const bool takes_cards : ways())
    mpi::on_ranks(3, [&](const RankWire& wire) {
      wire->cards = takes_cards;
      bool failing = true;
      const assemble::UserTarget user_target = wave([&](Step k, Rows<double>) {
        if (failing && k == 23 && wire->rank() == 1)
          throw TargetError(k, 2, "on purpose");
      });
      const auto flight = assemble::make_flight(plan::resolve(recipe), 0, &user_target, {}, wire);
      try {
        flight->take(flight->total(), {});
        ADD_FAILURE() << "it did not fail";
      } catch (const TargetError& error) {
        EXPECT_EQ(error.step(), 23u);
        EXPECT_EQ(error.particle(), 25u + 2u); // of the rank's first block
        EXPECT_EQ(error.cause(), "on purpose");
      }
      EXPECT_FALSE(wire->agreed_failure.empty());
      EXPECT_EQ(wire->origin, 1u);
      EXPECT_EQ(flight->done(), 23u);
      failing = false;
      flight->take(flight->total(), {});
      EXPECT_EQ(flight->positions(), one);
    });
}

TEST_P(EndsOfCards, FindTheSameScoreThatIsNoNumber) {
  const plan::Recipe recipe = asked_of_cards("guest");
  mpi::on_ranks(4, [&](const RankWire& wire) {
    const assemble::UserTarget user_target = wave([&](Step k, Rows<double> s) {
      if (k == 17 && wire->rank() == 2)
        s[3][1] = NAN;
    });
    const auto flight = assemble::make_flight(plan::resolve(recipe), 0, &user_target, {}, wire);
    try {
      flight->take(flight->total(), {});
      ADD_FAILURE() << "it did not fail";
    } catch (const TargetError& error) {
      EXPECT_EQ(error.step(), 17u);
      EXPECT_EQ(error.cause(), "the score of parameter 1 is nan");
    }
    EXPECT_EQ(flight->done(), 17u);
    EXPECT_TRUE(flight->finite());
  });
}

TEST_P(EndsOfCards, AskForScoresWhenTheOthersDoWhateverTheirClocks) {
  plan::Recipe recipe = asked_of_cards("guest");
  recipe.steps = 100000; // looks are far apart
  mpi::on_ranks(3, [&](const RankWire& wire) {
    Step last = 0;
    const assemble::UserTarget user_target = wave([&](Step k, Rows<double>) { last = k; });
    const auto flight = assemble::make_flight(plan::resolve(recipe), 0, &user_target, {}, wire);
    flight->take(flight->total(), [&] {
      EXPECT_LE(flight->done(),
                last + 2); // a step waits at most: how many do, a clock would decide
      return mpi::any(*wire, wire->rank() == 2 && flight->done() == 140) ? Signal::stop
                                                                         : Signal::go_on;
    });
    EXPECT_EQ(flight->done(), 140u);
  });
}

TEST_P(EndsOfCards, ShareNothingOutThatACardScoresWithinItsSteps) {
  plan::Recipe recipe = asked_of_cards("normal");
  plan::Recipe without = recipe;
  without.blocks = plan::undecided;
  EXPECT_EQ(on_one_card(recipe), on_one_card(without));
  mpi::on_ranks(2, [&](const RankWire& wire) {
    try {
      assemble::make_flight(plan::resolve(recipe), 0, nullptr, {}, wire);
      ADD_FAILURE() << "it was begun";
    } catch (const std::invalid_argument& error) {
      EXPECT_STREQ(error.what(),
                   "device: several ranks cannot share the target normal on GPUs: use one rank");
    }
  });
}

STARLING_ON_MACHINES(EndsOfCards);

std::atomic<int> machines_opened{0};

struct OfAnotherKind final : cuda::OnHost {
  std::string name() const override { return "another"; }
};

/// On all ranks, where the machine of one is what `make` answers second.
void expect_all_say(cuda::Machine* (*make)(), const std::string& sentence) {
  machines_opened = 0;
  cuda::open_instead(make);
  const plan::Recipe recipe = asked_of_cards("guest");
  mpi::on_ranks(3, [&](const RankWire& wire) {
    const assemble::UserTarget user_target = wave();
    try {
      assemble::make_flight(plan::resolve(recipe), 0, &user_target, {}, wire);
      ADD_FAILURE() << "it was begun";
    } catch (const std::exception& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(sentence)) << error.what();
    }
    EXPECT_FALSE(wire->agreed_failure.empty());
  });
  cuda::open_instead(nullptr);
}

TEST(CardsOfSeveralRanks, EndAllWhereOneCannotBeOpenedOrIsOfAnotherKind) {
  expect_all_say(
      []() -> cuda::Machine* {
        if (++machines_opened == 2)
          throw DoesNotFit("device: not enough memory");
        return new cuda::OnHost;
      },
      "device: not enough memory");
  expect_all_say(
      []() -> cuda::Machine* {
        return ++machines_opened == 2 ? new OfAnotherKind : new cuda::OnHost;
      },
      "mpi: all ranks must have the same kind of GPU; ");
}

TEST(CardsOfSeveralRanks, AreTakenInTurnUnlessOneIsNamed) {
  plan::Recipe recipe = asked_of_cards("guest");
  const plan::Plan in_turn = plan::resolve(recipe);
  recipe.device = "cuda:1";
  const plan::Plan named = plan::resolve(recipe);
  const auto three = []() -> std::size_t { return 3; };
  std::vector<std::size_t> taken(5);
  mpi::on_ranks(5, [&](const RankWire& wire) {
    taken[wire->rank()] = assemble::card_of(in_turn, *wire, three);
    EXPECT_EQ(assemble::card_of(named, *wire, three), 1u);
    EXPECT_EQ(assemble::card_of(in_turn, *wire, []() -> std::size_t { return 0; }),
              0u); // and none can be opened
  });
  EXPECT_EQ(taken, (std::vector<std::size_t>{0, 1, 2, 0, 1}));
  EXPECT_EQ(assemble::card_of(in_turn, *mpi::alone(), three), 0u);
  EXPECT_EQ(assemble::card_of(named, *mpi::alone(), three), 1u);
}

} // namespace
