// Plugins and regressions asked for by name, on a device and on the host: the same run,
// mini-batches and all, or a sentence.
#include "assemble/flight.hpp"
#include "cuda_on_host/machines.hpp"
#include "plan/plan.hpp"

#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <unistd.h>

namespace {

using namespace cuda_tests;

class Assembled : public OnOpened {
protected:
  static std::unique_ptr<run::Flight> flown(plan::Recipe recipe, const std::string& device,
                                            Step steps) {
    recipe.device = device;
    recipe.method = "paper";
    recipe.deal = "moebius";
    recipe.steps = steps;
    auto flight = assemble::make_flight(plan::resolve(recipe));
    flight->take(steps, {});
    return flight;
  }
  static double apart(const plan::Recipe& recipe, Step steps) {
    const auto x = flown(recipe, "cpu", steps)->positions(),
               y = flown(recipe, "cuda", steps)->positions();
    EXPECT_EQ(x.size(), y.size());
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double gap = std::abs(x[i] - y[i]);
      worst = gap <= worst ? worst : gap;
    }
    return worst;
  }
  static plan::Recipe asked(const std::string& target, const std::string& precision) {
    plan::Recipe recipe;
    recipe.target = target;
    recipe.particles = 61;
    recipe.batch = "4";
    recipe.bandwidth = "2";
    recipe.precision = precision;
    recipe.advance = "constant";
    recipe.step_size = 0.01;
    return recipe;
  }
  static std::string library(const std::string& name) {
    return std::string(STARLING_TEST_LIBRARIES) + "/" + name + ".so";
  }
};

constexpr double in_single = 1e-4, in_double = 1e-11; // positions of about 1, thirty steps

TEST_P(Assembled, APluginFliesAsOnTheHost) {
  if (GetParam())
    GTEST_SKIP() << "this plugin takes the host for a card";
  for (const std::string precision : {"single", "double"}) {
    auto recipe = asked("plugin", precision);
    recipe.set("model", library("plugin_on_card"));
    EXPECT_LT(apart(recipe, 30), precision == "single" ? in_single : in_double);
  }
}

TEST_P(Assembled, APluginThatFailsSaysWhy) {
  if (GetParam())
    GTEST_SKIP() << "this plugin takes the host for a card";
  auto recipe = asked("plugin", "double");
  recipe.set("model", library("plugin_on_card"));
  recipe.start = "normal:100,1";
  try {
    flown(recipe, "cuda", 5);
    FAIL() << "it flew";
  } catch (const TargetError& error) {
    EXPECT_EQ(error.step(), 0u);
    EXPECT_EQ(error.cause(), "too far for the card (for all particles at once, on the GPU)");
  }
}

TEST_P(Assembled, APluginWithoutTheFunctionIsRefused) {
  auto recipe = asked("plugin", "single");
  recipe.set("model", library("plugin_all"));
  try {
    flown(recipe, "cuda", 5);
    FAIL() << "it flew";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(error.what(), "device: " + library("plugin_all") +
                                " does not export starling_score_on_device_single, or scores rows "
                                "of data, so a GPU cannot score it; use --device cpu");
  }
}

/// A table in a file while it lives.
struct TableFile {
  std::string name = testing::TempDir() + "card_rows_" + std::to_string(::getpid()) +
                     ".csv"; // tests run side by side
  explicit TableFile(std::size_t rows) {
    std::ofstream file(name);
    file << "a,b,c,y\n";
    for (std::size_t r = 0; r < rows; ++r)
      file << r % 7 << ',' << r % 11 << ',' << r % 13 << ',' << (r % 3 == 0) << '\n';
  }
  ~TableFile() { std::remove(name.c_str()); }
};

TEST_P(Assembled, LogisticRegressionFliesAsOnTheHost) {
  const TableFile file(150);
  for (const std::string precision : {"single", "double"})
    for (const std::uint64_t rows :
         {20u, 64u, 150u}) { // several passes, of which the last mini-batches are smaller; all rows
      auto recipe = asked("logistic", precision);
      recipe.set("data", file.name);
      recipe.extra["data-batch"] = rows;
      EXPECT_LT(apart(recipe, 30), precision == "single" ? 10 * in_single : 10 * in_double)
          << rows << " rows"; // scores of about 100
    }
}

TEST_P(Assembled,
       LogisticRegressionOfAnotherSeedIsAnotherRun) { // so the comparison above would find other
                                                      // mini-batches
  const TableFile file(150);
  auto recipe = asked("logistic", "double");
  recipe.set("data", file.name);
  recipe.extra["data-batch"] = std::uint64_t{20};
  recipe.start = "uniform:0,0.001";
  const auto x = flown(recipe, "cuda", 3)->positions();
  recipe.seed = 77;
  const auto y = flown(recipe, "cuda", 3)->positions();
  EXPECT_GT(std::abs(x[0] - y[0]), 1e-3);
}

TEST_P(Assembled, WhatACardHasNoRowsOfIsRefused) {
  const TableFile file(150);
  auto recipe = asked("poisson", "double");
  recipe.set("data", file.name);
  EXPECT_THROW(flown(recipe, "cuda", 3), std::invalid_argument);
}

STARLING_ON_MACHINES(Assembled);

} // namespace
