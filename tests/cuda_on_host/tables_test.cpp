// What the tables say of ranks and cards is so, and what a card has not is refused in a sentence
// made from them.
#include "assemble/on_device.hpp"
#include "cuda_on_host/machines.hpp"
#include "plan/plan.hpp"

#include <starling/deal/shuffle.hpp>

#include <gmock/gmock.h>

#include <string>
#include <variant>

namespace {

using namespace cuda_tests;
using ::testing::HasSubstr;

plan::Recipe of_pairs() {
  plan::Recipe recipe;
  recipe.target = "normal";
  recipe.method = "paper";
  recipe.device = "cuda";
  recipe.particles = 64;
  recipe.batch = "2";
  recipe.bandwidth = "1";
  return recipe;
}

std::string refusal(const plan::Recipe& recipe) {
  const plan::Plan plan = plan::resolve(recipe);
  run::AnyTarget<double> target;
  target.dim = 2;
  target.names = {"x[1]", "x[2]"};
  try {
    assemble::card_run_spec<double>(plan, 1, target);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

TEST(Tables, GiveRanksAndCardsTheOrdersOfADealer) {
  for (const plan::DealerEntry& entry : plan::dealers()) {
    plan::Recipe recipe = of_pairs();
    recipe.device = "cpu";
    recipe.deal = entry.name;
    const plan::Plan plan = plan::resolve(recipe);
    ASSERT_TRUE(entry.orders) << entry.name;
    const Orders orders = entry.orders(plan, 3, Threads::alone());
    const Order order = orders(5);
    EXPECT_EQ(order.kind != Order::Kind::listed, entry.on_card) << entry.name;
    Ensemble<double> cloud(64, 2);
    const run::AnyDealer<double> deal = entry.make.in_double(plan, 3, Threads::alone());
    const Batches& batches = deal(5, cloud);
    for (std::uint32_t place = 0; place < 64; ++place)
      EXPECT_EQ(order.row(place), batches.order()[place]) << entry.name;
  }
}

TEST(Tables, SayWhichKernelsACardHas) {
  for (const plan::KernelEntry& entry : plan::kernels()) {
    if (entry.over_everyone) {
      EXPECT_FALSE(entry.on_card) << entry.name;
      continue;
    }
    const std::size_t dim = entry.only_dim == 0 ? 2 : entry.only_dim;
    cuda::Term<double> term;
    const bool taken =
        std::visit([&](const auto& kernel) { return term.take(kernel); },
                   entry.make.in_double(plan::with_defaults(entry.settings, {}), dim));
    EXPECT_EQ(taken, entry.on_card) << entry.name;
    EXPECT_EQ(taken && term.has_bandwidth(), taken && entry.has_bandwidth) << entry.name;
    EXPECT_EQ(taken && term.singular(), taken && entry.singular) << entry.name;
  }
}

TEST(Tables, MakeARuleForCardsWhereverItIsAnExplicitStep) {
  std::string on_card;
  for (const plan::RuleEntry& entry : plan::rules()) {
    EXPECT_EQ(!!entry.on_card.in_double, !!entry.on_card.in_single) << entry.name;
    on_card += entry.on_card.in_double ? entry.name + " " : "";
  }
  EXPECT_EQ(on_card, "adagrad adagrad-sum constant decay rmsprop adam ");
}

TEST(Tables, RefuseWhatACardHasNotByWhatItHas) {
  EXPECT_EQ(refusal(of_pairs()), "none");
  plan::Recipe shuffled = of_pairs();
  shuffled.deal = "shuffle";
  EXPECT_EQ(
      refusal(shuffled),
      "device: cuda supports --deal moebius, cosets or matching, not shuffle; use --device cpu");
  plan::Recipe smooth = of_pairs();
  smooth.kernel = "gaussian+riesz-smooth";
  EXPECT_EQ(refusal(smooth),
            "device: cuda supports the kernels gaussian, gaussian-paper, imq, matern32, matern52, "
            "polynomial, sinc and riesz, not riesz-smooth; use --device cpu");
  plan::Recipe solver = of_pairs();
  solver.advance = "rk4";
  EXPECT_EQ(refusal(solver), "device: cuda supports --advance adagrad, adagrad-sum, constant, "
                             "decay, rmsprop or adam, not rk4; use --device cpu");
}

/// The recipe of a dealer: one that has order(k, n) is given to cards and ranks as it is.
struct Backwards {
  std::vector<std::uint32_t> rows;
  Order order(Step, std::size_t n) {
    rows.resize(n);
    for (std::size_t i = 0; i < n; ++i)
      rows[i] = static_cast<std::uint32_t>(n - 1 - i);
    return {rows.data(), n, n / 2};
  }
};
TEST(Recipes, ADealerNeedsAnOrderAndNoMore) {
  const Orders orders(Backwards(), 10);
  EXPECT_EQ(orders(3).row(2), 7u);
  EXPECT_EQ(orders(3).place(7), 2u);
  EXPECT_FALSE(orders.travel().due(64, 10));
}

/// The recipe of a step rule: one whose moves are in STARLING_STEPS moves on a card.
struct Halving {
  static constexpr std::size_t memories = 0;
  Proportional<double> at(double time, std::uint32_t) const { return {time > 0 ? 0.5 : 1.0}; }
};
TEST(Recipes, AStepRuleOfTheListMovesOnACard) {
  const cuda::Rule<double> rule = Halving();
  double none[2] = {};
  EXPECT_EQ(rule.memories, 0u);
  EXPECT_EQ(rule.at(0, 0)(4, none), 4);
  EXPECT_EQ(rule.at(1, 0)(4, none), 2);
}

} // namespace
