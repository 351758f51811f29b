// A run on a device beside the same run on the host: looks, checkpoints that either goes on from,
// stops, refusals.
#include "assemble/flight.hpp"
#include "cuda/flight.hpp"
#include "cuda_on_host/machines.hpp"
#include "plan/plan.hpp"

#include <starling/advance/explicit_step.hpp>
#include <starling/run/fly.hpp>

#include <gmock/gmock.h>

namespace {

using namespace cuda_tests;

run::Settings settings_of(std::size_t n, Step steps) {
  run::Settings settings;
  settings.particles = n;
  settings.steps = steps;
  settings.seed = 5;
  return settings;
}

run::Roles<double> roles(std::size_t dim) {
  auto all = run::roles_of<double>(
      EvenNormal<double>(dim, 0.2), Moebius(5, 4),
      ReferenceDrift<double, kernel::Gaussian<double>>(kernel::Gaussian<double>(double(dim))),
      ExplicitStep<double, FadingAdaGrad<double>>(FadingAdaGrad<double>(0.1)));
  all.deal_everyone = Whole();
  return all;
}

class Flights : public OnMachine {
protected:
  cuda::RunSpec<double> charged(std::size_t count, std::size_t dim) {
    auto asked = spec<double>(count, dim, By::moebius, 4);
    asked.bandwidth = double(dim);
    asked.rule.memories = 1;
    asked.rule.at = [](double time, std::uint32_t moves) {
      return cuda::Move<double>(FadingAdaGrad<double>(0.1).at(time, moves));
    };
    return asked;
  }
  static void fill(Rows<double> x) { start_normal(x, 1, 0.2, 1.0); }
  std::unique_ptr<run::Flight> there(Step steps) {
    return cuda::begin<double>(machine, charged(n, 3), roles(3), settings_of(n, steps), fill);
  }
  std::unique_ptr<run::Flight> here(Step steps) {
    return run::begin<double>(roles(3), settings_of(n, steps), fill);
  }
  static double apart(const run::Flight& one, const run::Flight& other) {
    const auto x = one.positions(), y = other.positions();
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      worst = std::max(worst, std::abs(x[i] - y[i]));
    return worst;
  }
  static constexpr std::size_t n = 61;
  static constexpr double near = 1e-7; // a hundred steps of rounding, under g / sqrt(g^2)
};

TEST_P(Flights, SeeWhatTheHostSees) {
  const auto one = there(100), other = here(100);
  one->take(100, {});
  other->take(100, {});
  EXPECT_TRUE(one->over());
  EXPECT_LT(apart(*one, *other), near);
  ASSERT_EQ(one->trace().size(), other->trace().size());
  for (std::size_t r = 0; r < one->trace().size(); ++r) {
    EXPECT_EQ(one->trace()[r].step, other->trace()[r].step);
    EXPECT_EQ(one->trace()[r].verdict, other->trace()[r].verdict);
    EXPECT_NEAR(one->trace()[r].drift, other->trace()[r].drift, 1e-6);
    EXPECT_NEAR(one->trace()[r].ksd, other->trace()[r].ksd,
                1e-3); // of pairs that lie in another order
  }
  const run::Outcome outcome = one->outcome(true);
  EXPECT_EQ(outcome.positions, one->positions());
  EXPECT_EQ(outcome.steps_done, 100u);
  EXPECT_TRUE(outcome.diagnosis.judgement.judged());
}

TEST_P(Flights, GoOnFromEachOthersCheckpoints) {
  const auto whole = here(100);
  whole->take(100, {});
  const auto first = there(100);
  first->take(70, {});
  const auto on_host = run::resume<double>(roles(3), settings_of(n, 100), first->save(), "there");
  EXPECT_EQ(on_host->done(), 70u);
  on_host->take(100, {});
  EXPECT_LT(apart(*on_host, *whole), near);
  const auto second = here(100);
  second->take(70, {});
  const auto on_card = cuda::resume<double>(machine, charged(n, 3), roles(3), settings_of(n, 100),
                                            second->save(), "here");
  on_card->take(100, {});
  EXPECT_LT(apart(*on_card, *whole), near);
  EXPECT_EQ(run::saved(on_card->save("a note"), "x").note, "a note");
}

TEST_P(Flights, StopAtTheStepThatIsAskedFor) {
  const auto flight = there(1000);
  Step asked = 0;
  flight->take(1000, [&] { return ++asked == 37 ? Signal::stop : Signal::go_on; });
  EXPECT_EQ(flight->done(), 37u);
  const auto other = here(1000);
  other->take(37, {});
  EXPECT_LT(apart(*flight, *other), near);
  EXPECT_EQ(run::saved(flight->save(), "x").done, 37u);
}

STARLING_ON_MACHINES(Flights);

std::string refused(plan::Recipe recipe) {
  if (recipe.target.empty())
    recipe.target = "normal";
  recipe.device = "cuda";
  recipe.particles = 64;
  try {
    assemble::make_flight(plan::resolve(recipe));
  } catch (const std::invalid_argument& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("not refused: ") + error.what();
  }
  return "not refused";
}

TEST(Device, RefusesWhatACardCannotDoInOneSentence) {
  using testing::HasSubstr;
  plan::Recipe recipe;
  EXPECT_THAT(refused(recipe), testing::StartsWith("not refused"));
  recipe.advance = "rk4";
  EXPECT_EQ(refused(recipe), "device: cuda supports --advance adagrad, adagrad-sum, constant, "
                             "decay, rmsprop or adam, not rk4; use --device cpu");
  recipe = {};
  recipe.kernel = "riesz-smooth";
  recipe.target = "normal";
  EXPECT_THAT(refused(recipe), HasSubstr("not riesz-smooth; use --device cpu"));
  recipe = {};
  recipe.domain = "torus:8";
  EXPECT_THAT(refused(recipe), HasSubstr("does not support --domain torus:L"));
  recipe = {};
  recipe.deal = "shuffle";
  EXPECT_THAT(refused(recipe), HasSubstr("not shuffle"));
  recipe = {};
  recipe.replace = true;
  EXPECT_THAT(refused(recipe), HasSubstr("it does not support --replace"));
  recipe = {};
  recipe.bandwidth = "median:5000";
  EXPECT_THAT(refused(recipe), HasSubstr("at most 4096 pairs"));
  recipe = {};
  recipe.method = "auto";
  recipe.precision = "single";
  EXPECT_THAT(refused(recipe), HasSubstr("precision: is an option of --method paper"));
}

TEST(Device, IsReadFromItsText) {
  const auto card = [](const std::string& text) {
    plan::Recipe recipe;
    recipe.target = "normal";
    recipe.device = text;
    return plan::resolve(recipe);
  };
  EXPECT_FALSE(card("cpu").card.has_value());
  EXPECT_EQ(card("cuda").card, std::size_t{0});
  EXPECT_EQ(card("cuda:3").card, std::size_t{3});
  EXPECT_TRUE(card("cuda").stages.has_value()); // it does not choose the method
  EXPECT_EQ(card("cuda").dealer->name, "moebius");
  EXPECT_TRUE(card("cpu").stages.has_value());
  for (const char* wrong : {"gpu", "cuda:x", "cuda:-1", "cpu:1"})
    EXPECT_THROW(card(wrong), std::invalid_argument) << wrong;
}

TEST(Device, ThatIsNotThereIsSaid) {
  if (cuda::back_end().present())
    GTEST_SKIP() << "there is a card";
  plan::Recipe recipe;
  recipe.target = "normal";
  recipe.device = "cuda";
  try {
    assemble::make_flight(plan::resolve(recipe));
    FAIL() << "it flew";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(std::string(error.what()),
                testing::AnyOf(testing::Eq("cuda: not in this build of starling"),
                               testing::StartsWith("device: cuda: no device: ")));
  }
}

} // namespace
