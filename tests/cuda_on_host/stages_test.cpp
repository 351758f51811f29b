// A run in stages whose densities a card computes: the same method, and the same numbers.
#include "assemble/flight.hpp"
#include "assemble/on_device.hpp"
#include "cuda/density_on_card.hpp"
#include "cuda_on_host/machines.hpp"
#include "plan/plan.hpp"

#include <starling/row_density.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using namespace cuda_tests;

/// Log densities and scores at some places.
struct Evaluated {
  std::vector<double> log_density, score;
};

class StagesOnCard : public OnOpened {
protected:
  static constexpr std::size_t places = 37;

  static Evaluated evaluated(const run::AnyTarget<double>& target) {
    Ensemble<double> at(places, target.dim);
    start_normal(at.position(), 3, 0.1, 1.5);
    Evaluated found{std::vector<double>(places), std::vector<double>(places * target.dim)};
    target.evaluate(at.position(), {found.score.data(), places, target.dim}, found.log_density);
    return found;
  }
  static double apart(const Evaluated& a, const Evaluated& b) {
    double worst = 0;
    const auto look = [&](const std::vector<double>& one, const std::vector<double>& other) {
      for (std::size_t n = 0; n < one.size(); ++n)
        worst = std::max(worst, std::abs(one[n] - other[n]) / (1 + std::abs(one[n])));
    };
    look(a.log_density, b.log_density);
    look(a.score, b.score);
    return worst;
  }
  static plan::Recipe asked(const std::string& target, const std::string& device) {
    plan::Recipe recipe;
    recipe.target = target;
    recipe.particles = 64;
    recipe.device = device;
    return recipe;
  }
  /// Of a plan's target, and of the same put on the card.
  static double apart(const plan::Recipe& recipe) {
    const plan::Plan plan = plan::resolve(recipe);
    auto target = assemble::make_target<double>(plan, 1, Threads::alone());
    const Evaluated here = evaluated(target);
    assemble::put_density_on_card(plan, nullptr, *mpi::alone(), target);
    return apart(here, evaluated(target));
  }
  static std::unique_ptr<run::Flight> flown(const plan::Recipe& recipe,
                                            const assemble::UserTarget* user_target = nullptr) {
    auto flight = assemble::make_flight(plan::resolve(recipe), 0, user_target);
    flight->take(100'000, {});
    return flight;
  }
  static std::string library(const std::string& name) {
    return std::string(STARLING_TEST_LIBRARIES) + "/" + name + ".so";
  }
  static std::string why_not(const plan::Recipe& recipe) {
    try {
      assemble::make_flight(plan::resolve(recipe));
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "it flew";
  }
};

/// A normal that a program brings, `wrong` times its scores on the card.
assemble::UserTarget normal_with_twin(double wrong = 1) {
  assemble::UserTarget mine;
  mine.dim = 2;
  mine.in_double = [](Step, Rows<const double> x, Rows<double> s, std::span<double> density) {
    EvenNormal<double>(2, 0.3).evaluate(x, s, density);
  };
  const auto there = [wrong]<typename Real>(Real) {
    auto outside = std::make_shared<cuda::Outside<Real>>();
    outside->has_log_density = outside->few_sizes = true;
    outside->on =
        [wrong](const std::shared_ptr<cuda::Machine>& machine) -> cuda::OutsideScore<Real> {
      return [machine, wrong](Step, const Real* x, Real* s, Real* log_density, std::size_t count,
                              std::size_t dim) {
        EXPECT_EQ(count & (count - 1), 0u) << "few sizes: powers of two";
        std::vector<Real> at(count * dim), score(count * dim), density(count);
        machine->download(at.data(), x, at.size() * sizeof(Real));
        EvenNormal<Real>(dim, 0.3).evaluate({at.data(), count, dim}, {score.data(), count, dim},
                                            density);
        for (Real& value : score)
          value *= Real(wrong);
        machine->upload(s, score.data(), score.size() * sizeof(Real));
        machine->upload(log_density, density.data(), density.size() * sizeof(Real));
        machine->wait();
      };
    };
    return outside;
  };
  mine.on_card_in_double = there(0.0);
  mine.on_card_in_single = there(0.0F);
  return mine;
}

TEST_P(StagesOnCard, ShapesHaveTheDensityOfTheHost) {
  for (const std::string shape : {"normal", "mixture", "banana", "funnel"})
    EXPECT_LT(apart(asked(shape, "cuda")), 1e-12) << shape;
  plan::Recipe many = asked("normal", "cuda");
  many.extra["dim"] = std::uint64_t{130};
  many.extra["correlation"] = 0.4;
  EXPECT_LT(apart(many), 1e-12);
}

TEST_P(StagesOnCard, ManyRowsAreAskedForSomeAtATime) {
  std::vector<std::size_t> calls;
  cuda::Outside<double> counted;
  counted.has_log_density = counted.few_sizes = true;
  counted.on = [&](const std::shared_ptr<cuda::Machine>& on) -> cuda::OutsideScore<double> {
    return [&calls, on](Step, const double* x, double* s, double* log_density, std::size_t count,
                        std::size_t dim) {
      calls.push_back(count);
      on->copy(s, x, count * dim * sizeof(double));
      on->copy(log_density, x, count * sizeof(double));
    };
  };
  const std::size_t most = cuda::DensityOnCard<double>::most, rows = 2 * most + 3;
  std::vector<double> x(rows), score(rows), log_density(rows);
  for (std::size_t i = 0; i < rows; ++i)
    x[i] = double(i);
  cuda::DensityOnCard<double> density(machine, counted);
  density({x.data(), rows, 1}, {score.data(), rows, 1}, log_density);
  EXPECT_EQ(calls, (std::vector<std::size_t>{most, most, 64}));
  EXPECT_EQ(score, x);
  EXPECT_EQ(log_density, x);
}

TEST_P(StagesOnCard, TheDeviceDoesNotChooseTheMethod) {
  EXPECT_TRUE(plan::resolve(asked("normal", "cuda")).stages);
  plan::Recipe batches = asked("normal", "cuda");
  batches.precision = "single";
  EXPECT_FALSE(plan::resolve(batches).stages);
}

TEST_P(StagesOnCard, ARunIsThatOfTheHost) {
  const auto here = flown(asked("normal", "cpu")), there = flown(asked("normal", "cuda"));
  if (!GetParam()) { // on a card sums may round otherwise
    EXPECT_EQ(here->positions(), there->positions());
  }
  const run::Outcome a = here->outcome(true), b = there->outcome(true);
  EXPECT_EQ(a.diagnosis.judgement.verdict, b.diagnosis.judgement.verdict);
  EXPECT_TRUE(b.diagnosis.judgement.converged());
  ASSERT_TRUE(b.stages);
  EXPECT_FALSE(b.stages->raw);
}

TEST_P(StagesOnCard, AFunctionOfAProgramIsAskedThere) {
  const plan::Recipe recipe = asked("guest", "cuda");
  for (const bool single : {false, true}) {
    assemble::UserTarget mine = normal_with_twin(), wrong = normal_with_twin(1.3);
    mine.card_counts_in_single = wrong.card_counts_in_single = single;
    const auto of = [&](const assemble::UserTarget& one, bool on_card) {
      const plan::Plan plan = plan::resolve(recipe);
      auto target = assemble::make_target<double>(plan, 1, Threads::alone(), &one);
      if (on_card)
        assemble::put_density_on_card(plan, &one, *mpi::alone(), target);
      return evaluated(target);
    };
    EXPECT_LT(apart(of(mine, false), of(mine, true)), single ? 1e-6 : 1e-14);
    EXPECT_GT(apart(of(mine, false), of(wrong, true)), 1e-2);
    EXPECT_TRUE(flown(recipe, &mine)->outcome(true).diagnosis.judgement.converged());
  }
}

TEST_P(StagesOnCard, AFunctionOfTheHostIsRefused) {
  assemble::UserTarget mine = normal_with_twin();
  mine.on_card_in_double = {};
  mine.on_card_in_single = {};
  try {
    flown(asked("guest", "cuda"), &mine);
    FAIL() << "it flew";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("cuda needs a function that works on a GPU"));
  }
}

TEST_P(StagesOnCard, APluginNeedsItsDensityThere) {
  plan::Recipe recipe = asked("plugin", "cuda");
  recipe.set("model", library("plugin_all"));
  EXPECT_EQ(why_not(recipe), "device: " + library("plugin_all") +
                                 " does not export starling_log_density_on_device, or scores rows "
                                 "of data, so a GPU cannot compute it; use --device cpu");
  if (GetParam())
    GTEST_SKIP() << "this plugin takes the host for a card";
  recipe.set("model", library("plugin_on_card"));
  EXPECT_LT(apart(recipe), 1e-15);
}

/// A table in a file while it lives.
struct SmallTable {
  std::string name = testing::TempDir() + "stages_on_card_" + std::to_string(::getpid()) + ".csv";
  SmallTable() {
    std::ofstream file(name);
    file << "a,b,c,y\n";
    for (std::size_t r = 0; r < 150; ++r)
      file << r % 7 << ',' << r % 11 << ',' << r % 13 << ',' << r % 2 << '\n';
  }
  ~SmallTable() { std::remove(name.c_str()); }
};

TEST_P(StagesOnCard, RegressionsHaveTheDensityOfTheHostAsAWholeAndByRows) {
  const SmallTable table;
  for (const std::string family : {"logistic", "linear", "poisson", "multinomial"})
    for (const std::uint64_t rows : {0u, 50u}) {
      plan::Recipe recipe = asked(family, "cuda");
      recipe.method = "auto";
      recipe.set("data", table.name);
      if (rows > 0)
        recipe.extra["data-batch"] = rows;
      EXPECT_LT(apart(recipe), 1e-12) << family << ", " << rows << " rows a step";
      const plan::Plan plan = plan::resolve(recipe);
      auto target = assemble::make_target<double>(plan, 1, Threads::alone());
      const auto here = target.rows;
      ASSERT_EQ(bool(here), rows > 0);
      if (!here)
        continue;
      assemble::put_density_on_card(plan, nullptr, *mpi::alone(), target);
      EXPECT_NE(here, target.rows);
      const std::vector<double> x(target.dim, 0.2);
      double a = 0, b = 0;
      here->values({x.data(), 1, target.dim}, {&a, 1});
      target.rows->values({x.data(), 1, target.dim}, {&b, 1});
      EXPECT_NEAR(a, b, 1e-12 * std::abs(a));
    }
}

TEST_P(StagesOnCard, ARegressionConvergesThere) {
  const SmallTable table;
  plan::Recipe recipe = asked("logistic", "cuda");
  recipe.set("data", table.name);
  EXPECT_TRUE(flown(recipe)->outcome(true).diagnosis.judgement.converged());
}

TEST_P(StagesOnCard, WhatACardDoesNotHaveIsRefused) {
  plan::Recipe recipe = asked("funnel", "cuda:7");
  if (GetParam()) {
    EXPECT_THAT(why_not(recipe), testing::HasSubstr("device: must be one of cuda:0"));
  }
  recipe = asked("stan", "cuda");
  recipe.set("model", library("stan_full"));
  EXPECT_THAT(why_not(recipe), testing::HasSubstr("with --method auto cuda supports the targets"));
}

STARLING_ON_MACHINES(StagesOnCard);

} // namespace
